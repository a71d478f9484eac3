"""What is put in place of the values of a query that nothing has: what they are surely, or probably, a slip of.

Input: an index and a query, or what a query found. Invariant: a value that any row has is never changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import reduce

from msgspec import Struct
from msgspec.structs import replace

from cachetui.explain.fuzzy_name import is_misspelt
from cachetui.explain.host_names import surely_meant
from cachetui.explain.only_way_on import only_way_left, only_way_on
from cachetui.explain.unknown_values import HOST_OS, UnknownValue, unknown_values
from cachetui.model.likeness import only_slip
from cachetui.query.errors import QueryError
from cachetui.query.parts.facets import FitsPart
from cachetui.query.parts.names import HashPart, NamePart
from cachetui.query.parts.part import Part
from cachetui.query.parts.variants import VariantPart
from cachetui.query.query import Query
from cachetui.query.values import ANY
from cachetui.search.index import Index
from cachetui.search.results import Results

SUCH_HOST = "such host"
"""What a mistyped host is not, in `Mending.kind`."""


class Mending(Struct, frozen=True):
    """What is put in place of a part of a query."""

    old: Part
    new: tuple[Part, ...]
    kind: str
    """What the part would be the name of, and is not."""
    value: str
    """What is no name of such a kind, as it was typed."""

    @property
    def kind_named(self) -> str:
        """The kind as it stands before what is no name of it."""
        return "host" if self.kind == SUCH_HOST else self.kind

    @property
    def phrase(self) -> str:
        """One line for a person."""
        return instead_text(self.old.text, self.kind, " ".join(part.text for part in self.new))


def instead_text(old: str, kind: str, new: str) -> str:
    """That a text stands in place of one that is no name of such a kind, in one line."""
    return f"{old}: no {kind}; {new} instead"


class MendedQuery(Struct, frozen=True):
    """A query with what was probably meant in place of one or several of its parts."""

    query: Query
    specs: int
    mendings: tuple[Mending, ...]

    @property
    def phrase(self) -> str:
        """What is in place of what, in one line."""
        texts = (f"{' '.join(part.text for part in each.new)} for {each.old.text}" for each in self.mendings)
        return f"with {', '.join(texts)}"


def mended_queries(index: Index, query: Query, unknown: Iterable[UnknownValue]) -> list[MendedQuery]:
    """The query with the parts put right that are spelled like what there is: first all of them, then each alone.

    Only what gives some specs; a part that was to leave something out is put right though that gives no more.
    """
    needless = {value.part for value in unknown if value.takes_nothing_away}
    meant = {
        value.part: Mending(value.part, parts, value.kind, value.value)
        for value in unknown
        if (parts := mended_parts(value))
    }
    choices = [(each,) for each in meant.values()]
    found = []
    for mendings in [tuple(meant.values()), *choices] if len(meant) > 1 else choices:
        other = query
        for each in mendings:
            other = reduce(Query.with_part, each.new, other.without(each.old))
        specs = index.counter(other)(index.rows(other))
        if specs or needless.issuperset(each.old for each in mendings):
            found.append(MendedQuery(other, specs, mendings))
    return found


def words_to_mend(index: Index, query: Query) -> int:
    """How many parts of a query are put right at once where that is offered first; 0 where it is not.

    The os of a host that is not known takes nothing away, so mending it brings nothing back.
    """
    unknown = [value for value in unknown_values(index, query) if value.kind != HOST_OS]
    first = next(iter(mended_queries(index, query, unknown)), None)
    return 0 if first is None else len(first.mendings)


def mended_parts(unknown: UnknownValue) -> tuple[Part, ...]:
    """The part with the nearest that there is in place of the unknown value, the two parts where a blank is missing.

    Nothing where nothing is like it.
    """
    part, value = unknown.part, unknown.value
    near = next(iter(unknown.near), "")
    if not (near or unknown.instead or unknown.apart):
        return ()
    if isinstance(part, FitsPart):
        return (FitsPart(replace(part.host, os=near)),)
    if unknown.apart:
        text = unknown.apart
    elif unknown.instead:
        if len(list(part.named_values())) > 1:
            return ()
        text = unknown.instead
    elif isinstance(part, VariantPart):
        is_switch = isinstance(part.value, bool)
        if is_switch == ("=" in near):
            return ()  # the name alone, whose value nobody knows
        text = f"{part.text[0]}{near}" if is_switch else near
    else:
        text = _with_value(part.text, value, near)
    try:
        parts = Query.parse(text, has_graph=True).parts
    except QueryError:
        return ()
    return parts if len(parts) == (2 if unknown.apart else 1) and parts[0] != part else ()


def _with_value(text: str, old: str, new: str) -> str:
    """The text of a part with another value; one that is the key too, or stands in another value, is not taken there.

    Empty where the text does not have the value as it is.
    """
    places = [*re.finditer(rf"(?<![\w.-]){re.escape(old)}(?![\w.-])", text)]
    return f"{text[: places[-1].start()]}{new}{text[places[-1].end() :]}" if places else ""


def mended(results: Results) -> tuple[Query, tuple[Mending, ...]]:
    """The query of what was found with its slips put right, and what was put in place of what.

    The name of the one package that was found, or that the name finds by itself, is put in place of a slip of it, and
    so is an os of the host that nothing knows. Other parts are changed where nothing was found, and each that nothing
    in the catalogue has is surely meant for one thing.
    """
    index, query = results.index, results.query
    mendings = []
    if (name := _name_mended(results)) and (named := query.with_instead(name.old, name.new)):
        mendings, query = [name], named
    if (host := _host_mended(index, query)) and (hosted := query.with_instead(host.old, host.new)):
        mendings, query = [*mendings, host], hosted
    if not results:
        for each in _values_mended(index, query):
            other = query.with_instead(each.old, each.new)
            if other is not None:
                mendings, query = [*mendings, each], other
    return query, tuple(mendings)


def _name_mended(results: Results) -> Mending | None:
    """The name of the one package that a slip of it finds in place of that.

    Where nothing was found, it is the one that the name finds by itself, as something else may be wrong too. A slip is
    a sign left out, doubled or swapped with its neighbour; with another sign or number another package may be meant.
    """
    named = results.query.package
    if named is None:
        return None
    by_name = results if results.packages else Results.of(results.index, results.query.only_key(named.key))
    found = by_name.packages
    if len(found) != 1 or not is_misspelt(by_name) or not only_slip(named.name, [found[0].name]):
        return None
    try:
        return Mending(named, (replace(named, name=found[0].name),), "package", named.text)
    except QueryError:  # no query can name it
        return None


def _host_mended(index: Index, query: Query) -> Mending | None:
    """The host with its os put right, which is surely a slip."""
    part = query.fits
    if part is None or not any(value.kind == HOST_OS for value in unknown_values(index, query.only_key(part.key))):
        return None
    meant = surely_meant_host(index, str(part.host))
    return Mending(part, (FitsPart.of(meant),), SUCH_HOST, str(part.host)) if meant else None


def surely_meant_host(index: Index, text: str) -> str:
    """The host that a text is surely a slip of; empty where that is not clear."""
    return surely_meant(text, index.values("os"))


def _values_mended(index: Index, query: Query) -> list[Mending]:
    """What was surely meant by the parts that nothing in the catalogue has; nothing where one of them is not clear."""
    unknown = [
        value
        for value in unknown_values(index, query)
        if not (value.tags or value.takes_nothing_away or value.kind == HOST_OS)
    ]
    rest = reduce(Query.without, {value.part for value in unknown}, query)
    found = [(value, _surely_meant(index, value, rest)) for value in unknown]
    is_clear = all(parts for _, parts in found) and len({value.part for value in unknown}) == len(unknown)
    return [Mending(value.part, parts, value.kind, value.value) for value, parts in found] if is_clear else []


def _surely_meant(index: Index, unknown: UnknownValue, rest: Query) -> tuple[Part, ...]:
    """What stands in place of a part, where that is one thing, and it is there; `rest`: the query without what nothing
    has.

    Nothing for an exact name or a hash, nor for what another package has: that is no slip.
    """
    part, parts = unknown.part, mended_parts(unknown)
    if unknown.instead or unknown.apart:
        return parts if all(map(index.part_rows, parts)) else ()
    if isinstance(part, NamePart | HashPart) or _is_elsewhere(index, unknown):
        return ()
    if part.column == "version" and any(map(str.isdigit, unknown.value)):
        return ()  # one that has a letter more is another version
    if left := only_way_left(index, unknown, rest):
        return mended_parts(replace(unknown, near=(left,)))
    near = next(iter(unknown.near), "")
    typed = part.name if isinstance(part, VariantPart) and isinstance(part.value, bool) else unknown.value
    slipped = only_slip(typed, unknown.near) if near else ""
    return parts if near and near in (slipped, only_way_on(index, unknown)) else ()


def _is_elsewhere(index: Index, unknown: UnknownValue) -> bool:
    """Whether another package has a version or a variant that this one has not; a switch also with any other value."""
    if unknown.package is None:
        return False
    own = (alone for value, alone in unknown.part.named_values() if value == unknown.value)
    is_switch = isinstance(unknown.part, VariantPart) and isinstance(unknown.part.value, bool)
    return any(index.part_rows(replace(each, value=ANY) if is_switch else each) for each in own)
