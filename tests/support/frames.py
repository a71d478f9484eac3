"""Frames made of lines of text, and styles to draw with."""

from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from cachetui.tui.painter.cells import PLAIN, Canvas, Frame, look_of

COLOR_NAMES = ["default", "red", "bright_blue", "color(200)", "#204060"]

STYLES = st.builds(
    Style,
    color=st.sampled_from([None, *COLOR_NAMES]),
    bgcolor=st.sampled_from([None, *COLOR_NAMES]),
    bold=st.booleans(),
    dim=st.booleans(),
    italic=st.booleans(),
    underline=st.booleans(),
    reverse=st.booleans(),
    strike=st.booleans(),
)
"""Styles of all kinds, as Rich has them."""


def frame_of(*lines: str) -> Frame:
    """Return a screen of plain lines, as wide as the first line. The cursor is in the top left corner."""
    canvas = Canvas(cell_len(lines[0]), len(lines))
    for y, line in enumerate(lines):
        canvas.draw(0, y, [(line, PLAIN)])
    return canvas.frame((0, 0))


def draw_on(canvas: Canvas, x: int, y: int, text: str, codes: str) -> None:
    """Draw a string in the style of these SGR codes."""
    canvas.draw(x, y, [(text, look_of(codes))])
