"""The themes: a plain one without colours of its own, and two with colours, for dark and for light.

None of a terminal's sixteen colours can be read on black and on white alike. So as long as its background is not known
what has to be seen is bold, underlined, reverse or a sign, in the terminal's own foreground; the other two themes add
colours from the 256 that are the same everywhere. All of them leave the background as it is, but for the shades of
pictures, which bring the colour of their text along.
"""

from __future__ import annotations

from typing import NamedTuple

from textual.color import Color as ThemeColor
from textual.theme import BUILTIN_THEMES, Theme

from cachetui.safe_text import visible
from cachetui.settings.config import Config

Color = tuple[float, float, float]
"""Red, green and blue, from 0 to 1."""

OWN = "ansi_default"
"""The terminal's own foreground or background."""

BLACK, WHITE = "#000000", "#ffffff"

TEXT = 4.5
"""The least contrast of text (WCAG 2, level AA)."""


class Colors(NamedTuple):
    """The colours of a theme, by what they stand for."""

    accent: str = OWN
    """The focus: title and rule of the pane, the cursor, the frame of a dialog."""
    muted: str = OWN
    """Labels, heads, hints, the host, what does not run."""
    line: str = OWN
    good: str = OWN
    """What runs, came, is ticked."""
    bad: str = OWN
    """What is missing, gone, unreadable."""
    warn: str = OWN
    """What is not known, or changed."""
    match: str = OWN
    """What was sought or marked."""
    bar: str = OWN
    heat: tuple[tuple[str, str], ...] = ((OWN, OWN),) * 3
    """Shades of numbers, from few to many: the colour of the text, and of its background."""

    @property
    def variables(self) -> dict[str, str]:
        """Those that Textual has no name for, by the names that the style sheet knows them by."""
        found = {name: getattr(self, name) for name in ("muted", "line", "good", "bad", "warn", "match", "bar")}
        for number, (text, background) in enumerate(self.heat, 1):
            found |= {f"heat-{number}": background, f"heat-{number}-text": text}
        return found | {"muted-text-style": "dim" if self.muted == OWN else "none"}

    @property
    def texts(self) -> tuple[str, ...]:
        """All that is read on the terminal's background; lines and bars are only seen."""
        return (self.accent, self.muted, self.good, self.bad, self.warn, self.match)


PLAIN_COLORS = Colors()

DARK_COLORS = Colors(
    accent="#5fd7ff",
    muted="#a8a8a8",
    line="#585858",
    good="#87d787",
    bad="#ff8787",
    warn="#ffd75f",
    match="#d7afff",
    bar="#87afd7",
    heat=((WHITE, "#303030"), (WHITE, "#005f87"), (BLACK, "#5f87af")),
)

LIGHT_COLORS = Colors(
    accent="#005f87",
    muted="#585858",
    line="#bcbcbc",
    good="#005f00",
    bad="#870000",
    warn="#875f00",
    match="#8700af",
    bar="#5f87af",
    heat=((BLACK, "#e4e4e4"), (BLACK, "#afd7ff"), (BLACK, "#5f87af")),
)


def _theme(name: str, colors: Colors, *, dark: bool) -> Theme:
    """A theme on the terminal's own background."""
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
        primary=colors.accent,
        secondary=colors.accent,
        accent=colors.match,
        warning=colors.warn,
        error=colors.bad,
        success=colors.good,
        foreground=OWN,
        background=OWN,
        surface=OWN,
        panel=OWN,
        boost=OWN,
        variables=BUILTIN_THEMES["ansi-dark"].variables
        | plain
        | dict.fromkeys(("border", "footer-key-foreground", "link-color", "link-color-hover"), colors.accent)
        | colors.variables
        | {
            "block-cursor-text-style": "reverse",
            "block-cursor-blurred-text-style": "bold",
            "input-cursor-text-style": "reverse",
        },
    )


THEME = _theme("plain", PLAIN_COLORS, dark=True)

DARK = _theme("cachetui-dark", DARK_COLORS, dark=True)

LIGHT = _theme("cachetui-light", LIGHT_COLORS, dark=False)

THEMES = (THEME, DARK, LIGHT)

NAMES = tuple(dict.fromkeys([*(theme.name for theme in THEMES), *sorted(BUILTIN_THEMES)]))
"""The themes that can be asked for, the browser's own first."""


def theme_on(background: Color) -> Theme:
    """The theme with colours that can all be read on this background; the plain one if neither has such."""
    for theme, colors in ((DARK, DARK_COLORS), (LIGHT, LIGHT_COLORS)):
        texts = (ThemeColor.parse(text).normalized for text in colors.texts)
        if all(contrast(text, background) >= TEXT for text in texts):
            return theme
    return THEME


def variables_of(theme: Theme) -> dict[str, str]:
    """The variables of the style sheet for a theme of Textual's, which has no shades."""
    colors = theme.to_color_system().generate()
    text, accent = colors["foreground"], colors["primary"]
    heat = ((text, colors["background"]),) * len(PLAIN_COLORS.heat)
    named = {"good": colors["success"], "bad": colors["error"], "warn": colors["warning"], "match": colors["accent"]}
    return Colors(accent=accent, muted=text, line=text, bar=accent, heat=heat, **named).variables


def checked_theme(config: Config) -> tuple[str | None, list[str]]:
    """The theme that the settings ask for, None for none, and a line where there is no such theme."""
    if config.theme is None or config.theme in NAMES:
        return config.theme, []
    return None, [f"theme: {no_theme(config.theme)}"]


def no_theme(name: str) -> str:
    """That there is no theme of this name, and what the nearest is called."""
    from cachetui.model.edit_distance import nearest_names  # late: most themes that are asked for are there

    near = nearest_names(name, NAMES, 1)
    own = ", ".join(theme.name for theme in THEMES)
    there = f"nearest: {near[0]}" if near else f"there are {own} and those of Textual"
    return f"no theme {visible(name)}; {there}"


def contrast(one: Color, other: Color) -> float:
    """How much two colours differ in brightness, from 1 to 21 (WCAG 2)."""
    lighter, darker = sorted((_brightness(one), _brightness(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _brightness(color: Color) -> float:
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
