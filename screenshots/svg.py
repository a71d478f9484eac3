"""Draws screens of a terminal as SVG, one or several that follow each other, without script, network or own font.

Input: the cells of each screen. Lines and blocks are drawn as shapes, so that they join whatever the font is. A row
that stays from one screen to the next is drawn once; it is shown and hidden by keyframes of CSS.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import accumulate, groupby
from typing import NamedTuple

from rich.cells import cell_len

WIDTH, HEIGHT, FONT, MARGIN = 8.4, 17, 14, 12
"""Of a cell, of the font and around the screen, in pixels."""

THIN, THICK = 1.2, 2.6
"""Of lines, in pixels."""

ARMS = {"─": "lr", "━": "LR", "│": "ud", "┃": "UD", "┬": "lrd", "├": "rud", "╭": "rd", "╮": "ld", "╰": "ru", "╯": "lu"}
"""Where the lines of a character go: left, right, up, down; thick ones in capitals."""

BLOCKS = {sign: (0, 0, k / 8, 1) for k, sign in enumerate("▏▎▍▌▋▊▉█", 1)} | {"▄": (0, 0.5, 1, 0.5)}
"""Where a block is in its cell: x, y, width and height."""

FAMILY = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"


class Style(NamedTuple):
    """How a cell looks: the colours of text and background as `#rrggbb`, empty for the terminal's own."""

    color: str = ""
    behind: str = ""
    bold: bool = False
    underlined: bool = False


class Paper(NamedTuple):
    """The terminal's own colours."""

    text: str
    background: str


DARK, LIGHT = Paper("#d6dae0", "#16181d"), Paper("#22262c", "#fcfcfa")

Row = tuple[tuple[str, Style], ...]
"""Texts with their styles, from left to right."""


Span = tuple[int, int]
"""The numbers of the first and of the last screen that something stands on."""


class Shown(NamedTuple):
    """A screen, and for how many seconds it is shown."""

    rows: Sequence[Row]
    seconds: float = 1.0


def drawn(screens: Sequence[Shown], paper: Paper, what: str) -> str:
    """Return an SVG of the screens, one after the other and again and again; `what` tells what there is to see."""
    width = max(sum(cell_len(text) for text, _ in row) for row in screens[0].rows) * WIDTH + 2 * MARGIN
    height = len(screens[0].rows) * HEIGHT + 2 * MARGIN
    ends = list(accumulate(screen.seconds for screen in screens))
    body, spans = list[str](), set[tuple[int, int]]()
    for y in range(len(screens[0].rows)):
        for row, same in groupby(enumerate(screens), key=lambda each: each[1].rows[y]):
            numbers = [k for k, _ in same]
            span = numbers[0], numbers[-1]
            name = "" if len(numbers) == len(screens) else f' class="{_name(span)}"'
            if shapes := "".join(_row(row, y, paper)):
                spans |= {span} if name else set()
                body.append(f"<g{name}>{shapes}</g>\n")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 {width:g} {height:g}" role="img">\n'
        f"<title>{escape(what)}</title>\n<style>\n"
        f"text{{font:{FONT}px {FAMILY};fill:{paper.text};white-space:pre}}.b{{font-weight:bold}}"
        f".u{{text-decoration:underline}}\n{''.join(_keyframes(spans, ends))}</style>\n"
        f'<rect width="100%" height="100%" rx="8" fill="{paper.background}"/>\n{"".join(body)}</svg>\n'
    )


def _name(span: Span) -> str:
    return f"f{span[0]}_{span[1]}"


def _keyframes(spans: Iterable[Span], ends: Sequence[float]) -> Iterator[str]:
    """Yield the rules that show what stands on the screens from one number to another."""
    starts, whole = [0.0, *ends], ends[-1]
    for span in sorted(spans):
        begin, end = (100 * seconds / whole for seconds in (starts[span[0]], ends[span[1]]))
        hidden = "0%{visibility:hidden}" if begin else ""
        gone = f"{end:.3f}%{{visibility:hidden}}" if end < 100 else ""
        yield f"@keyframes {_name(span)}{{{hidden}{begin:.3f}%{{visibility:visible}}{gone}}}"
        yield f".{_name(span)}{{animation:{_name(span)} {whole:g}s step-end infinite}}\n"


def _row(row: Row, y: int, paper: Paper) -> Iterator[str]:
    """Yield the shapes and texts of a row."""
    x = 0
    for text, style in row:
        length = cell_len(text)
        if style.behind:
            yield _rectangle(x * WIDTH, y * HEIGHT, length * WIDTH, HEIGHT, style.behind)
        at = x
        for kind, group in groupby(text, key=lambda sign: sign if sign in ARMS or sign in BLOCKS else ""):
            part = "".join(group)
            if kind:
                yield from _shapes(kind, at, y, len(part), style.color or paper.text)
            elif part.strip():
                yield from _words(part, at, y, style)
            at += cell_len(part)
        x += length


def _words(text: str, x: int, y: int, style: Style) -> Iterator[str]:
    """Yield a text, as wide as its cells whatever the font is."""
    shown = text.strip()
    x += cell_len(text) - cell_len(text.lstrip())
    names = " ".join([*(["b"] if style.bold else []), *(["u"] if style.underlined else [])])
    looks = (f' class="{names}"' if names else "") + (f' style="fill:{style.color}"' if style.color else "")
    length = f'textLength="{cell_len(shown) * WIDTH:g}" lengthAdjust="spacingAndGlyphs"'
    yield f'<text x="{MARGIN + x * WIDTH:g}" y="{MARGIN + y * HEIGHT + 13}" {length}{looks}>{escape(shown)}</text>'


def _shapes(sign: str, x: int, y: int, times: int, color: str) -> Iterator[str]:
    """Yield the lines or the block of a character that stands several times side by side."""
    left, top = x * WIDTH, y * HEIGHT
    if sign in BLOCKS:
        from_left, from_top, width, height = BLOCKS[sign]
        repeated = times if width == 1 else 1
        for k in range(times // repeated):
            begin = left + (k + from_left) * WIDTH
            yield _rectangle(begin, top + from_top * HEIGHT, width * repeated * WIDTH, height * HEIGHT, color)
        return
    arms = ARMS[sign]
    thick = THICK if arms.isupper() else THIN
    for k in range(1 if set(arms.lower()) == {"l", "r"} else times):
        middle, centre = left + (k + 0.5) * WIDTH, top + HEIGHT / 2
        across, down = set(arms.lower()) & {"l", "r"}, set(arms.lower()) & {"u", "d"}
        if across:
            begin = left + k * WIDTH if "l" in across else middle - thick / 2
            end = left + (k + (times if not down else 1)) * WIDTH if "r" in across else middle + thick / 2
            yield _rectangle(begin, centre - thick / 2, end - begin, thick, color)
        if down:
            begin = top if "u" in down else centre
            end = top + HEIGHT if "d" in down else centre
            yield _rectangle(middle - thick / 2, begin, thick, end - begin, color)


def _rectangle(x: float, y: float, width: float, height: float, color: str) -> str:
    place = f'x="{round(MARGIN + x, 2):g}" y="{round(MARGIN + y, 2):g}"'
    return f'<rect {place} width="{round(width, 2):g}" height="{round(height, 2):g}" fill="{color}"/>'
