"""The themes: one without colours of its own, which is the usual one, and two with colours, for dark and for light.

Which background a terminal has cannot be known, and none of its sixteen colours can be read on black and on white
alike; so what has to be seen is bold, underlined, reverse or a sign, in the terminal's own foreground. The other two
themes take their colours from the 256 that are the same everywhere. All of them leave the background as it is.
"""

from __future__ import annotations

from textual.theme import BUILTIN_THEMES, Theme

OWN = "ansi_default"
"""The terminal's own foreground or background."""


def _theme(name: str, *, dark: bool, key: str, match: str, good: str, bad: str, odd: str) -> Theme:
    """A theme on the terminal's own background: the colours of keys, of what matches, of gain, loss and oddities."""
    plain = dict.fromkeys(
        (
            *("ansi-background", "ansi-foreground", "text-muted", "text-disabled", "border-blurred"),
            *("block-cursor-foreground", "block-cursor-background", "input-cursor-foreground"),
            *("input-cursor-background", "input-selection-foreground", "input-selection-background"),
            *("screen-selection-foreground", "screen-selection-background", "link-background-hover"),
            *("scrollbar", "scrollbar-hover", "scrollbar-active"),
            *("scrollbar-background", "scrollbar-background-hover", "scrollbar-background-active"),
        ),
        OWN,
    )
    return Theme(
        name=name,
        ansi=True,
        dark=dark,
        primary=key,
        secondary=key,
        accent=match,
        warning=odd,
        error=bad,
        success=good,
        foreground=OWN,
        background=OWN,
        surface=OWN,
        panel=OWN,
        boost=OWN,
        variables=BUILTIN_THEMES["ansi-dark"].variables
        | plain
        | dict.fromkeys(("border", "footer-key-foreground", "link-color", "link-color-hover"), key)
        | {
            "block-cursor-text-style": "reverse",
            "block-cursor-blurred-text-style": "bold",
            "input-cursor-text-style": "reverse",
        },
    )


THEME = _theme("cachetui", dark=True, key=OWN, match=OWN, good=OWN, bad=OWN, odd=OWN)

DARK = _theme("cachetui-dark", dark=True, key="#5fd7ff", match="#ffaf5f", good="#87d787", bad="#ff8787", odd="#d7afff")

LIGHT = _theme(
    "cachetui-light", dark=False, key="#005f87", match="#8700af", good="#005f00", bad="#af0000", odd="#5f5f00"
)

THEMES = (THEME, DARK, LIGHT)
