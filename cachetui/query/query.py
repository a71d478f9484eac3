"""What is wanted: a query as a value that is parsed, printed back and changed one value at a time.

A query is frozen; two are equal when they have the same parts in any order. It is changed as parts; its text is
made when somebody asks for it, from what was typed as far as that still stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from cachetui.model.facets import VALUE_KEYS
from cachetui.model.spec import tag_meant
from cachetui.query.parser import parse
from cachetui.query.parts.facets import CompilerPart, FacetPart, FitsPart, ValuePart
from cachetui.query.parts.names import NamePart, VersionPart
from cachetui.query.parts.part import Part
from cachetui.query.values import Word

if TYPE_CHECKING:
    from cachetui.model.host import Host


class Query(Struct, frozen=True, eq=False):
    """Everything that a row must meet; without parts it takes every row."""

    parts: tuple[Part, ...] = ()
    """In the order in which they were typed."""
    fuzzy_name: bool = False
    """Whether a bare name that no package has stands for those like it."""

    @classmethod
    def parse(cls, text: str, *, fuzzy_name: bool = False, has_graph: bool = False) -> Query:
        """Read a query; raises QueryError, without `has_graph` for what needs a dependency graph too."""
        return cls(parse(text, fuzzy_name=fuzzy_name, has_graph=has_graph), fuzzy_name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Query):
            return NotImplemented
        return frozenset(self.parts) == frozenset(other.parts)

    def __ne__(self, other: object) -> bool:
        return not self == other  # a struct has one of its own, by identity

    def __hash__(self) -> int:
        return hash(frozenset(self.parts))

    def __bool__(self) -> bool:
        return bool(self.parts)

    def __str__(self) -> str:
        """The canonical text, which reads back as an equal query with the same `fuzzy_name`."""
        parts = sorted(dict.fromkeys(self.parts), key=lambda part: part.place)
        return _joined(
            (part.text, before == "name" and part.key == "version")
            for before, part in zip(["", *(part.key for part in parts)], parts, strict=False)
        )

    @property
    def line(self) -> str:
        """The parts in typed order, each as it was typed, with a blank between two only where one was or must be."""
        pieces: list[tuple[str, bool]] = []
        end = 0
        for part in _readable_order(self._printable()):
            pieces.append((part.typed or part.text, bool(part.typed) and 0 < part.start == end))
            end = part.end if part.typed else 0
        return _joined(pieces)

    @property
    def texts(self) -> tuple[str, ...]:
        """Each part as it stands in the line; one text can stand for several parts, as `arch=` does."""
        return tuple(dict.fromkeys(part.typed or part.text for part in self._printable()))

    def parts_spelled(self, text: str) -> tuple[Part, ...]:
        """The parts that one of the `texts` stands for."""
        shown = next((part for part in self._printable() if (part.typed or part.text) == text), None)
        if shown is None:
            return ()
        is_group = shown.shares > 1 and bool(shown.typed)
        return tuple(part for part in self.parts if part == shown or (is_group and part.shares > 1))

    def parts_of(self, key: str) -> tuple[Part, ...]:
        """The parts with this key; `%gcc` has the key `compiler`."""
        return tuple(part for part in self.parts if part.key == key)

    @property
    def tag(self) -> str | None:
        """The one tag that it takes; None for all or several."""
        tags = [value for part in self.facet_parts("tag") if not part.is_exclusion for value, _ in part.named_values()]
        return tags[0] if len(tags) == 1 else None

    @property
    def package(self) -> NamePart | None:
        """The part that names the package, exactly or fuzzily."""
        return next((part for part in self.parts if isinstance(part, NamePart)), None)

    @property
    def fits(self) -> FitsPart | None:
        """The part that names the host that specs have to run on."""
        return next((part for part in self.parts if isinstance(part, FitsPart)), None)

    @property
    def host(self) -> Host | None:
        """The host that specs have to run on."""
        return self.fits.host if self.fits else None

    def without(self, part: Part) -> Query:
        """The query that does not ask for this part."""
        return self._with(other for other in self.parts if other != part)

    def without_key(self, key: str) -> Query:
        """The query without any part of this key."""
        return self._with(part for part in self.parts if part.key != key)

    def only_key(self, key: str) -> Query:
        """The query with nothing but the parts of this key."""
        return self._with(self.parts_of(key))

    def with_part(self, part: Part) -> Query:
        """The query that asks for this part too, in place of what cannot stand beside it."""
        parts = self._replaced([other for other in self.parts if other.clashes(part)], self._untyped(part))
        return self._with(sorted(parts, key=lambda each: each.key != "name"))

    def with_instead(self, old: Part, new: Sequence[Part]) -> Query | None:
        """The query with these parts in place of one; None where another part cannot stand beside them."""
        if any(other != old and other.clashes(part) for other in self.parts for part in new):
            return None
        parts = [each for part in self.parts for each in (map(self._untyped, new) if part == old else (part,))]
        return self._with(sorted(parts, key=lambda each: each.key != "name"))

    def spelled_for(self, *, fuzzy_name: bool) -> Query:
        """The same query for a place that reads bare names in this way; the name of a package means the same there."""
        parts = [_read_as(part, fuzzy_name) if isinstance(part, NamePart) else part for part in self.parts]
        return Query(tuple(parts), fuzzy_name)

    def ticked(self, facet: str, values: Iterable[str]) -> frozenset[str]:
        """Those of the values that the facet's parts ask for; none where it has no part."""
        wanted, _ = self._filters(facet)
        if not wanted:
            return frozenset()
        # where a row has many values, several parts each ask for some of them
        asked = any if VALUE_KEYS[facet].many else all
        chosen = frozenset(value for value in values if asked(part.holds(value) for part in wanted))
        return chosen - self.excluded(facet, chosen)

    def excluded(self, facet: str, values: Iterable[str]) -> frozenset[str]:
        """Those of the values that the facet's parts leave out."""
        _, unwanted = self._filters(facet)
        return frozenset(value for value in values if any(part.holds(value) for part in unwanted))

    def toggled(self, facet: str, value: str, values: Sequence[str]) -> Query:
        """Tick a value, or take its tick away, among all values of the facet."""
        ticked = self.ticked(facet, [*values, value])
        if value in ticked:
            return self._unticked(facet, value, values)
        free = self._released(facet, value, values)
        wanted, _ = free._filters(facet)
        if not wanted:
            return free._with([*free.parts, ValuePart.of(facet, [value])])
        last = wanted[-1]
        if value in free.ticked(facet, [value]):
            return free
        if isinstance(last, ValuePart) and (len(wanted) == 1 or VALUE_KEYS[facet].many):
            return free._with(free._replaced([last], ValuePart.of(facet, [*last.words, value])))
        return free._with(free._replaced(wanted, ValuePart.of(facet, [*ticked, value])))

    def exclusion_toggled(self, facet: str, value: str, values: Sequence[str]) -> Query:
        """Leave a value out, or no longer does, among all values of the facet."""
        if value in self.excluded(facet, [value]):
            return self._released(facet, value, values)
        free = self._unticked(facet, value, values) if value in self.ticked(facet, [value]) else self
        _, unwanted = free._filters(facet)
        if not unwanted:
            return free._with([*free.parts, ValuePart.of(facet, [value], excluded=True)])
        last = unwanted[-1]
        return free._with(free._replaced([last], ValuePart.of(facet, [*last.words, value], excluded=True)))

    def facet_parts(self, facet: str) -> list[FacetPart]:
        """The parts about one facet, or about the tag."""
        return [part for part in self.parts if isinstance(part, FacetPart) and part.key == facet]

    def with_tags_meant(self, tags: Sequence[str]) -> Query:
        """The query with the tags that `latest` and `previous` mean among these."""
        return self._with(_with_tags_meant(part, tags) if isinstance(part, ValuePart) else part for part in self.parts)

    def _filters(self, facet: str) -> tuple[list[FacetPart], list[ValuePart]]:
        """The facet's parts: those that ask for values, and those that leave some out."""
        own = self.facet_parts(facet)
        unwanted = [part for part in own if isinstance(part, ValuePart) and part.excluded]
        return [part for part in own if not part.is_exclusion], unwanted

    def _unticked(self, facet: str, value: str, values: Sequence[str]) -> Query:
        wanted, _ = self._filters(facet)
        if VALUE_KEYS[facet].many or (len(wanted) == 1 and isinstance(wanted[0], ValuePart)):
            return self._with(_reduced(self.parts, wanted, value, values))
        others = _others(facet, self.ticked(facet, values), value)
        return self._with(self._replaced(wanted, ValuePart.of(facet, others) if others else None))

    def _released(self, facet: str, value: str, values: Sequence[str]) -> Query:
        """The query that does not leave out this value."""
        _, unwanted = self._filters(facet)
        if not any(part.holds(value) for part in unwanted):
            return self
        return self._with(_reduced(self.parts, unwanted, value, values))

    def _replaced(self, old: Sequence[Part], new: Part | None) -> list[Part]:
        """The parts with one part in place of some, or at the end where there are none of them."""
        parts: list[Part] = []
        for part in self.parts:
            if part not in old:
                parts.append(part)
            elif new is not None:
                parts.append(new)
                new = None
        return parts if new is None or old else [*parts, new]

    def _with(self, parts: Iterable[Part]) -> Query:
        return Query(tuple(parts), self.fuzzy_name)

    def _printable(self) -> list[Part]:
        """The parts, an `arch=` once for all of its parts; where some of them are gone each for itself."""
        group = [part for part in self.parts if part.shares > 1]
        if group and len(group) == group[0].shares:
            return [part for part in self.parts if part.shares == 1 or part is group[0]]
        return [replace(part, typed="") if part.shares > 1 else part for part in self.parts]

    def _untyped(self, part: Part) -> Part:
        """The part as one that nobody typed, its name read as others here."""
        part = replace(part, start=0, end=0, shares=1, typed="")
        return _read_as(part, self.fuzzy_name) if isinstance(part, NamePart) else part


