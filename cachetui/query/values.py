"""The values that a query names: words, ranges of targets, lists, and how they are spelled so that they read back."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from cachetui.model.spec import COMPILER_ALIASES, natural_key
from cachetui.model.targets import ancestors

VALUE = r"[A-Za-z0-9_\-+*.,:=~/\\]++"
"""A value that needs no quotes."""

VERSION = r"(?>[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?)"
DOTTED = r"[A-Za-z0-9_][A-Za-z0-9_.-]*+"
COMPILERS = rf"{DOTTED}(?:@=?{VERSION})?(?>(?:,{DOTTED}(?:@=?{VERSION})?)*)"
"""A list of NAME@VERSION that needs no quotes."""

ANY = frozenset({"*"})
"""The words of `build_type=*`: whatever they are."""


class TargetRange(Struct, frozen=True):
    """`x86_64_v3:`, by ancestry; both ends are known targets or empty for open."""

    low: str
    high: str

    def __str__(self) -> str:
        return f"{self.low}:{self.high}"

    def holds(self, target: str) -> bool:
        """Whether the target is a descendant of the low end and an ancestor of the high one."""
        if not self.low and not self.high:
            return True
        below = ancestors(target)
        if below is None:
            return False
        return (not self.low or self.low in below) and (not self.high or target in (ancestors(self.high) or ()))


Word = str | TargetRange
"""One entry of a list of values; a compiler is in its normal spelling."""


def word_key(word: Word) -> tuple[bool, tuple[tuple[int, int, str], ...], str]:
    """Sort words in natural order, ranges after them."""
    return isinstance(word, TargetRange), natural_key(str(word)), str(word)


def compiler_name(name: str) -> str:
    """The name of a compiler as Spack 1.x spells it."""
    return COMPILER_ALIASES.get(name, name)


def spelled(
    words: Sequence[Word],
    *,
    escaped: str = ",",
    bare: str = VALUE,
    quoted: bool = False,
) -> str:
    """The words as one value that reads back as these words, in quotes where it must be or is asked for."""
    names = [word for word in words if isinstance(word, str)]
    plain = ",".join(map(str, words))
    separators = re.compile(f"[{escaped}]")
    readable = re.fullmatch(bare, plain) and not plain.startswith("=")
    if readable and not quoted and not any(map(separators.search, names)):
        return plain
    special = re.compile(rf"[\\'{escaped}]")
    texts = [special.sub(r"\\\g<0>", word) if isinstance(word, str) else str(word) for word in words]
    return f"'{','.join(texts)}'"
