"""What `packages: … require` of an environment adds to its specs.

As in Spack the requirements of a package replace those of `all`; of a list every entry counts, of `one_of` and `any_of`
one is enough. The requirements of a language (`c: require: gcc@13`) are those of the compiler.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice, product
from math import prod
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cachetui.model.dependency import LANGUAGES
from cachetui.query.parser import QueryError
from cachetui.query.parts.part import Part
from cachetui.query.query import Query
from cachetui.safe_text import listed

MOST_CHOICES = 64
"""Most combinations of alternatives that are tried for one spec."""

UNREADABLE = "requirements that are not understood"

_PREFERENCES = frozenset({"version", "target", "compiler", "variants", "prefer", "conflict", "providers"})


class Rule(Struct, frozen=True):
    """One requirement."""

    specs: tuple[str, ...]
    """Any of these is enough."""
    when: str = ""
    """The spec that it is limited to; empty for all."""

    @property
    def text(self) -> str:
        return " or ".join(self.specs)


class Requirements:
    """The rules of each package, and notes on what could not be applied."""

    def __init__(self) -> None:
        self._required: dict[str, Any] = {}
        """The value of `require` for each package, language or `all`, as it is written."""
        self._passed_over: dict[str, dict[str, None]] = {}
        """The names of what is not applied, by the reason."""

    def add(self, packages: object) -> None:
        """Add a `packages` section; those added before go first, and lists are joined."""
        for written, section in packages.items() if isinstance(packages, dict) else ():
            name = str(written).removesuffix(":")
            if not isinstance(section, dict):
                continue
            if not _PREFERENCES.isdisjoint(section):
                self.pass_over("preferences", name)
            value = next((section[key] for key in ("require", "require:") if key in section), None)
            known = self._required.get(name)
            if isinstance(known, list) and isinstance(value, list):
                known.extend(value)
            elif value is not None and known is None:
                self._required[name] = value.copy() if isinstance(value, list) else value

    def alternatives(self, package: str, pieces: Sequence[str], query: Query) -> tuple[tuple[Query, ...], list[Rule]]:
        """Return the queries of which a build has to match one, and the rules that were applied to the spec's own."""
        rules = [rule for rule in self._rules(package) if self._applies(rule, pieces)]
        choices = {rule: [parts for parts in map(self._parts, rule.specs) if parts is not None] for rule in rules}
        applied = {rule: readable for rule, readable in choices.items() if readable}
        if prod(map(len, applied.values())) > MOST_CHOICES:
            self.pass_over(f"requirements in more than {MOST_CHOICES} combinations", package)
        queries = [_with(query, chosen) for chosen in islice(product(*applied.values()), MOST_CHOICES)]
        return tuple(queries), list(applied)

    def has_own(self, package: str) -> bool:
        """Return whether a package has requirements of its own, which replace those of `all`."""
        return package in self._required

    def notes(self, packages: Collection[str]) -> Iterator[str]:
        """Yield what was not applied; `packages`: those that the environment asks for."""
        for name in self._required:
            if name not in ("all", *LANGUAGES) and name not in packages:
                self.pass_over("requirements of packages that are no roots", name)
        for reason, names in self._passed_over.items():
            yield f"not applied: {reason} ({listed(list(names), 3)})"

    def pass_over(self, reason: str, name: str) -> None:
        """Note what is not applied."""
        self._passed_over.setdefault(reason, {})[name] = None

    def _rules(self, package: str) -> list[Rule]:
        language = next((name for name in LANGUAGES if name in self._required), "")
        found = [
            Rule(tuple(f"%{spec.split()[0]}" for spec in rule.specs if spec.split()), rule.when)
            for rule in self._read(language)
        ]
        return [*self._read(package if self.has_own(package) else "all"), *found]

    def _read(self, name: str) -> Iterator[Rule]:
        value = self._required.get(name)
        for entry in value if isinstance(value, list) else [] if value is None else [value]:
            specs, when = entry, ""
            if isinstance(entry, dict):
                specs = next((entry[key] for key in ("one_of", "any_of", "spec") if key in entry), None)
                when = str(entry.get("when") or "")
            texts = [specs] if isinstance(specs, str) else specs
            if isinstance(texts, list) and texts and all(isinstance(text, str) for text in texts):
                yield Rule(tuple(texts), when)
            else:
                shown = next(iter(entry), "an empty mapping") if isinstance(entry, dict) else entry
                self.pass_over(UNREADABLE, f"{name}: {str(shown)[:40]}")

    def _applies(self, rule: Rule, pieces: Sequence[str]) -> bool:
        """Return whether the spec meets the condition of a rule by itself; if not, pass the rule over."""
        if rule.when and not satisfies(pieces, [rule.when]):
            self.pass_over("requirements with a condition that is not known to hold", f"{rule.text} when {rule.when}")
            return False
        return True

    def _parts(self, spec: str) -> tuple[Part, ...] | None:
        """Return what a required spec asks for beyond its name and dependencies; None where it is not understood."""
        try:
            parts = Query.parse(spec.partition("^")[0], has_graph=True).parts
        except QueryError:
            parts = ()
        wanted = tuple(part for part in parts if part.key != "name")
        if not wanted and spec.strip() != next((part.text for part in parts), None):
            self.pass_over(UNREADABLE, spec)
            return None
        return wanted


def _with(query: Query, chosen: Sequence[tuple[Part, ...]]) -> Query:
    """Return the query with those of these parts that it does not ask for by itself."""
    parts = list(query.parts)
    for part in (part for group in chosen for part in group):
        if not any(other.within(part) for other in parts):
            parts.append(part)
    return Query(tuple(parts))


# Specs, given as the pieces that they are made of, in any order: `["hdf5", "@1.14", "%gcc"]`


def joined(pieces: Iterable[str]) -> Query:
    """Return the query of the pieces of a spec without its dependencies; raises QueryError."""
    parts: list[Part] = []
    for piece in pieces:
        place = parts[-1].end + 1 if parts else 0  # so that nothing touches a part of another piece
        own = _read(piece.partition("^")[0]).parts
        parts += [replace(part, start=part.start + place, end=part.end + place) for part in own]
    parts.sort(key=lambda part: part.key != "name")
    return _read(Query(tuple(parts)).line)


def with_dependencies(query: Query, pieces: Iterable[str]) -> Query:
    """Return the query of these pieces with the dependencies (`^`) that they name; raises QueryError."""
    texts = (caret + behind for piece in pieces for _, caret, behind in [piece.partition("^")] if caret)
    parts = [part for text in texts for part in _read(text).parts]
    return _read(Query((*query.parts, *parts)).line) if parts else query


def satisfies(pieces: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether one spec certainly satisfies another one; False where one cannot be read."""
    try:
        parts, wanted = joined(pieces).parts, joined(other).parts
    except QueryError:
        return False
    if not wanted and not _dependencies(other):
        return False
    implied = all(any(part.within(each) for part in parts) for each in wanted)
    return implied and _dependencies(other) <= _dependencies(pieces)


def _dependencies(pieces: Iterable[str]) -> set[str]:
    return {dependency.strip() for piece in pieces for dependency in piece.split("^")[1:]}


def _read(text: str) -> Query:
    return Query.parse(text, has_graph=True)
