"""The few signs that are drawn, in the terminal's encoding.

The app carries the class `-ascii` where the encoding is not UTF-8; everything that draws a sign
beyond ASCII asks `signs_of` for it.
"""

from __future__ import annotations

from typing import NamedTuple

from textual.dom import DOMNode

from cachetui.tui.rows.pictures import ASCII_BLOCKS, UNICODE_BLOCKS, Blocks


class Signs(NamedTuple):
    """One set of signs, each one cell wide."""

    cut: str
    """Stands for the text that did not fit."""
    rising: str
    falling: str
    thumb: str
    """The part of the scroll mark that shows where the view is."""
    left: str
    right: str
    """More columns on that side."""
    dot: str
    """Between things that stand side by side."""
    folded: str
    """Before the heading of what is folded, and of what is unfolded."""
    unfolded: str
    choice: str
    """Suffix of what opens a list to choose from."""
    close: str
    """Suffix of a filter, which can be taken out."""
    blocks: Blocks
    """What pictures are made of."""


UNICODE = Signs(
    cut="…",
    rising="▲",
    falling="▼",
    thumb="┃",
    left="‹",
    right="›",
    dot="·",
    folded="▸",
    unfolded="▾",
    choice="▾",
    close="✕",
    blocks=UNICODE_BLOCKS,
)
# No `~`, which is Spack's for "off", and no `>`, which is the cursor.
ASCII = Signs(
    cut="$",
    rising="^",
    falling="v",
    thumb="#",
    left="<",
    right=">",
    dot="-",
    folded="+",
    unfolded="-",
    choice="v",
    close="x",
    blocks=ASCII_BLOCKS,
)


def signs_of(node: DOMNode) -> Signs:
    """The signs for the app that the node belongs to."""
    return ASCII if node.app.has_class("-ascii") else UNICODE
