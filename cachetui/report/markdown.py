"""Texts as Markdown shows them: words that it takes for nothing of its own, and what is to be pasted as a code span.

What is read goes through `visible`, so that a text is one line and nothing of it acts on a terminal or hides.
"""

from __future__ import annotations

import re

from cachetui.safe_text import visible


class Code(str):
    """A text that is there to be pasted: a command, a query, a spec. Other formats write it as it stands."""

    __slots__ = ()


_OWN_SIGN = re.compile(r"[\\`*\[\]<>|&]|_(?:(?<![A-Za-z0-9]_)|(?![A-Za-z0-9]))|~(?:(?<=\S~)|(?![A-Za-z0-9]))")
"""A sign that Markdown takes for one of its own; not `_` within a word and not `~` before one, which it shows."""

_FENCES = re.compile("`+")


def markdown_word(text: str) -> str:
    """A text that Markdown shows as it stands; of code it is a code span, which is also raw what is to be pasted."""
    if isinstance(text, Code):
        return _code_span(visible(text))
    return _OWN_SIGN.sub(r"\\\g<0>", visible(text))


def markdown_cell(text: str) -> str:
    """The same within a table; code with a `|`, which would end a cell within a code span too, is no code there."""
    return markdown_word(str(text) if "|" in text else text)


def _code_span(text: str) -> str:
    """Between fences of more backticks than any run that the text has."""
    if not text.strip(" "):
        return text
    fence = "`" * (1 + max(map(len, _FENCES.findall(text)), default=0))
    # one blank at each side is taken away, so that a backtick or a blank can stand at an end
    needs_room = text[0] in "` " or text[-1] in "` "
    return f"{fence} {text} {fence}" if needs_room else f"{fence}{text}{fence}"
