"""The text of a query line while it is typed: the query of what can be read of it, what it lacks, what mends it.

Input: an index and the text, whose names are fuzzy. What is said is safe to show.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from cachetui.explain.mending import mended, mended_parts
from cachetui.explain.unknown_values import UnknownValue
from cachetui.model.likeness import nearest_names
from cachetui.query.errors import QueryError
from cachetui.query.keys import KEYS
from cachetui.query.parts.names import HashPart, NamePart
from cachetui.query.parts.part import Part
from cachetui.query.query import Query
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.search.results import Results
from cachetui.suggest.completion import Completion

NAMED_LETTERS = 40
"""Letters up to which offers are named in what is said of a line that is not kept."""

SURE_LETTERS = 3
"""Letters from which on a word that is like a key is surely meant to be one."""

_WANTED = (
    (r"=", "a value"),
    (r"@", "a version"),
    (r"%", "a compiler"),
    (r"\^", "a package"),
    (r"^[^=]*[+~]|^-", "a variant"),
)
"""What a word wants that ends in one of these signs."""

_KEY = re.compile(r"(?:^|(?<=\s))\w+(?::|!)?=$")
"""A key at the end whose value is still to come."""


def says_more(offer: Completion, text: str, cursor: int) -> bool:
    """Whether a way on has what is typed at its beginning, and more."""
    typed = text[offer.start : cursor]
    return offer.text.startswith(typed) and offer.text != typed


def may_go_on(index: Index, text: str, cursor: int, offers: Iterable[Completion], inside: str | None, tag: str) -> bool:
    """Whether one of the ways on has what is typed at its beginning; for who is `inside` a package, one that takes some
    of its specs, where what is typed is whole.

    `tag`: what of the query is not in the text, as a text.
    """
    ways = [offer.put_in(text) for offer in offers if says_more(offer, text, cursor)]
    number = None if inside is None else index.package_number(inside)
    if not ways or number is None or not _is_whole(index, typed_query(index, text), len(text)):
        return bool(ways)
    queries = (typed_query(index, way + tag) for way in ways if can_be_read(index, way + tag))
    return any(index.rows(query).intersect(index.package_rows(number)) for query in queries)


def _is_whole(index: Index, query: Query, end: int) -> bool:
    """Whether the last part of a text that ends there is a variant, or are values of a facet, that there are."""
    part = next((part for part in query.parts if part.end == end), None)
    if part is None or part.column not in ("variants", "facet"):
        return False
    return all(index.part_rows(alone) for _, alone in part.named_values())


def is_mistake(value: UnknownValue, end: int) -> bool:
    """Whether what nothing has is a mistake in a text that ends there, and is not just to be typed on.

    The key of a value that is typed may be one before that value is finished.
    """
    if value.part.end < end or value.apart:
        return True
    return bool(value.instead) and not value.instead.startswith(value.value)


def is_beginning(unknown: Sequence[UnknownValue], end: int) -> bool:
    """Whether the last value of a text that ends there is one that nothing has, and no name or hash."""
    last = [each for each in unknown if each.part.end == end and not (each.tags or each.takes_nothing_away)]
    return any(not isinstance(each.part, NamePart | HashPart) for each in last)


def is_put_right(index: Index, text: str, tag: str) -> bool:
    """Whether what stands last in a text is put right where that is kept; `tag`: what of the query is not in the text,
    as a text."""
    _, mendings = mended(Results.of(index, typed_query(index, text + tag)))
    return any(each.old.end == len(text) for each in mendings)


def not_yet(query: Query, unknown: Sequence[UnknownValue], end: int) -> str:
    """What to say of the part at the end of a text as long as it takes nothing and may go on."""
    value = next((each for each in unknown if each.part.end == end and not each.tags), None)
    is_setting = value is not None and value.kind == "variant" and "=" in value.value
    if value is not None and (is_setting or not value.settings):
        kind, name = value.value.split("=", 1) if is_setting else (value.kind_typed, value.value)
        return visible(f"{name} is no {kind} yet")
    return next((visible(f"{part.text} takes nothing yet") for part in query.parts if part.end == end), "")


def word_at(text: str, cursor: int) -> range:
    """Where the letters of the word at the cursor stand in a text."""
    start, end = text.rfind(" ", 0, cursor) + 1, text.find(" ", cursor)
    return range(start, end if end >= 0 else len(text))


def wanting(text: str) -> str:
    """What the last word of a text still wants, which can only not be read yet."""
    word = (text.split() or [""])[-1]
    what = next((what for end, what in _WANTED if re.search(f"(?:{end})$", word)), "")
    return f"{word} wants {what}" if what else f"{word} is not finished"


def ways_named(offers: Sequence[str]) -> str:
    """That the first offers are put in, as many as are named in few letters."""
    named = [offer for number, offer in enumerate(offers, 1) if len(", ".join(offers[:number])) <= NAMED_LETTERS]
    return f"offers {', '.join(named)}" if len(named) > 1 else f"puts in {offers[0]}"


def brief_text(error: QueryError) -> str:
    """What is wrong, without what to write."""
    return visible(error.message)


def way_to_mend(index: Index, text: str, first: Completion, problem: str, *, is_mistake: bool = True) -> str:
    """That the first offer is put in, where the problem names it, or where it is the mistake that it mends.

    A name that is typed behind another one is put in its place.
    """
    offer = visible(first.text)
    if is_mistake and " " in text[first.start :].rstrip():
        texts = text, first.put_in(text)
        old, new = (readable_beginning(each, has_graph=bool(index.graph)).package for each in texts)
        if old is not None and new is not None and old != new:
            return visible(f"puts {new.text} in place of {old.text}")
    if re.search(rf"(?<!\S){re.escape(offer)}(?![\w.@-])", problem):
        return "puts it in"
    return f"puts in {offer}" if is_mistake else ""


def can_be_read(index: Index, text: str) -> bool:
    try:
        typed_query(index, text)
    except QueryError:
        return False
    return True


def is_key(word: str) -> bool:
    """Whether a word is a key, or is surely meant to be one."""
    return word in KEYS or (word.isalpha() and len(word) >= SURE_LETTERS and bool(nearest_names(word, sorted(KEYS))))


def typed_query(index: Index, text: str) -> Query:
    """What is typed as a query; raises a `QueryError` where it cannot be read."""
    query = Query.parse(text, fuzzy_name=True, has_graph=bool(index.graph))
    return query.with_tags_meant(index.tags)


def mending_completions(wrong: Iterable[UnknownValue]) -> list[Completion]:
    """For values that nothing has what was probably meant by their parts, best first: where several of the nearest
    begin as typed, each of them."""
    parts = ((value.part, each) for value in wrong if value.part.shares == 1 for each in _meant_by(value))
    return [Completion(old.start, old.end, " ".join(part.text for part in new)) for old, new in parts if new]


def _meant_by(value: UnknownValue) -> Iterable[tuple[Part, ...]]:
    going_on = [near for near in value.near if near.startswith(value.value)]
    return (mended_parts(replace(value, near=(each,))) for each in going_on) if going_on[1:] else [mended_parts(value)]


def finished_query(query: Query, end: int) -> Query:
    """The query without the parts at the end of its text; a name is searched for letter by letter, so it stays.

    A word after other parts may become a key as well as a name.
    """
    for part in query.parts:
        if part.end == end and (part.key != "name" or part.start):
            query = query.without(part)
    return query


def readable_beginning(text: str, *, has_graph: bool) -> Query:
    """The query of as much of the text, from its beginning, as can be read."""
    while text:
        try:
            return Query.parse(text, fuzzy_name=True, has_graph=has_graph)
        except QueryError as error:
            without_key = _KEY.sub("", text)
            text = text[: min(error.column, len(text) - 1)] if without_key == text else without_key
    return Query()
