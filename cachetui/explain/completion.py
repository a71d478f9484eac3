"""What a half-written query may go on with, from what the catalogue holds.

The letters before the cursor say what is being written; `offers` has what there is of it under the rest of the query.
What would not give a query that can be read is left out. No shell and no screen in it.
Input: an index and the text of a query, which need not be one yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from itertools import islice

from cachetui.explain.offers import OFFERS, Rest, dependencies_instead, meant_keys, spelled_value
from cachetui.explain.second_name import names_instead
from cachetui.explain.unknown_values import UnknownValue, unknown_values
from cachetui.query.errors import QueryError
from cachetui.query.keys import with_blank
from cachetui.query.parts.facets import FitsPart, ValuePart
from cachetui.query.parts.names import NamePart
from cachetui.query.parts.variants import VariantPart
from cachetui.query.query import Query
from cachetui.query.values import compiler_name
from cachetui.search.index import Index
from cachetui.suggest.completion import Completion

MOST = 50
"""Most completions, unless another number is asked for."""

_WORD = r"[A-Za-z0-9_.-]*"
_PATTERNS = (
    ("value", re.compile(r"(?:^|(?<=\s))(?P<key>[A-Za-z0-9_]+)(?::=|!?=)(?:[^\s,:'\"]*[,:])*(?P<typed>[^\s,:'\"]*)$")),
    ("dependency", re.compile(r"\^\s*(?:\[[^\]]*\]\s*)?(?:[\w,-]+=)?(?P<typed>[A-Za-z0-9_.-]*)$")),
    ("compiler", re.compile(r"%\s*(?P<typed>[A-Za-z0-9_.-]*(?:@=?[A-Za-z0-9_.-]*)?)$")),
    ("version", re.compile(rf"@\s*(?:=|[A-Za-z0-9_.,:=-]*[,:]=?)?(?P<typed>{_WORD})$")),
    ("switch", re.compile(r"(?:^|(?<=[\sA-Za-z0-9_.]))(?P<sign>\+\+?|~~?|(?<!\S)-)(?P<typed>[A-Za-z0-9_-]*)$")),
    ("hash", re.compile(r"/(?P<typed>[a-z2-7]*)$")),
    ("name", re.compile(r"^\s*=?(?P<typed>[A-Za-z0-9_.-]*)$")),
    ("key", re.compile(r"(?<=\s)(?P<typed>[A-Za-z0-9_]*)$")),
)
"""What is being written, by the letters before the cursor; the first that fits."""

_DEPENDENCY = re.compile(r"\^\s*(?:\[[^\]]*\]\s*)?(?:[\w,-]+=)?(?P<name>[A-Za-z0-9_-]+)[^^]*$")
"""The dependency that the letters before the cursor are about."""

_DOUBLED = re.compile(r"([@%/^=+~,:])\1+")
"""A sign that is typed twice or more, one behind the other."""

_BEHIND = re.compile(r"[A-Za-z0-9_.-]*")


def completions(
    index: Index,
    text: str,
    cursor: int,
    limit: int | None = MOST,
    *,
    fuzzy_name: bool = False,
) -> list[Completion]:
    """How the word at the cursor (an offset in the text) may go on, best first; nothing for one that is complete.

    A key without a blank before it is mended: `hdf5 os=rhel8` for `hdf5os=rhel8`. So is a word that cannot be read, as
    a sign is typed twice in it: `@1` for `@@1`.
    All that is offered begins as typed; where no value of the catalogue does, what is spelled like it is offered.
    Versions and tags stand from the newest, other values by count, all of them counted under the rest of the query.
    """
    ways_on = _ways_on(index, text, cursor, limit, fuzzy_name)
    if any(not way.text.startswith(text[way.start : cursor]) for way in ways_on):
        ways_on = _meant(index, text, cursor, ways_on, fuzzy_name)[:limit]
    ways_on = ways_on or _with_sign_once(index, text, cursor, limit, fuzzy_name)
    behind = _BEHIND.match(text, cursor)
    end = behind.end() if behind else cursor
    if ways_on or not fuzzy_name or text.startswith(("=", "!="), end):
        return ways_on
    return [Completion(start, end, name) for start, name in islice(names_instead(index, text[:cursor]), limit)]


def _meant(index: Index, text: str, cursor: int, ways: list[Completion], fuzzy_name: bool) -> list[Completion]:
    """Of ways that do not go on as it is typed those that do not contradict it, in the order in which it is explained.

    Where what is typed is there, only what goes on with it; else first what is named as the nearest to it.
    """
    try:
        query = Query.parse(text, fuzzy_name=fuzzy_name, has_graph=bool(index.graph))
    except QueryError:
        return ways
    part = next((part for part in query.parts if part.start < cursor <= part.end), None)
    start, end = ways[0].start, ways[0].end
    typed = text[start:cursor]
    is_no_compiler = typed.startswith("%") and ways[0].text.startswith("^")
    if part is None or is_no_compiler or (isinstance(part, NamePart) and index.package_number(part.name) is None):
        return ways
    is_one = sum(1 for _ in part.named_values()) <= 1
    found = (each for each in unknown_values(index, query) if each.part is part)
    unknown = next((each for each in found if is_one or each.value == typed), None)
    if part.shares > 1 and any(each.part.start == part.start for each in unknown_values(index, query)):
        return ways  # a platform, an os and a target in one word
    if unknown is None:
        return [way for way in ways if _goes_on(typed, way.text)]
    words = [*_near_words(unknown, typed), *(way.text for way in ways)]
    return [Completion(start, end, word) for word in dict.fromkeys(words)]


def _goes_on(typed: str, word: str) -> bool:
    """Whether a word says more than what is typed, and nothing else: that of a compiler may have its other name."""
    return typed.lower() in word.lower() or word.startswith(compiler_name(typed))


def _near_words(unknown: UnknownValue, typed: str) -> list[str]:
    """The nearest to a value that nothing has, as they stand in its place."""
    part = unknown.part
    if isinstance(part, ValuePart):
        return [spelled_value(part.key, near) for near in unknown.near]
    if isinstance(part, FitsPart):
        return []  # what is near is the os alone
    if not isinstance(part, VariantPart):
        return [*unknown.near]
    if isinstance(part.value, bool):
        return [f"{typed[0]}{near}" for near in unknown.near]
    return [near.partition("=")[2] for near in unknown.near if near.startswith(f"{part.name}=")]


def _ways_on(index: Index, text: str, cursor: int, limit: int | None, fuzzy_name: bool) -> list[Completion]:
    """How the word at the cursor may go on as it is typed, or with its value or its key mended."""
    before = text[:cursor]
    found = ((kind, pattern.search(before)) for kind, pattern in _PATTERNS)
    kind, match = next(((kind, match) for kind, match in found if match), ("", None))
    if match is None:
        return _with_blank(before)
    behind = _BEHIND.match(text, cursor)
    end = behind.end() if behind else cursor
    sign = match["sign"] if kind == "switch" else ""
    start = match.start("typed") - len(sign)
    query = _readable(f"{before[: match.start()]} {text[end:]}", fuzzy_name, bool(index.graph))
    rest = Rest(index, query, _DEPENDENCY.search(before[: match.start()]))
    offered: Iterable[str] = dependencies_instead(rest, match["typed"]) if kind == "compiler" else ()
    if offered:
        start = match.start()
    else:
        offered = OFFERS[kind](rest, match)
    if kind in ("key", "name") and text.startswith("=", end):
        offered, end = (word for word in offered if word.endswith("=")), end + 1  # the sign stands there already
    others = (Completion(start, end, sign + word) for word in offered if sign + word != text[start:end])
    ways_on = list(islice(others, limit))
    wrong = partial(_completes_mistake, before[:start], has_graph=bool(index.graph))
    if kind == "version":  # a range may go on with some of them and not with others
        ways_on = [way for way in ways_on if not wrong(way.text)]
    elif ways_on and wrong(ways_on[0].text):
        return []
    if ways_on or kind != "value":
        return ways_on
    if apart := _with_blank(before):
        return apart
    begin, behind_key = match.span("key")
    return [Completion(begin, end, f"{key}{text[behind_key:end]}") for key in meant_keys(rest, match["key"])]


def _with_sign_once(index: Index, text: str, cursor: int, limit: int | None, fuzzy_name: bool) -> list[Completion]:
    """The word at the cursor with each sign once, and the ways on from there.

    The word itself too where it takes something, or has no way on. Nothing for a word that can be read, as `++mpi` of
    Spack, or that has no sign typed twice.
    """
    before = text[:cursor]
    start = before.rfind(" ") + 1
    word = _DOUBLED.sub(r"\1", before[start:])
    if word == before[start:]:
        return []
    try:
        Query.parse(before, fuzzy_name=fuzzy_name, has_graph=bool(index.graph))
        return []
    except QueryError as error:
        if error.column < start:
            return []
    mended = before[:start] + word
    behind = _BEHIND.match(text, cursor)
    end = behind.end() if behind else cursor
    ways_on = _ways_on(index, mended + text[end:], len(mended), limit, fuzzy_name)
    words = [mended[start : way.start] + way.text for way in ways_on if way.start >= start]
    try:
        query = Query.parse(mended, fuzzy_name=fuzzy_name, has_graph=bool(index.graph))
        if not words or index.rows(query):
            words.insert(0, word)
    except QueryError:  # it is not finished yet
        pass
    return [Completion(start, end, each) for each in words[:limit]]


def _with_blank(before: str) -> list[Completion]:
    """The last word with the blank that is missing before its key, where it has such a key."""
    word = (before.split(" ") or [""])[-1]
    start = len(before) - len(word)
    assigned = word.partition("=")[0].removesuffix("!")
    missing = with_blank(before, start + len(assigned)) if assigned != word else None
    return [] if missing is None else [Completion(start, len(before), missing[1])]


def _completes_mistake(before: str, word: str, *, has_graph: bool) -> bool:
    """Whether a text cannot be read where a word finishes it: then what the word is added to is wrong."""
    text = before + word
    try:
        Query.parse(text, fuzzy_name=True, has_graph=has_graph)
    except QueryError as error:
        return text.rfind(" ") < error.column < len(text)
    return False


def _readable(text: str, fuzzy_name: bool, has_graph: bool) -> Query:
    """The query of the text, or of as many of its words as can be read."""
    words = text.split()
    while words:
        try:
            return Query.parse(" ".join(words), fuzzy_name=fuzzy_name, has_graph=has_graph)
        except QueryError as error:
            # the word in which reading stopped is the one that is not finished
            column, at = error.column, 0
            for number, word in enumerate(words):
                if column <= at + len(word) or number == len(words) - 1:
                    del words[number]
                    break
                at += len(word) + 1
    return Query()