def _read_as(part: NamePart, fuzzy: bool) -> NamePart:
    return replace(part, fuzzy=fuzzy and not part.namespace)


def _with_tags_meant(part: ValuePart, tags: Sequence[str]) -> ValuePart:
    if part.key != "tag":
        return part
    named = [word for word, _ in part.named_values()]
    meant = [tag_meant(word, tags) for word in named]
    if meant == named:
        return part
    return replace(ValuePart.of("tag", meant, excluded=part.excluded), start=part.start, end=part.end)


def _reduced(parts: Iterable[Part], old: Sequence[Part], value: str, values: Sequence[str]) -> Iterable[Part]:
    """The parts with a value taken out of some; a word that named other values too is replaced by these."""
    for part in parts:
        if not isinstance(part, ValuePart) or part not in old or not part.holds(value):
            yield part
            continue
        own = ValuePart.of(part.key, [value]).words[0]
        words: list[Word] = []
        for word in part.words:
            if not part.holds_by(word, value):
                words.append(word)
            elif word != own:
                words += _others(part.key, [other for other in values if part.holds_by(word, other)], value)
        if words:
            yield ValuePart.of(part.key, words, excluded=part.excluded)


def _others(facet: str, values: Iterable[str], value: str) -> list[str]:
    """The values that can be asked for without asking for this one, as a bare `gcc` would for `gcc@11`."""
    return [other for other in values if not ValuePart.of(facet, [other]).holds(value)]


def _readable_order(parts: Sequence[Part]) -> list[Part]:
    """The parts in an order in which their texts read back as the same parts.

    Dependencies come last, those with `^` at the very end, since what follows one belongs to it. A version does not
    follow a bare `%gcc`, whose version it would become.
    """
    ordered: list[Part] = []
    for part in sorted(parts, key=lambda part: part.place[:2] if part.column == "dependency" else (0, 0)):
        before = ordered[-1] if ordered else None
        if isinstance(part, VersionPart) and isinstance(before, CompilerPart) and before.versions is None:
            ordered.insert(-1, part)
        else:
            ordered.append(part)
    return ordered


def _joined(pieces: Iterable[tuple[str, bool]]) -> str:
    """The texts with a blank before each that does not touch the one before it."""
    return "".join(text if touches else f" {text}" for text, touches in pieces).removeprefix(" ")
