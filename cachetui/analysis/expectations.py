"""Expectations: what a catalogue should hold, one query for each name of a list or spec of a `spack.yaml`.

An environment is expanded as Spack does it (definitions, references, matrices, exclusions), except that a condition
(`when`) counts as met and dependencies (`^`) are dropped, since pages do not record them; notes say so.
Input: a file of the user's. What is read from it is untrusted text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, product
from math import prod
from typing import Any, Literal

from msgspec import Struct

from cachetui.explain.nearest import NearestBuild, nearest_builds
from cachetui.query.parse import QueryError
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.search.names import nearest_names

MOST = 20_000
"""So many specs an environment may stand for; a matrix of more is a mistake."""

DEEPEST = 20
"""References and matrices within each other."""

_REFERENCE = re.compile(r"\$([%^]?)([\w.-]+)")

_ENVIRONMENT = re.compile(r"^(spack|specs|definitions)\s*:", re.MULTILINE)

VerdictKind = Literal["covered", "differs", "missing", "unreadable"]


class ExpectError(Exception):
    """A file of expectations that cannot be read; the message says why."""


class Expectation(Struct, frozen=True):
    """One spec that should be there."""

    text: str
    """As it is written, a matrix multiplied out."""
    query: Query | None
    fault: str = ""
    """Why there is no query."""

    @property
    def package(self) -> str | None:
        """The package that it names."""
        named = self.query.package if self.query else None
        return named.name if named else None


class Expectations(Struct, frozen=True):
    entries: tuple[Expectation, ...]
    """In the order of the file, each once."""
    notes: tuple[str, ...]
    """What was passed over, for the user."""

    @property
    def packages(self) -> frozenset[str]:
        return frozenset(entry.package for entry in self.entries if entry.package)


class Verdict(Struct, frozen=True):
    """What there is of one expectation."""

    expectation: Expectation
    kind: VerdictKind
    """`differs`: there are builds of the package, but none as it should be; `missing`: there are none."""
    specs: int
    """Distinct hashes that meet it."""
    nearest: NearestBuild | None = None
    """Where none does the build that comes nearest, which may be of another tag."""


def verdicts(index: Index, query: Query, expectations: Expectations) -> tuple[Verdict, ...]:
    """What there is of each expectation among the specs that the query takes."""
    return tuple(_verdict(index, query, entry) for entry in expectations.entries)


def _verdict(index: Index, query: Query, entry: Expectation) -> Verdict:
    if entry.query is None:
        return Verdict(entry, "unreadable", 0)
    taken = index.rows(query)
    found = taken & index.rows(entry.query)
    if found:
        return Verdict(entry, "covered", _distinct(index, found))
    own = [index.part_rows(part) for part in entry.query.parts_of("name")]
    kind: VerdictKind = "differs" if own and taken.intersect(own[0]) else "missing"
    return Verdict(entry, kind, 0, next(iter(nearest_builds(index, _both(entry.query, query), 1)), None))


def _distinct(index: Index, rows: Iterable[int]) -> int:
    """How many hashes these rows have; a row without one counts by itself."""
    hashes, column = index.columns.hashes, index.columns.hash
    return len({column[row] if hashes.raw(column[row]) else -1 - row for row in rows})


def _both(entry: Query, query: Query) -> Query:
    """A query for what both ask; where they cannot stand beside each other the entry decides."""
    both = query
    for part in entry.parts:
        both = both.with_part(part)
    return both


# Reading


def read(path: str) -> Expectations:
    """Reads a file with names (or specs) one a line, or a `spack.yaml`; raises ExpectError."""
    try:
        with open(path, encoding="utf-8", errors="strict") as file:
            text = file.read()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ExpectError(f"{path} cannot be read: {reason}") from None
    try:
        return parse(text)
    except ExpectError as error:
        raise ExpectError(f"{path}: {error}") from None


def parse(text: str) -> Expectations:
    """The expectations of a text: an environment where it has such keys, else a list; raises ExpectError."""
    if _ENVIRONMENT.search(text):
        return _Environment(text).expectations()
    notes = _Notes()
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines())
    return _collected((_entry([line], notes) for line in lines if line), notes)


class _Notes:
    """What was passed over, each thing told once with its number."""

    def __init__(self) -> None:
        self.conditions = 0
        self.dependencies = 0

    def texts(self) -> Iterator[str]:
        if self.conditions:
            yield f"{_counted(self.conditions, 'definition has', 'definitions have')} a condition (when): taken as met"
        if self.dependencies:
            specs = _counted(self.dependencies, "spec names", "specs name")
            yield f"{specs} dependencies (^): not compared, the catalogue does not hold them"


def _collected(entries: Iterable[Expectation], notes: _Notes) -> Expectations:
    distinct = {entry.text: entry for entry in islice(entries, MOST + 1)}
    if len(distinct) > MOST:
        raise ExpectError(f"it stands for more than {MOST:,} specs")
    if not distinct:
        raise ExpectError("there is no spec in it: expected names, one a line, or the specs of a spack.yaml")
    return Expectations(tuple(distinct.values()), tuple(notes.texts()))


def _entry(pieces: Sequence[str], notes: _Notes) -> Expectation:
    """The expectation that the pieces of one spec make."""
    text = " ".join(pieces)
    try:
        query = _joined(pieces)
    except QueryError as error:
        return Expectation(text, None, str(error))
    if not query.parts_of("name"):
        return Expectation(text, None, "it names no package")
    notes.dependencies += "^" in text
    return Expectation(query.line, query)


def _joined(pieces: Iterable[str]) -> Query:
    """One query of the pieces of a spec, in any order and without its dependencies; raises QueryError."""
    parts = [part for piece in pieces for part in Query.parse(piece.partition("^")[0]).parts]
    parts.sort(key=lambda part: part.key != "name")
    return Query.parse(Query(tuple(parts)).line)


def _dependencies(pieces: Iterable[str]) -> set[str]:
    return {dependency.strip() for piece in pieces for dependency in piece.split("^")[1:]}


class _Environment:
    """A `spack.yaml`, or the part of one below `spack:`."""

    def __init__(self, text: str) -> None:
        import yaml  # here, because most commands meet no environment

        try:
            document = yaml.load(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
        except (yaml.YAMLError, RecursionError) as error:
            mark = getattr(error, "problem_mark", None)
            where = f" in line {mark.line + 1}: {getattr(error, 'problem', None)}" if mark else ""
            raise ExpectError(f"no readable YAML{where}") from None
        inner = document.get("spack", document) if isinstance(document, dict) else None
        if not isinstance(inner, dict) or not isinstance(inner.get("specs"), list):
            raise ExpectError("there is no list of specs in it")
        self._notes = _Notes()
        self._specs: list[Any] = inner["specs"]
        self._definitions: dict[str, list[Any]] = {}
        definitions = inner.get("definitions")
        for definition in definitions if isinstance(definitions, list) else ():
            self._define(definition)

    def _define(self, definition: object) -> None:
        if not isinstance(definition, dict):
            return
        self._notes.conditions += "when" in definition
        for name, values in definition.items():
            if name != "when" and isinstance(values, list):
                self._definitions.setdefault(str(name), []).extend(values)

    def expectations(self) -> Expectations:
        return _collected((_entry(pieces, self._notes) for pieces in self._pieces(self._specs, ())), self._notes)

    def _pieces(self, values: Iterable[object], within: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """Each spec of a list as the pieces that it is made of; `within` are the references that led here."""
        if len(within) > DEEPEST:
            raise ExpectError("it is nested too deep")
        for value in values:
            if isinstance(value, dict) and isinstance(value.get("matrix"), list):
                yield from self._matrix(value, within)
            elif not isinstance(value, str):
                raise ExpectError(f"{_shown(value)} is neither a spec nor a matrix; quote a spec that ends in a colon")
            elif reference := _REFERENCE.fullmatch(value.strip()):
                sigil, name = reference.groups()
                for pieces in self._pieces(self._referred(name, within), (*within, name)):
                    yield (sigil + pieces[0], *pieces[1:])
            else:
                yield (value,)

    def _referred(self, name: str, within: tuple[str, ...]) -> list[Any]:
        if name in within:
            raise ExpectError(f"${name} refers to itself")
        if name not in self._definitions:
            near = nearest_names(name, list(self._definitions), 1)
            hint = f"; did you mean ${near[0]}?" if near else ""
            raise ExpectError(f"there is no definition of ${name}{hint}")
        return self._definitions[name]

    def _matrix(self, matrix: Mapping[str, Any], within: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """One of each row in every combination, but those that are excluded."""
        inside = (*within, "matrix")
        if not all(isinstance(row, list) for row in matrix["matrix"]):
            raise ExpectError("a row of a matrix is no list")
        rows = [list(islice(self._pieces(row, inside), MOST + 1)) for row in matrix["matrix"]]
        if prod(map(len, rows)) > MOST:
            raise ExpectError(f"a matrix of more than {MOST:,} specs")
        written = matrix.get("exclude")
        excluded = list(self._pieces(written, inside)) if isinstance(written, list) else []
        for combination in product(*rows):
            pieces = tuple(chain.from_iterable(combination))
            if not any(_satisfies(pieces, other) for other in excluded):
                yield pieces


def _satisfies(pieces: Sequence[str], other: Sequence[str]) -> bool:
    """Whether whatever meets the one spec meets the other, as far as the catalogue can tell."""
    try:
        parts, wanted = _joined(pieces).parts, _joined(other).parts
    except QueryError:
        return False
    if not wanted and not _dependencies(other):
        return False
    implied = all(any(part.within(each) for part in parts) for each in wanted)
    return implied and _dependencies(other) <= _dependencies(pieces)


def _shown(value: object) -> str:
    return str(next(iter(value), "an empty mapping")) if isinstance(value, dict) else "a list"


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
