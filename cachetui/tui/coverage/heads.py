"""The column heads of a coverage table. Adjacent heads share a common prefix: `e4s` above `rocm` and `oneapi`."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, groupby
from operator import itemgetter

from cachetui.tui.lines import fit, measure

MAX_LINES = 3
"""Maximum number of lines in a head."""

MAX_HEAD_CELLS = 48
"""Maximum width of a column name, in cells. A longer name is cut in the middle."""

BREAK = re.compile(r"(?<!x86)[-_@]|(?<=[a-z]{2})(?=\d)")
"""A possible line break in a name: a symbol, or the boundary between a word and a number, as in `ubuntu22.04`."""


def heads(names: Sequence[str], least: int) -> tuple[list[tuple[str, ...]], list[int]]:
    """Return the lines of each column head, and the width of each column: at least `least` cells.

    All heads have the same number of lines. A shared line may be as wide as all its columns together.
    """
    shown = [fit(name, MAX_HEAD_CELLS, middle=True) for name in names]
    sharing = Counter(name[: place.start()] for name in shown for place in BREAK.finditer(name))
    broken = [_broken(name, sharing, least) for name in shown]
    height = max(map(len, broken), default=1)
    tops = [len(each) > 1 and sharing[each[0]] > 1 for each in broken]  # shared lines come first, then the empty lines
    lines = [(*each[:top], *[""] * (height - len(each)), *each[top:]) for each, top in zip(broken, tops, strict=True)]
    widths = [max(least, measure(each[-1])) for each in lines]
    for k in range(height - 1):
        for upper, group in groupby(enumerate(each[: k + 1] for each in lines), itemgetter(1)):
            columns = [column for column, _ in group]
            for lack in range(measure(upper[-1]) + 1 - sum(widths[column] + 1 for column in columns)):
                widths[columns[lack % len(columns)]] += 1
    return lines, widths


def _broken(name: str, sharing: Counter[str], least: int) -> tuple[str, ...]:
    """Split a name into the lines that make its column narrowest. A line shared by n columns counts 1/n of its width.

    `sharing` contains the number of names with each prefix. Only shared lines end between a word and a number.
    """
    places = [at.span() for at in BREAK.finditer(name) if at.group() or sharing[name[: at.start()]] > 1]
    ways: dict[tuple[str, ...], tuple[float, float]] = {}
    for some in (some for number in range(MAX_LINES) for some in combinations(places, number)):
        starts, ends = (0, *(end for _, end in some)), (*(start for start, _ in some), len(name))
        lines = tuple(name[start:end] for start, end in zip(starts, ends, strict=True))
        needed = [measure(line) / sharing[name[:end]] for line, end in zip(lines, ends[:-1], strict=False)]
        ways[lines] = max(least, measure(lines[-1]), *needed), len(needed) + sum(needed)
    return min(ways, key=ways.__getitem__)
