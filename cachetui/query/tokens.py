"""The elements of a query: keys, kinds of tokens with their patterns, and the words of values.

No pattern backtracks, so the time is proportional to the length of the query. Groups are atomic, `(?>(?:a|b)*)`,
because Python 3.11.2 misreads possessive groups, `(?:a|b)*+`. A pattern is compiled when it is first needed.
"""

import re
from collections.abc import Sequence
from functools import cache

from msgspec import Struct

from cachetui.model.spec import COMPILER_ALIASES, FLAGS, VALUE_KEYS
from cachetui.model.targets import ancestors
from cachetui.model.version import natural_key

OURS = frozenset({"fits", *(name for name, facet in VALUE_KEYS.items() if not facet.in_spack)})
"""The keys of cachetui, which Spack does not accept."""

ARCH = ("arch", "architecture")
"""The keys whose value combines platform, os and target, such as `linux-rhel8-zen3`."""

_SPACKS = [key for facet in VALUE_KEYS.values() if facet.in_spack for key in (facet.name, *facet.spellings)]
RESERVED = frozenset({*_SPACKS, *ARCH, *FLAGS})
"""The keys that Spack reserves, so that no variant can have one of these names."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
"""The characters with which a name or key may begin."""

VALUE = r"[A-Za-z0-9_\-+*.,:=~/\\]++"
"""A value without quotes."""

VERSION = r"(?>[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?)"
DOTTED = r"[A-Za-z0-9_][A-Za-z0-9_.-]*+"
COMPILERS = rf"{DOTTED}(?:@=?{VERSION})?(?>(?:,{DOTTED}(?:@=?{VERSION})?)*)"
"""A list of NAME@VERSION without quotes."""

NAME = r"[A-Za-z0-9_][A-Za-z0-9_-]*+"
QUOTED = r"'(?>(?:\\.|[^\\'])*)'|\"(?>(?:\\.|[^\\\"])*)\""
_ANY_VALUE = rf"(?P<value>{VALUE}|{QUOTED})"
_REF = r"git\.[A-Za-z0-9_][A-Za-z0-9_./-]*+|[0-9A-Fa-f]{40}"
_RANGE = rf"(?>(?:=?{VERSION})?):(?:=?{VERSION}(?!\s*=))?"
_ITEM = rf"(?:{_RANGE}|=?{VERSION})"
_LIST = rf"(?P<versions>{_ITEM}(?>(?:\s*,\s*{_ITEM})*))"
_KEY = rf"(?P<key>{DOTTED})"
COMPILER = rf"%%?\s*{_KEY}"
"""A compiler of any version, or a toolchain."""
_VERSIONED = "|".join(name for name, facet in VALUE_KEYS.items() if facet.has_versions)
_PLAIN = "|".join(name for name, facet in VALUE_KEYS.items() if not facet.has_versions)

_FULL_NAME = rf"{NAME}(?>(?:\.{NAME})*)"
_BRACKETS = rf"\[(?P<properties>(?>(?:[^\]'\"]|{QUOTED})*))\]"
_PROVIDED = rf"(?P<virtuals>{NAME}(?>(?:,{NAME})*))"
_PROPERTIES = rf"(?:{_BRACKETS}\s*)?"
_VIRTUALS = rf"(?:{_PROVIDED}=)?"
_PREFIX = r"/(?P<prefix>[A-Za-z0-9_]++)"
_NODE = rf"(?:(?P<name>{NAME})(?:\s*@\s*{_LIST})?|{_PREFIX})"

_ANY = ""

TOKENS = (
    ("space", _ANY, "", r"\s+"),
    ("dependency", "^", "", rf"\^\s*{_PROPERTIES}{_VIRTUALS}(?P<name>{_FULL_NAME}|\*)?"),
    ("closing", "]", "", r"\]"),
    ("version", "@", "=", rf"@(?P<versions>(?:{_REF})={VERSION})"),
    ("version", "@", "", rf"@(?P<versions>{_REF})"),
    ("version", "@", "", rf"@\s*{_LIST}"),
    ("switch", "+~-", "", rf"(?P<sign>\+\+|~~|--|[+~-])\s*{_KEY}"),
    ("value", _LETTERS, "=", rf"(?P<key>{_VERSIONED})(?P<operator>!?=)(?P<value>{COMPILERS}|{QUOTED})"),
    ("value", _LETTERS, "!=", rf"(?P<key>{_PLAIN})(?P<operator>!=){_ANY_VALUE}"),
    ("value", _LETTERS, "=", rf"{_KEY}(?P<operator>:?==?){_ANY_VALUE}"),
    ("direct", "%", "[", rf"%%?\s*{_BRACKETS}\s*{_VIRTUALS}{_NODE}"),
    ("direct", "%", "=", rf"%%?\s*{_PROVIDED}={_NODE}"),
    ("direct", "%", "/", rf"%%?\s*{_PREFIX}"),
    ("languages", "%", "[", r"%%?\s*\["),
    ("languages", "%", "=", r"%%?\s*[A-Za-z]++(?>(?:,[A-Za-z]++)*)="),
    ("compiler", "%", "@", rf"{COMPILER}\s*@\s*{_LIST}"),
    ("compiler", "%", "", COMPILER),
    ("path", f"./-{_LETTERS}", ".", r"(?:\.|/|[A-Za-z0-9_-]++/)[A-Za-z0-9_./-]*\.(?:json|yaml)"),
    ("name", _LETTERS, ".", rf"(?P<name>{NAME}(?:\.{NAME})+)"),
    ("name", _LETTERS, "", rf"(?P<name>{NAME})"),
    ("anonymous", "*", "", r"\*(?![A-Za-z0-9_.*?-])"),
    ("hash", "/", "", _PREFIX),
)
"""For each kind of token: its first characters (`_ANY` for any), a string that the query must contain, and a pattern.

