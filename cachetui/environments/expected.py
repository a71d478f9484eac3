"""What a catalogue should hold: a query for each name of a list, or each spec of a `spack.yaml`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from cachetui.environments.files import STANDARD_INPUT, FileError, read_text
from cachetui.environments.requirements import Requirements, joined, with_dependencies
from cachetui.environments.spack_yaml import MOST, SpackYaml
from cachetui.model.host import Host
from cachetui.model.spec import NO_COMPILER
from cachetui.query.parser import NEED_GRAPH, QueryError
from cachetui.query.parts.facets import CompilerPart
from cachetui.query.parts.part import Part
from cachetui.query.parts.variants import VariantPart
from cachetui.query.query import Query
from cachetui.query.tokens import ANY
from cachetui.safe_text import plural
from cachetui.search.index import Index

_ENVIRONMENT = re.compile(r"^(spack|specs|definitions)\s*:", re.MULTILINE)


class Expectation(Struct, frozen=True):
    """One spec that should be there."""

    text: str
    """The spec as it is written; of a matrix one combination."""
    query: Query | None
    fault: str = ""
    """Why there is no query; empty where there is one."""
    alternatives: tuple[Query, ...] = ()
    """The query with what the environment requires; where that is a choice (`one_of`), one for each."""
    required: tuple[str, ...] = ()
    """What the environment requires beyond the spec itself, as text."""
    from_default: bool = False
    """Whether that is the requirement of `all`, and not of the package itself."""

    @property
    def package(self) -> str | None:
        """The package that the spec names; None without a query."""
        named = self.query.package if self.query else None
        return named.name if named else None

    def queries(self, index: Index) -> list[Query]:
        """Return queries one of which a build has to match: the alternatives, without what the package cannot have.

        As in Spack a requirement of `all` does not ask for a variant that the package does not have, and none asks for
        a compiler where no build of the package has one.
        """
        if self.query is None or self.query.package is None:
            return []
        given, own = self.query.parts, index.part_rows(self.query.package)

        def is_foreign(part: Part) -> bool:
            if isinstance(part, VariantPart):
                return self.from_default and not own.intersect(index.part_rows(VariantPart(part.name, ANY)))
            return isinstance(part, CompilerPart) and own.issubset(index.part_rows(CompilerPart(NO_COMPILER)))

        return [Query(tuple(p for p in each.parts if p in given or not is_foreign(p))) for each in self.alternatives]

    @property
    def of_rows(self) -> Expectation:
        """The same without what only a dependency graph can answer."""
        if self.query is None:
            return self
        plain = _of_rows(self.query)
        return replace(self, text=plain.line, query=plain, alternatives=tuple(map(_of_rows, self.alternatives)))


class Expectations(Struct, frozen=True):
    entries: tuple[Expectation, ...]
    """In the order of the file, each once."""
    notes: tuple[str, ...]
    """What was not applied, for the user."""

    def answerable(self, *, has_graph: bool) -> Expectations:
        """Return what can be compared: without a dependency graph nothing about dependencies or flags, with a note."""
        entries = self.entries if has_graph else [entry.of_rows for entry in self.entries]
        named = sum(plain != entry for plain, entry in zip(entries, self.entries, strict=True))
        if not named:
            return self
        what = f"{plural(named, 'spec')} {'names' if named == 1 else 'name'} dependencies (^) or compiler flags"
        note = f"{what}: not compared, the catalogue does not hold them"
        return Expectations(tuple({each.text: each for each in entries}.values()), (*self.notes, note))

    @property
    def packages(self) -> frozenset[str]:
        return frozenset(entry.package for entry in self.entries if entry.package)


def read(path: str) -> Expectations:
    """Read a file (`-`: standard input) with names or specs one a line, or a `spack.yaml`; raises FileError."""
    text = read_text(path)
    try:
        return parse(text, None if path == STANDARD_INPUT else Path(path).parent)
    except FileError as error:
        raise FileError(f"{path}: {error}") from None


def parse(text: str, folder: Path | None = None, host: Host | None = None) -> Expectations:
    """Read a `spack.yaml`, where the text has its keys, else a list of specs; raises FileError.

    `folder`: where the files are that a `spack.yaml` may include; None to include none.
    `host`: what its conditions are about; None for the host that `here` means.
    """
    manifest = SpackYaml(text, folder, host) if _ENVIRONMENT.search(text) else None
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines())
    specs = manifest.specs() if manifest else ((line,) for line in lines if line)
    requirements = manifest.requirements if manifest else Requirements()
    entries: dict[str, Expectation] = {}
    for pieces in islice(specs, MOST + 1):
        entry = _entry(pieces, requirements)
        entries.setdefault(entry.text, entry)
    for text in manifest.unknown if manifest else ():
        entries[text] = Expectation(text, None, "unknown: this condition cannot be evaluated here")
    if len(entries) > MOST:
        raise FileError(f"it stands for more than {MOST:,} specs")
    if not entries:
        raise FileError("there is no spec in it: expected names, one a line, or the specs of a spack.yaml")
    packages = [entry.package for entry in entries.values() if entry.package]
    return Expectations(tuple(entries.values()), tuple(requirements.notes(packages)))


def _entry(pieces: Sequence[str], requirements: Requirements) -> Expectation:
    """Return the expectation of a spec, given in pieces."""
    text = " ".join(pieces)
    try:
        query = with_dependencies(joined(pieces), pieces)
    except QueryError as error:
        return Expectation(text, None, str(error))
    if query.package is None:
        return Expectation(text, None, "it names no package")
    package = query.package.name
    alternatives, rules = requirements.alternatives(package, pieces, query)
    required = tuple(rule.text for rule in rules)
    return Expectation(query.line, query, "", alternatives, required, not requirements.has_own(package))


def _of_rows(query: Query) -> Query:
    """Return the query without what only a dependency graph can answer."""
    return Query(tuple(part for part in query.parts if part.key not in NEED_GRAPH))
