"""The themes: a plain one without colours of its own, and two with colours, for dark and for light.

None of a terminal's sixteen colours can be read on black and on white alike. So as long as its background is not known
what has to be seen is bold, underlined, reverse or a sign, in the terminal's own foreground; the other two themes add
colours from the 256 that are the same everywhere. All of them leave the background as it is.
"""

from __future__ import annotations

from textual.color import Color as ThemeColor
from textual.theme import BUILTIN_THEMES, Theme

from cachetui.tui.terminal.background import Color, contrast

OWN = "ansi_default"
"""The terminal's own foreground or background."""

TEXT = 4.5
"""The least contrast of text (WCAG 2, level AA)."""


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


THEME = _theme("plain", dark=True, key=OWN, match=OWN, good=OWN, bad=OWN, odd=OWN)

DARK = _theme("cachetui-dark", dark=True, key="#5fd7ff", match="#ffaf5f", good="#87d787", bad="#ff8787", odd="#d7afff")

LIGHT = _theme(
    "cachetui-light", dark=False, key="#005f87", match="#8700af", good="#005f00", bad="#af0000", odd="#5f5f00"
)

THEMES = (THEME, DARK, LIGHT)


def theme_on(background: Color) -> Theme:
    """The theme with colours that can all be read on this background; the plain one if neither has such."""
    for theme in (DARK, LIGHT):
        names = (theme.primary, theme.accent, theme.success, theme.error, theme.warning)
        colors = [ThemeColor.parse(name).normalized for name in names if name]
        if all(contrast(color, background) >= TEXT for color in colors):
            return theme
    return THEME
