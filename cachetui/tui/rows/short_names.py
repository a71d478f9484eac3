"""Names that are too long for where they stand, without their middles and yet told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial


def without_middle(text: str, width: int, cut: str, head: int | None = None) -> str:
    """The text in about so many characters: both ends stay, since names of a family differ at the end."""
    if len(text) <= width:
        return text
    head = (width - 1) // 2 if head is None else head
    return f"{text[:head]}{cut}{text[len(text) - (width - 1 - head) :]}"


def told_apart(names: Sequence[str], widths: Sequence[int], cut: str) -> list[str]:
    """Each name in its width, without its middle; those that would read the same are cut elsewhere, if that helps."""
    texts = list(map(partial(without_middle, cut=cut), names, widths))
    half = (max(widths, default=0) - 1) // 2
    for head in (*range(half - 1, 0, -1), *range(half + 1, 2 * half)):
        same = {text for text, times in Counter(texts).items() if times > 1}
        if not same:
            break
        texts = [
            without_middle(name, width, cut, min(head, width - 2)) if text in same else text
            for name, width, text in zip(names, widths, texts, strict=True)
        ]
    return texts
