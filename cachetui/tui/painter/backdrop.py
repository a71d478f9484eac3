"""Show the screen below a dialog by its lines as they are.

Textual renders the whole screen below again with Rich each time that a dialog is laid out, which takes as long as all
the rest. Private part of Textual used here: the lines of `_compositor`. If the screen below is tinted, Textual
renders it.
"""

from rich.segment import Segment
from textual.css.styles import RulesMap
from textual.geometry import Size
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import Screen, ScreenResultType
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual, VisualType


class OverScreen(Screen[ScreenResultType]):
    """A screen that leaves some lines of the screen below it in sight."""

    def render(self) -> VisualType:  # type: ignore[override]  # a widget may give a Visual, a Screen says otherwise
        rendered = super().render()
        if isinstance(rendered, BackgroundScreen) and rendered.color.a == 0:
            return Backdrop(rendered.screen)
        return rendered


class Backdrop(Visual):
    """The lines of a screen, without the targets of clicks."""

    def __init__(self, screen: Screen[object]) -> None:
        self._screen = screen

    def render_strips(self, width: int, height: int | None, style: Style, options: RenderOptions) -> list[Strip]:
        size = self._screen.size if height is None else Size(width, height)
        return [_shown(strip) for strip in self._screen._compositor.render_strips(size)]

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return self._screen.size.width

    def get_height(self, rules: RulesMap, width: int) -> int:
        return self._screen.size.height


def _shown(strip: Strip) -> Strip:
    if not any(style and (style._meta or style._link) for _, style, _ in strip):
        return strip
    return Strip(
        [Segment(text, style and style.clear_meta_and_links(), control) for text, style, control in strip],
        strip.cell_length,
    )
