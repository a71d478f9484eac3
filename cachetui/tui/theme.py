"""The themes: for a dark background, for a light background, with 256 colours, with 16 colours, without colours.

The 256 colours are the same in all terminals, but each terminal has its own 16 colours. If the background is unknown,
texts have the terminal's own foreground; only symbols, and words next to a symbol, have colours.

In the dark and light themes, the row under the cursor has a tint (another background), and its texts keep their
colours. In the other themes, this row is reversed or has two colours. All other rows have the terminal's own
background.
"""

from typing import NamedTuple

from textual.color import Color as ThemeColor
from textual.theme import BUILTIN_THEMES, Theme

from cachetui.safe_text import visible
from cachetui.settings.settings import Config

Color = tuple[float, float, float]
"""Red, green and blue, from 0 to 1."""

OWN = "ansi_default"
"""The terminal's own foreground or background."""

TEXT = 4.5
"""The minimum contrast of text, from 1 to 21 (WCAG 2, level AA)."""


class Colors(NamedTuple):
    """The colours of a theme, by their meaning."""

    accent: str = OWN
    """The focus: the title and the rule of the focused pane, and the bar to the left of the row under the cursor."""
    muted: str = OWN
    """Labels, column headings, hints, the host, and specs that do not run on the host."""
    line: str = OWN
    good: str = OWN
    """Specs that run on the host; new and selected items."""
    bad: str = OWN
    """Missing, removed and unreadable items; errors."""
    warn: str = OWN
    """Unknown and changed items; warnings."""
    match: str = OWN
    """Matches of the typed text, and marks."""
    bar: str = OWN
    cursor: tuple[str, str] | None = None
    """The colours of text and background in the row under the cursor, if `tint` is empty. None to reverse the row."""
    tint: str = ""
    """The background of the row under the cursor, whose texts keep their colours. Empty in themes without a tint."""

    @property
    def variables(self) -> dict[str, str]:
        """The style sheet variables for colours and text styles that are not part of Textual's themes."""
        found = {name: self._asdict()[name] for name in ("muted", "line", "good", "bad", "warn", "match", "bar")}
        text, background = (OWN, self.tint) if self.tint else self.cursor or (self.accent, OWN)
        return found | {
            "muted-text-style": "dim" if self.muted == OWN else "none",
            "match-text-style": "bold" if self.match.startswith("#") else "bold underline",
            "cursor-text": text,
            "cursor": background,
            "cursor-text-style": "none" if self.tint else "not dim" if self.cursor else "reverse not dim",
        }


COLORS_16 = Colors(
    good="ansi_green",
    bad="ansi_red",
    warn="ansi_yellow",
    match="ansi_magenta",
    cursor=("ansi_black", "ansi_cyan"),
)

COLORS_256 = Colors(
    accent="#0087af",
    muted="#808080",
    good="#5f8700",
    bad="#d75f5f",
    warn="#af8700",
    match="#af5fd7",
    bar="#808080",
    cursor=("#000000", "#0087af"),
)

DARK_COLORS = Colors(
    accent="#5fd7ff",
    muted="#a8a8a8",
    line="#585858",
    good="#87d787",
    bad="#ff8787",
    warn="#ffd75f",
    match="#d7afff",
    bar="#87afd7",
    tint="#3a3a3a",
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
    tint="#e4e4e4",
)


def _theme(name: str, colors: Colors, *, dark: bool) -> Theme:
    """Return a theme with these colours on the terminal's own background."""
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


TRUE_TINT = "#263a46"
"""The tint of the dark theme in a terminal with true colour."""

THEME = _theme("plain", Colors(), dark=True)

DARK = _theme("cachetui-dark", DARK_COLORS, dark=True)

LIGHT = _theme("cachetui-light", LIGHT_COLORS, dark=False)

THEME_256 = _theme("cachetui-256", COLORS_256, dark=True)

THEME_16 = _theme("cachetui-16", COLORS_16, dark=True)

THEMES = (THEME, DARK, LIGHT, THEME_256, THEME_16)

NAMES = tuple(theme.name for theme in THEMES)
"""The names of all themes."""


def theme_on(background: Color | None, *, has_256: bool = True) -> Theme:
    """Return the theme (dark or light) whose texts are readable on this background.

    If the texts of both themes are unreadable, return the theme without colours.

    If the background is None (unknown), return the theme with 256 colours.
    If the terminal has fewer than 256 colours, always return the theme with 16 colours.
    """
    if background is None or not has_256:
        return THEME_256 if has_256 else THEME_16
    for theme, colors in ((DARK, DARK_COLORS), (LIGHT, LIGHT_COLORS)):
        texts = (colors.accent, colors.muted, colors.good, colors.bad, colors.warn, colors.match)
        if all(contrast(ThemeColor.parse(text).normalized, background) >= TEXT for text in texts):
            return theme
    return THEME


def checked_theme(config: Config) -> tuple[str | None, list[str]]:
    """Return the theme from the config file. If this theme is unknown, return None and an error message."""
    if config.theme is None or config.theme in NAMES:
        return config.theme, []
    return None, [f"theme: {no_theme(config.theme)}"]


def no_theme(name: str) -> str:
    """Return the error message for an unknown theme, with the nearest name."""
    from cachetui.model.edit_distance import nearest_names  # import late, because most requested themes exist

    near = nearest_names(name, NAMES, 1)
    there = f"nearest: {near[0]}" if near else f"choose one of {', '.join(NAMES)}"
    return f"no theme {visible(name)}; {there}"


def contrast(one: Color, other: Color) -> float:
    """Return the contrast between two colours, from 1 to 21 (WCAG 2)."""
    lighter, darker = sorted((_brightness(one), _brightness(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _brightness(color: Color) -> float:
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
