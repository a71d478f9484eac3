"""A query: a frozen value that is parsed, printed and edited one part or value at a time.

Two queries are equal when they have the same parts, in any order. Edits work on parts; the text is made when it is
needed, and contains the typed text unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cachetui.model.host import Host
from cachetui.model.spec import VALUE_KEYS
from cachetui.model.tags import tag_meant
from cachetui.query.parser import in_order, parse, refuse
from cachetui.query.parts import (
    CompilerPart,
    DependencyPart,
    FacetPart,
    FitsPart,
    NamePart,
    Part,
    ValuePart,
    VersionPart,
)
from cachetui.query.tokens import COMPILER, OURS
from cachetui.settings.settings import Settings

OF_A_SPEC = frozenset(
    ("version", "variant", "flag", "compiler", "dependency", *(key for key in VALUE_KEYS if VALUE_KEYS[key].in_spack))
)
"""The keys of the terms that Spack reads in a spec, except name and hash."""


class Query(Struct, frozen=True, eq=False):
    """A query matches a row if all parts match it. A query without parts matches every row."""

    parts: tuple[Part, ...] = ()
    """The parts, in the order in which they were typed."""

    @classmethod
    def parse(
        cls, text: str, *, fuzzy_name: bool = False, has_graph: bool = False, settings: Settings | None = None
    ) -> Query:
        """Read a query; raises QueryError.

        `fuzzy_name`: whether a name that no package has stands for those like it.
        `has_graph`: whether the content has a dependency graph, without which some parts are an error.
        `settings`: the host of `fits=here` and the toolchains; None for this machine and none.
        """
        parts = parse(text, fuzzy_name=fuzzy_name, settings=settings)
        if not has_graph:
            refuse(parts)
        return cls(parts)

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
        """Return the canonical text, which reads back as an equal query."""
        parts = in_order(dict.fromkeys(self.parts))
        return _joined(
            (part.text, before == "name" and part.key == "version")
            for before, part in zip(["", *(part.key for part in parts)], parts, strict=False)
        )

    @property
    def line(self) -> str:
        """The typed text of the parts that are still in the query; it reads back as an equal query."""
        pieces: list[tuple[str, bool]] = []
        end = 0
        for part in _readable_order(self._printable()):
            pieces.append((part.typed or part.text, bool(part.typed) and 0 < part.start == end))
            end = part.end if part.typed else 0
        return _joined(pieces)

    @property
    def spelled(self) -> dict[str, tuple[Part, ...]]:
        """The words of `line`, each with its parts; `arch=` and toolchains have several."""
        return {part.typed or part.text: self._sharing(part) if part.typed else (part,) for part in self._printable()}

    def parts_of(self, key: str) -> tuple[Part, ...]:
        """Return the parts with this key; `%gcc` has the key `compiler`."""
        return tuple(part for part in self.parts if part.key == key)

    @property
    def tag(self) -> str | None:
        """The requested tag; None for none or several."""
        wanted, _ = self._filters("tag")
        tags = [str(word) for part in wanted if isinstance(part, ValuePart) for word in part.words]
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
        """Return the query without this part."""
        return self._with(other for other in self.parts if other != part)

    def without_key(self, key: str) -> Query:
        """Return the query without any part of this key."""
        return self._with(part for part in self.parts if part.key != key)

    def only_key(self, key: str) -> Query:
        """Return the query with only the parts of this key."""
        return self._with(self.parts_of(key))

    def of_package(self, name: str) -> Query:
        """Return a query for this package with only the terms that Spack reads in a spec, but no hash."""
        return Query((NamePart(name), *(part for part in self.parts if part.key in OF_A_SPEC)))

    def with_part(self, part: Part) -> Query:
        """Return the query with this part added; it replaces a part that contradicts it."""
        alone = replace(part, start=0, end=0, shares=1, typed=part.typed if part.shares == 1 else "")
        gone = [other for other in self.parts if other == part or (part.once and other.once == part.once)]
        found = self._replaced(gone, alone)
        return self._with(sorted(found.parts, key=lambda each: each.key != "name"))

    def ticked(self, facet: str, values: Iterable[str]) -> frozenset[str]:
        """Return the values of a facet that the query asks for, of these values."""
        wanted, _ = self._filters(facet)
        if not wanted:
            return frozenset()
        # where a row has many values, several parts each ask for some of them
        asked = any if VALUE_KEYS[facet].many else all
        chosen = frozenset(value for value in values if asked(part.holds(value) for part in wanted))
        return chosen - self.excluded(facet, chosen)

    def excluded(self, facet: str, values: Iterable[str]) -> frozenset[str]:
        """Return the values of a facet that the query excludes (`os!=`), of these values."""
        _, unwanted = self._filters(facet)
        return frozenset(value for value in values if any(part.holds(value) for part in unwanted))

    def toggled(self, facet: str, value: str, values: Sequence[str], *, excluded: bool = False) -> Query:
        """Return the query with a value selected (or `excluded`), or without it if it is selected already.

        `values`: all values of the facet.
        """
        was_so = value in (self.excluded(facet, [value]) if excluded else self.ticked(facet, [value]))
        if was_so is excluded:
            free = self._reduced(facet, value, values, excluded=True)
        else:
            free = self._one_list(facet, values)._reduced(facet, value, values, excluded=False)
        if was_so or (not excluded and value in free.ticked(facet, [value])):
            return free
        if not excluded:
            free = free._one_list(facet, values)
        own = free._filters(facet)[excluded][-1:]
        words = [word for part in own if isinstance(part, ValuePart) for word in part.words]
        return free._replaced(own, ValuePart.of(facet, [*words, value], excluded=excluded))

    @property
    def named_tags(self) -> tuple[str, ...]:
        """The words of the terms about tags, as typed."""
        return tuple(str(word) for part in self.parts_of("tag") for word in getattr(part, "words", ()))

    def with_tags_meant(self, tags: Sequence[str]) -> Query:
        """Return the query with one of these tags instead of `latest` or `previous`; parts keep their typed text."""
        return self._with(_with_tags_meant(part, tags) if isinstance(part, ValuePart) else part for part in self.parts)

    def _filters(self, facet: str) -> tuple[list[FacetPart], list[ValuePart]]:
        """Return the parts of a facet: those that ask for values, and those that exclude values."""
        own = [part for part in self.parts if isinstance(part, FacetPart) and part.key == facet]
        unwanted = [part for part in own if isinstance(part, ValuePart) and part.excluded]
        return [part for part in own if not part.excluded], unwanted

    def _one_list(self, facet: str, values: Iterable[str]) -> Query:
        """Return the query with one list of the selected values in place of the facet's terms, such as `%gcc`.

        Parts of a facet of which a row has many values stay, as each asks for values of its own.
        """
        wanted, _ = self._filters(facet)
        if VALUE_KEYS[facet].many or not wanted or (len(wanted) == 1 and isinstance(wanted[0], ValuePart)):
            return self
        return self._replaced(wanted, ValuePart.of(facet, self.ticked(facet, values)))

    def _reduced(self, facet: str, value: str, values: Sequence[str], *, excluded: bool) -> Query:
        """Return the query without a value in the lists of a facet; of a word such as `gcc` the other values stay."""
        parts: list[Part] = []
        for part in self.parts:
            if not isinstance(part, ValuePart) or part.key != facet or part.excluded is not excluded:
                parts.append(part)
                continue
            words = [word for word in part.words if not part.holds_by(word, value)]
            told = ValuePart.of(facet, [*words, value])
            words += [other for other in values if part.holds(other) and not told.holds(other)]
            if words:
                parts.append(part if words == [*part.words] else ValuePart.of(facet, words, excluded=excluded))
        return self._with(parts)

    def _replaced(self, old: Sequence[Part], new: Part) -> Query:
        """Return the query with one new part at the place of the first old one, or at the end if there is none."""
        at = next((at for at, part in enumerate(self.parts) if part in old), len(self.parts))
        return self._with([*self.parts[:at], new, *(part for part in self.parts[at:] if part not in old)])

    def _with(self, parts: Iterable[Part]) -> Query:
        return Query(tuple(parts))

    def _sharing(self, part: Part) -> tuple[Part, ...]:
        """Return the parts that share a typed word with this one, such as those of `arch=` or of a toolchain."""
        return (
            (part,)
            if part.shares == 1
            else tuple(each for each in self.parts if each.shares > 1 and each.start == part.start)
        )

    def _printable(self) -> list[Part]:
        """Return the terms to print: the first of a whole word for all of its terms, or the rest of it."""
        whole = [(part, self._sharing(part)) for part in self.parts]
        return [
            part if len(own) == part.shares else replace(part, typed="")
            for part, own in whole
            if part is own[0] or len(own) < part.shares
        ]


def _with_tags_meant(part: ValuePart, tags: Sequence[str]) -> ValuePart:
    if part.key != "tag":
        return part
    return replace(part, words=ValuePart.of("tag", [tag_meant(str(word), tags) for word in part.words]).words)


def _readable_order(parts: Sequence[Part]) -> list[Part]:
    """Return the parts in an order in which their texts read back as the same parts.

    Dependencies come last, those with `^` at the very end: a term after one would belong to it. A version
    does not follow a bare `%gcc`, whose version it would become.
    """

    def rank(part: Part) -> int:
        return isinstance(part, DependencyPart) and 2 - part.direct

    # keys that Spack does not have belong to the spec itself wherever they stand
    ranks = [rank(part) for part in parts if isinstance(part, CompilerPart) or part.key not in OURS]
    ordered: list[Part] = []
    for part in parts if ranks == sorted(ranks) else sorted(parts, key=rank):
        at = len(ordered)
        while isinstance(part, VersionPart) and at and _takes_version(ordered[at - 1]):
            at -= 1
        ordered.insert(at, part)
    return ordered


def _takes_version(part: Part) -> bool:
    """Return whether the parser would read a version after this part as the version of this part."""
    return bool(re.fullmatch(COMPILER, part.typed or part.text))


def _joined(pieces: Iterable[tuple[str, bool]]) -> str:
    """Join texts with spaces; a text with True gets no space before it."""
    return "".join(text if touches else f" {text}" for text, touches in pieces).removeprefix(" ")
