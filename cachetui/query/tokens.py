"""What a query is made of: keys, a pattern for each kind of token in the order in which they are tried, and values.

No pattern goes back over what it has read: time grows with the length alone. Groups are atomic, `(?>(?:a|b)*)`: Python
3.11.2 reads a possessive one, `(?:a|b)*+`, otherwise. A pattern is compiled when a text may
hold its token for the first time: most queries need few of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from msgspec import Struct

from cachetui.model.facets import VALUE_KEYS
from cachetui.model.spec import COMPILER_ALIASES, FLAGS, natural_key
from cachetui.model.targets import ancestors

OURS = frozenset({"fits", *(name for name, facet in VALUE_KEYS.items() if not facet.in_spack)})
"""The keys that Spack's own queries do not have."""

ARCH = ("arch", "architecture")
"""The keys for platform, os and target in one value."""

_SPACKS = [key for facet in VALUE_KEYS.values() if facet.in_spack for key in (facet.name, *facet.spellings)]
RESERVED = frozenset({*_SPACKS, *ARCH, *FLAGS})
"""The keys that Spack's own queries have too, so that no variant is called so."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
"""What a key, or the name of a variant, is made of."""

VALUE = r"[A-Za-z0-9_\-+*.,:=~/\\]++"
"""A value that needs no quotes."""

VERSION = r"(?>[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?)"
DOTTED = r"[A-Za-z0-9_][A-Za-z0-9_.-]*+"
COMPILERS = rf"{DOTTED}(?:@=?{VERSION})?(?>(?:,{DOTTED}(?:@=?{VERSION})?)*)"
"""A list of NAME@VERSION that needs no quotes."""

NAME = r"[A-Za-z0-9_][A-Za-z0-9_-]*+"
QUOTED = r"'(?>(?:\\.|[^\\'])*)'|\"(?>(?:\\.|[^\\\"])*)\""
_ANY_VALUE = rf"(?P<value>{VALUE}|{QUOTED})"
_REF = r"git\.[A-Za-z0-9_][A-Za-z0-9_./-]*+|[0-9A-Fa-f]{40}"
_RANGE = rf"(?>(?:=?{VERSION})?):(?:=?{VERSION}(?!\s*=))?"
_ITEM = rf"(?:{_RANGE}|=?{VERSION})"
_LIST = rf"(?P<versions>{_ITEM}(?>(?:\s*,\s*{_ITEM})*))"
_KEY = rf"(?P<key>{DOTTED})"
_VERSIONED = "|".join(name for name, facet in VALUE_KEYS.items() if facet.has_versions)
_PLAIN = "|".join(name for name, facet in VALUE_KEYS.items() if not facet.has_versions)

_FULL_NAME = rf"{NAME}(?>(?:\.{NAME})*)"
_BRACKETS = r"\[(?P<properties>[^\]]*+)\]"
_PROVIDED = rf"(?P<virtuals>{NAME}(?>(?:,{NAME})*))"
_PROPERTIES = rf"(?:{_BRACKETS}\s*)?"
_VIRTUALS = rf"(?:{_PROVIDED}=)?"
_NAME_AT = rf"(?P<name>{NAME})(?:\s*@\s*{_LIST})?"

_ANY = ""

TOKENS = (
    ("blank", _ANY, "", r"\s+"),
    ("dependency", "^", "", rf"\^\s*{_PROPERTIES}{_VIRTUALS}(?P<name>{_FULL_NAME})?"),
    ("closing", "]", "", r"\]"),
    ("version", "@", "=", rf"@(?P<versions>(?:{_REF})={VERSION})"),
    ("version", "@", "", rf"@(?P<versions>{_REF})"),
    ("version", "@", "", rf"@\s*{_LIST}"),
    ("switch", "+~-", "", rf"(?P<sign>\+\+|~~|--|[+~-])\s*{_KEY}"),
    ("value", _LETTERS, "=", rf"(?P<key>{_VERSIONED})(?P<operator>!?=)(?P<value>{COMPILERS}|{QUOTED})"),
    ("value", _LETTERS, "!=", rf"(?P<key>{_PLAIN})(?P<operator>!=){_ANY_VALUE}"),
    ("value", _LETTERS, "=", rf"{_KEY}(?P<operator>[:=]?=){_ANY_VALUE}"),
    ("direct", "%", "[", rf"%\s*{_BRACKETS}\s*{_VIRTUALS}{_NAME_AT}"),
    ("direct", "%", "=", rf"%\s*{_PROVIDED}={_NAME_AT}"),
    ("languages", "%", "[", r"%\s*\["),
    ("languages", "%", "=", r"%\s*[A-Za-z]++(?>(?:,[A-Za-z]++)*)="),
    ("compiler", "%", "@", rf"%\s*{_KEY}\s*@\s*{_LIST}"),
    ("compiler", "%", "", rf"%\s*{_KEY}"),
    ("path", f"./-{_LETTERS}", ".", r"(?:\.|/|[A-Za-z0-9_-]++/)[A-Za-z0-9_./-]*\.(?:json|yaml)"),
    ("name", _LETTERS, ".", rf"(?P<name>{NAME}(?:\.{NAME})+)"),
    ("name", _LETTERS, "", rf"(?P<name>{NAME})"),
    ("hash", "/", "", r"/(?P<prefix>[A-Za-z0-9_]++)"),
)
"""Each kind with the letters that it may begin with, what the text must hold, and its pattern.

The first that fits is taken, at its full length.
"""


def token(text: str, at: int) -> tuple[str, re.Match[str]] | None:
    """Return the kind of the token at this place, and what its pattern found; None where there is none."""
    for kind, letters, held, pattern in TOKENS:
        if (letters == _ANY or text[at] in letters) and held in text and (match := _compiled(pattern).match(text, at)):
            return kind, match
    return None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)


# Values

ANY = frozenset({"*"})
"""The words of `build_type=*`: whatever they are."""


class TargetRange(Struct, frozen=True):
    """`x86_64_v3:`, by ancestry; both ends are known targets or empty for open."""

    low: str
    high: str

    def __str__(self) -> str:
        return f"{self.low}:{self.high}"

    def holds(self, target: str) -> bool:
        """Return whether the target is a descendant of the low end and an ancestor of the high one."""
        below, up_to = ancestors(target) or (), ancestors(self.high) or ()
        return (not self.low or self.low in below) and (not self.high or target in up_to)


Word = str | TargetRange
"""One entry of a list of values; a compiler is in its normal spelling."""


def word_key(word: Word) -> tuple[bool, tuple[tuple[int, int, str], ...], str]:
    """Sort words in natural order, ranges after them."""
    return isinstance(word, TargetRange), natural_key(str(word)), str(word)


def compiler_name(name: str) -> str:
    """Return the name of a compiler as Spack 1.x spells it."""
    return COMPILER_ALIASES.get(name, name)


def spelled(
    words: Sequence[Word],
    *,
    escaped: str = ",",
    bare: str = VALUE,
    quoted: bool = False,
) -> str:
    """Return the words as one value that reads back as these words, in quotes where it must be or is asked for."""
    names = [word for word in words if isinstance(word, str)]
    plain = ",".join(map(str, words))
    separators = re.compile(f"[{escaped}]")
    readable = re.fullmatch(bare, plain) and not plain.startswith("=")
    if readable and not quoted and not any(map(separators.search, names)):
        return plain
    special = re.compile(rf"[\\'{escaped}]")
    texts = [special.sub(r"\\\g<0>", word) if isinstance(word, str) else str(word) for word in words]
    return f"'{','.join(texts)}'"
