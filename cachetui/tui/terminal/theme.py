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
from cachetui.tui.terminal.background import Color, contrast

OWN = "ansi_default"
"""The terminal's own foreground or background."""

BLACK, WHITE = "#000000", "#ffffff"

TEXT = 4.5
"""The least contrast of text (WCAG 2, level AA)."""


class Colors(NamedTuple):
    """The colours of a theme; green, amber and red differ in lightness too."""

    key: str = OWN
    """Keys, headings, the cursor."""
    match: str = OWN
    """What was sought or marked."""
    green: str = OWN
    """What runs, came, is ticked."""
    amber: str = OWN
    """What is not known, or changed."""
    red: str = OWN
    """What does not run, went, is missing."""
    muted: str = OWN
    """What is the host's own business."""
    tag: str = OWN
    host: str = OWN
    picture: str = OWN
    """Bars."""
    shades: tuple[tuple[str, str], ...] = ((OWN, OWN),) * 4
    """Shades of numbers, from few to many: the colour of the text, and of its background."""

    @property
    def variables(self) -> dict[str, str]:
        """Those that Textual has no name for, by the names that the style sheet knows them by."""
        found = {"muted": self.muted, "tag": self.tag, "host": self.host, "picture": self.picture}
        for number, (text, background) in enumerate(self.shades, 1):
            found |= {f"heat-{number}": background, f"heat-{number}-text": text}
        return found

    @property
    def texts(self) -> tuple[str, ...]:
        """All that is read on the terminal's background; bars are only seen."""
        return self[:-2]


PLAIN_COLORS = Colors()

DARK_COLORS = Colors(
    key="#5fd7ff",
    match="#d7afff",
    green="#87d787",
    amber="#ffd75f",
    red="#ff8787",
    muted="#a8a8a8",
    tag="#87afff",
    host="#5fd7af",
    picture="#87afd7",
    shades=((WHITE, "#005f87"), (BLACK, "#0087af"), (BLACK, "#5fafd7"), (BLACK, "#afd7ff")),
)

LIGHT_COLORS = Colors(
    key="#005f87",
    match="#8700af",
    green="#005f00",
    amber="#875f00",
    red="#870000",
    muted="#585858",
    tag="#0000af",
    host="#005f5f",
    picture="#5f87af",
    shades=((BLACK, "#afd7ff"), (BLACK, "#87afd7"), (BLACK, "#5f87af"), (WHITE, "#005f87")),
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
        primary=colors.key,
        secondary=colors.key,
        accent=colors.match,
        warning=colors.amber,
        error=colors.red,
        success=colors.green,
        foreground=OWN,
        background=OWN,
        surface=OWN,
        panel=OWN,
        boost=OWN,
        variables=BUILTIN_THEMES["ansi-dark"].variables
        | plain
        | dict.fromkeys(("border", "footer-key-foreground", "link-color", "link-color-hover"), colors.key)
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
    text, background, key = colors["foreground"], colors["background"], colors["primary"]
    shades = ((text, background),) * len(PLAIN_COLORS.shades)
    return Colors(muted=text, tag=key, host=colors["secondary"], picture=key, shades=shades).variables


def checked_theme(config: Config) -> tuple[str | None, list[str]]:
    """The theme that the settings ask for, None for none, and a line where there is no such theme."""
    if config.theme is None or config.theme in NAMES:
        return config.theme, []
    return None, [config.mistake("theme", no_theme(config.theme))]


def no_theme(name: str) -> str:
    """That there is no theme of this name, and what the nearest is called."""
    from cachetui.model.likeness import nearest_names  # late: most themes that are asked for are there

    near = nearest_names(name, NAMES, 1)
    own = ", ".join(theme.name for theme in THEMES)
    there = f"nearest: {near[0]}" if near else f"there are {own} and those of Textual"
    return f"no theme {visible(name)}; {there}"
