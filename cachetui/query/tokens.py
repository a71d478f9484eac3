"""What a query is made of: a pattern for each kind of token, in the order in which they are tried.

No pattern goes back over what it has read: time grows with the length alone.
"""

from __future__ import annotations

import re

from cachetui.model.facets import VALUE_KEYS
from cachetui.query.values import COMPILERS, DOTTED, VALUE, VERSION

NAME = r"[A-Za-z0-9_][A-Za-z0-9_-]*+"
QUOTED = r"'(?:\\.|[^\\'])*+'|\"(?:\\.|[^\\\"])*+\""
_ANY_VALUE = rf"(?P<value>{VALUE}|{QUOTED})"
_REF = r"git\.[A-Za-z0-9_][A-Za-z0-9_./-]*+|[0-9A-Fa-f]{40}"
_RANGE = rf"(?:=?{VERSION})?+:(?:=?{VERSION}(?!\s*=))?"
_ITEM = rf"(?:{_RANGE}|=?{VERSION})"
_LIST = rf"(?P<versions>{_ITEM}(?:\s*,\s*{_ITEM})*+)"
_KEY = rf"(?P<key>{DOTTED})"
_VERSIONED = "|".join(name for name, facet in VALUE_KEYS.items() if facet.has_versions)
_PLAIN = "|".join(name for name, facet in VALUE_KEYS.items() if not facet.has_versions)

_FULL_NAME = rf"{NAME}(?:\.{NAME})*+"
_BRACKETS = r"\[(?P<properties>[^\]]*+)\]"
_PROVIDED = rf"(?P<virtuals>{NAME}(?:,{NAME})*+)"
_PROVIDED_ALONE = _PROVIDED.replace("virtuals", "languages")
_PROPERTIES = rf"(?:{_BRACKETS}\s*)?"
_VIRTUALS = rf"(?:{_PROVIDED}=)?"

TOKENS = [
    (kind, re.compile(pattern, re.DOTALL))
    for kind, pattern in (
        ("blank", r"\s+"),
        ("dependency", rf"\^\s*{_PROPERTIES}{_VIRTUALS}(?P<name>{_FULL_NAME})?"),
        ("closing", r"\]"),
        ("version", rf"@(?P<versions>(?:{_REF})={VERSION})"),
        ("version", rf"@(?P<versions>{_REF})"),
        ("version", rf"@\s*{_LIST}"),
        ("switch", rf"(?P<sign>\+\+|~~|--)\s*{_KEY}"),
        ("switch", rf"(?P<sign>[+~-])\s*{_KEY}"),
        ("value", rf"(?P<key>{_VERSIONED})(?P<operator>!?=)(?P<value>{COMPILERS})"),
        ("value", rf"(?P<key>{_VERSIONED})(?P<operator>!?=)(?P<value>{QUOTED})"),
        ("value", rf"(?P<key>{_PLAIN})(?P<operator>!=){_ANY_VALUE}"),
        ("value", rf"{_KEY}(?P<operator>:=){_ANY_VALUE}"),
        ("value", rf"{_KEY}(?P<operator>==){_ANY_VALUE}"),
        ("value", rf"{_KEY}(?P<operator>=){_ANY_VALUE}"),
        ("direct", rf"%\s*(?:{_BRACKETS}\s*(?:{_PROVIDED}=)?|{_PROVIDED_ALONE}=)(?P<name>{NAME})(?:\s*@\s*{_LIST})?"),
        ("languages", r"%\s*(?:\[|[A-Za-z]++(?:,[A-Za-z]++)*+=)"),
        ("compiler", rf"%\s*{_KEY}\s*@\s*{_LIST}"),
        ("compiler", rf"%\s*{_KEY}"),
        ("path", r"(?:\.|/|[A-Za-z0-9_-]++/)[A-Za-z0-9_./-]*\.(?:json|yaml)"),
        ("name", rf"(?P<name>{NAME}(?:\.{NAME})+)"),
        ("name", rf"(?P<name>{NAME})"),
        ("hash", r"/(?P<prefix>[A-Za-z0-9_]++)"),
    )
]
"""The first that fits is taken, as long as it can be."""
