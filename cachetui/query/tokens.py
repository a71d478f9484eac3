"""What a query is made of: a pattern for each kind of token, in the order in which they are tried.

No pattern goes back over what it has read: time grows with the length alone. Groups are atomic, `(?>(?:a|b)*)`: Python
3.11.2 reads a possessive one, `(?:a|b)*+`, otherwise. A pattern is compiled when a text may
hold its token for the first time: most queries need few of them.
"""

from __future__ import annotations

import re
from functools import cache

from cachetui.model.facets import VALUE_KEYS
from cachetui.model.spec import FLAGS
from cachetui.query.values import COMPILERS, DOTTED, VALUE, VERSION

OURS = frozenset({"fits", "complete", *(name for name, facet in VALUE_KEYS.items() if not facet.in_spack)})
"""The keys that Spack's own queries do not have."""

ARCH = ("arch", "architecture")
"""The keys for platform, os and target in one value."""

_SPACKS = [key for facet in VALUE_KEYS.values() if facet.in_spack for key in (facet.name, *facet.spellings)]
RESERVED = frozenset({*_SPACKS, *ARCH, *FLAGS})
"""The keys that Spack's own queries have too, so that no variant is called so."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
"""What a key, or the name of a variant, is made of."""

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
    """The kind of the token at this place, and what its pattern found; None where there is none."""
    for kind, letters, held, pattern in TOKENS:
        if (letters == _ANY or text[at] in letters) and held in text and (match := _compiled(pattern).match(text, at)):
            return kind, match
    return None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)