The first kind with a matching pattern is used.
"""


def token(text: str, at: int) -> tuple[str, re.Match[str]] | None:
    """Return the kind of the token at this offset and the match of its pattern; None for invalid text."""
    for kind, letters, held, pattern in TOKENS:
        if (letters == _ANY or text[at] in letters) and held in text and (match := _compiled(pattern).match(text, at)):
            return kind, match
    return None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)


# Values

ANY = frozenset({"*"})
"""The word for any value: `build_type=*`."""


class AnyValue(Struct, frozen=True):
    """The `*` of `os=*`, which matches every value."""

    def __str__(self) -> str:
        return "*"

    def holds(self, value: str) -> bool:
        """Return whether the value is not empty."""
        return bool(value)


class TargetRange(Struct, frozen=True):
    """A range of targets by ancestry, such as `x86_64_v3:`. Each end is a target of archspec; an open end is empty."""

    low: str
    high: str

    def __str__(self) -> str:
        return f"{self.low}:{self.high}"

    def holds(self, target: str) -> bool:
        """Return whether a target is `low` or a descendant of `low`, and is `high` or an ancestor of `high`."""
        below, up_to = ancestors(target) or (), ancestors(self.high) or ()
        return (not self.low or self.low in below) and (not self.high or target in up_to)


Word = str | TargetRange | AnyValue
"""One entry of a list of values."""


def word_key(word: Word) -> tuple[bool, tuple[tuple[int, int, str], ...], str]:
    """Return a key that sorts words in natural order, and ranges after words."""
    return not isinstance(word, str), natural_key(str(word)), str(word)


def compiler_name(name: str) -> str:
    """Return the name of a compiler in the spelling of Spack 1.x."""
    return COMPILER_ALIASES.get(name, name)


def spelled(
    words: Sequence[Word],
    *,
    escaped: str = ",",
    bare: str = VALUE,
    quoted: bool = False,
) -> str:
    """Return the words as one value, in quotes if necessary. Parsing the value gives the same words.

    `escaped`: the separators to escape inside a word. `bare`: the pattern of values that need no quotes. `quoted`:
    whether to always use quotes.
    """
    plain = ",".join(map(str, words))
    readable = re.fullmatch(bare, plain) and not plain.startswith("=")
    if readable and not quoted and not any(isinstance(word, str) and re.search(f"[{escaped}]", word) for word in words):
        return plain
    special = re.compile(rf"[\\'{escaped}]")
    texts = [special.sub(r"\\\g<0>", word) if isinstance(word, str) else str(word) for word in words]
    return f"'{','.join(texts)}'"
