"""Names that are too long for where they stand, without their middles and yet told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from cachetui.model.spec import HASH

LEAST_OF_NAME = 3
"""Letters of a name before what is kept of its version."""

LONG_NAME = 15
"""Letters from which on a name is of several parts, and says something without its middle."""

LEAST_LAST = 5
"""Characters from which on it does."""


def without_middle(text: str, width: int, cut: str, head: int | None = None) -> str:
    """The text in about so many characters: both ends stay, since names of a family differ at the end."""
    if len(text) <= width:
        return text
    head = (width - 1) // 2 if head is None else head
    return f"{text[:head]}{cut}{text[len(text) - (width - 1 - head) :]}"


def versioned(text: str, width: int, cut: str) -> str:
    """A name and its version in so many characters: what is missing is of the name, as far as enough of it is left.

    Else the version is cut behind a number of it, and is marked as cut, or what stands last where the name has room.
    """
    name, _, version = text.rpartition("@")
    room = width - 2 - LEAST_OF_NAME - name[:LEAST_OF_NAME].endswith("-")
    if len(version) <= room:
        return without_middle(text, width, cut, min(width // 2, width - 2 - len(version)))
    while len(version) >= room and "." in version:
        version = version.rpartition(".")[0]
    if len(version) >= room or len(name) < width - 1:
        return text[: width - 1] + cut
    return f"{name[: width - 3 - len(version)]}{cut}@{version}{cut}"


def before_hash(text: str, cut: str) -> str:
    """A text up to the whole hash behind its first slash, and `cut` in place of what follows; else as it is."""
    head, slash, rest = text.partition("/")
    return f"{head}{slash}{cut}" if HASH.match(rest) else text


def last_name(word: str, width: int, cut: str) -> str:
    """What is shown of a long name as the last word of a text, without its middle; nothing where few characters are
    left, nor of a hash or a value."""
    is_name = len(word) >= LONG_NAME and word.isascii() and "=" not in word and not HASH.search(word)
    return without_middle(word, width, cut) if is_name and width >= LEAST_LAST else ""


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
