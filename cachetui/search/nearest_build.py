"""The build of a package that is most like another one: which fields differ, and by how little.

Binaries come before what is known as a dependency alone. Input: an index, where to look, and the build to compare.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache, cached_property
from operator import ne

from msgspec import Struct
from pyroaring import BitMap

from cachetui.model.dependency import State
from cachetui.model.signature import Signature, listed
from cachetui.model.spec import normal_compiler
from cachetui.search.holdings import Holdings
from cachetui.search.signatures import Signatures, normal_variants
from cachetui.store.arrays import Once, numbered
from cachetui.store.graph import Graph, extra_of
from cachetui.store.tag_graph import profile_of

MOST_CANDIDATES = 20
"""Most builds that differ equally much whose dependencies are compared, to take the one that shares most of them."""

VARIANT_FIELDS = 2
"""Fields that variants count for: the patches, and all other variants."""

_PATCHES = "patches="


class ComparedBuild(Struct, frozen=True):
    """What is compared of a build."""

    hash: str
    name: str
    number: int | None
    """Of its node in the graph that it is from."""
    signature: Signature
    package_hash: str | None
    """Of its recipe; None where it is not recorded."""
    external: str | None
    """The path of an external; None for any other build."""


Differences = dict[str, tuple[str | None, str | None]]
"""For each field that differs what is wanted and what is there; None for nothing."""


class Alike:
    """What the content knows of packages, to compare builds with; ask `prepare` first."""

    def __init__(self, holdings: Holdings) -> None:
        self._holdings = holdings
        self._index = holdings.index
        self._signatures = Signatures(holdings.index)
        self._rows = cache(self._rows_of_package)
        self._builds = cache(self._distinct_rows)
        self._same_rows = cache(self._matching_rows)
        self._nodes: dict[str, list[ComparedBuild]] = {}
        """For each package the builds that are known as dependencies alone, without a binary."""

    def prepare(self, packages: Collection[str]) -> None:
        """Looks for what the graph knows of the packages that have no binary."""
        without = {name for name in packages if not self._rows(name)}
        graph, facts = self._index.graph, NodeFacts(self._index.graph)
        for number in graph.where("name", without.__contains__) if graph and without else ():
            if graph.state(number) != State.UNKNOWN and self._holdings.knows(graph.hash(number)):
                build = facts.of(number)
                self._nodes.setdefault(build.name, []).append(build)

    def _rows_of_package(self, package: str) -> BitMap:
        number = self._package_numbers.get(package)
        if number is None:
            return BitMap()
        rows, looked_at = self._index.package_rows(number), self._holdings.rows
        return rows if looked_at is self._index.all_rows else rows & looked_at

    @cached_property
    def _package_numbers(self) -> dict[str, int]:
        return numbered(self._index.packages)

    def same(self, wanted: ComparedBuild) -> bool:
        """Whether a build is known of which nothing that is compared differs."""
        rows = self.same_rows(wanted)
        if any(self._recipe_agrees(wanted, row) for row in rows):
            return wanted.external is None
        nodes = () if self._rows(wanted.name) else self._nodes.get(wanted.name, ())
        return any(not differences(wanted, node) for node in nodes)

    def _recipe_agrees(self, wanted: ComparedBuild, row: int) -> bool:
        if wanted.package_hash is None:
            return True
        return self._package_hash(self._node(row)) in (None, wanted.package_hash)

    def same_rows(self, wanted: ComparedBuild) -> Iterable[int]:
        """The rows of the binaries with the signature of this build."""
        return self._same_rows(wanted.name, wanted.signature)

    def nearest(self, wanted: ComparedBuild, needs: Collection[str]) -> tuple[ComparedBuild | None, Differences]:
        """The build that differs least, and how; of several the one with the most of these dependencies."""
        builds = self._closest(wanted) or self._nodes.get(wanted.name, [])
        weights = [_weight_of_builds(wanted, build) for build in builds]
        least = min(weights, default=None)
        nearest = [build for build, weight in zip(builds, weights, strict=True) if weight == least]
        if len(nearest) > 1:
            shared = self._shared(needs, nearest)
            nearest.sort(key=lambda build: (-shared[build.hash], build.hash))
        return (nearest[0], differences(wanted, nearest[0])) if nearest else (None, {})

    def _shared(self, needs: Collection[str], builds: Iterable[ComparedBuild]) -> dict[str, int]:
        """For each of these builds how many of these dependencies it has too."""
        found: dict[str, int] = {}
        places: dict[int, set[int | None]] = {}
        for build in builds:
            if build.number is None:
                found[build.hash] = 0
                continue
            part, k = self._index.graph.split(build.number)
            if id(part) not in places:
                places[id(part)] = {part.place(each) for each in needs}
            targets = set(part.target[part.first[k] : part.first[k + 1]])
            found[build.hash] = len(targets & places[id(part)])
        return found

    def _distinct_rows(self, package: str) -> list[int]:
        """The rows of a package, each hash once."""
        rows = self._rows(package).to_array()
        is_run = len(rows) > 0 and rows[-1] - rows[0] + 1 == len(rows)
        column = self._index.columns.hash
        hashes = column[rows[0] : rows[-1] + 1] if is_run else map(column.__getitem__, rows)
        return list(dict(zip(hashes, rows, strict=True)).values())

    def _matching_rows(self, package: str, signature: Signature) -> list[int]:
        number = self._package_numbers.get(package)
        if number is None:
            return []
        starts, rows = self._index.package_starts, self._holdings.rows
        return [row for row in self._signatures.matching(starts[number], starts[number + 1], signature) if row in rows]

    def _closest(self, wanted: ComparedBuild) -> list[ComparedBuild]:
        """The binaries whose signature differs least."""
        rows = self._builds(wanted.name)
        apart = self._signatures.fields_apart(rows, wanted.signature)
        near = min(apart, default=0) + VARIANT_FIELDS
        groups: dict[Signature, list[int]] = {}
        for row, fields in zip(rows, apart, strict=True):
            if fields <= near:
                groups.setdefault(self._signatures.of(row), []).append(row)
        weights = {signature: _weight(wanted.signature, signature) for signature in groups}
        least = min(weights.values(), default=None)
        found = [row for signature, same in groups.items() if weights[signature] == least for row in same]
        return [self._facts_of_row(wanted.name, row) for row in found[:MOST_CANDIDATES]]

    def _facts_of_row(self, package: str, row: int) -> ComparedBuild:
        node = self._node(row)
        signature = self._signatures.of(row)
        return ComparedBuild(self._hash(row), package, node, signature, self._package_hash(node), None)

    def _hash(self, row: int) -> str:
        return self._index.columns.hashes[self._index.columns.hash[row]]

    def _node(self, row: int) -> int | None:
        return self._index.graph.number(self._hash(row)) if self._index.graph else None

    def _package_hash(self, node: int | None) -> str | None:
        return None if node is None else self._index.graph.package_hash(node)


class NodeFacts:
    """What is compared of the nodes of a graph; each distinct text is read once."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._fields = Once(_fields)

    def of(self, number: int) -> ComparedBuild:
        """What is compared of this node."""
        part, k = self._graph.split(number)
        fields, variants = self._fields[part.text("profile", k)], normal_variants(part.text("variants", k))
        _, external, package_hash, _, _ = extra_of(part.text("extra", k))
        return ComparedBuild(
            hash=part.hashes[k],
            name=part.text("name", k),
            number=number,
            signature=Signature(part.text("version", k), *fields, variants),
            package_hash=package_hash,
            external=(external or "") if part.state[k] == State.EXTERNAL else None,
        )


def _fields(profile: str) -> tuple[str, str, str, str]:
    """Compiler, operating system, platform and target."""
    compiler, os, platform, target = profile_of(profile)
    return normal_compiler(compiler), os or "", platform or "", target or ""


def differences(wanted: ComparedBuild, there: ComparedBuild) -> Differences:
    """The fields in which two builds differ, as far as both record them."""
    found = _compared(wanted.signature, there.signature)
    if wanted.package_hash and there.package_hash and wanted.package_hash != there.package_hash:
        found["package_hash"] = wanted.package_hash, there.package_hash
    if wanted.external != there.external:
        found["external"] = wanted.external, there.external
    return found


def _compared(wanted: Signature, there: Signature) -> Differences:
    """The fields that differ; patches apart from the other variants, of which those stand that not both have."""
    found: Differences = {}
    for name in ("version", "compiler", "os", "platform", "target"):
        values = getattr(wanted, name) or None, getattr(there, name) or None
        if values[0] != values[1]:
            found[name] = values
    ours, theirs = set(wanted.variants), set(there.variants)
    for name, is_patch in (("variants", False), ("patches", True)):
        mine, yours = (
            listed((each for each in some if each.startswith(_PATCHES) is is_patch), " ")
            for some in (ours - theirs, theirs - ours)
        )
        if mine or yours:
            found[name] = mine, yours
    return found


def _weight(wanted: Signature, there: Signature) -> tuple[int, int]:
    """How much differs: the fields, then the words of the variants that not both have."""
    fields = sum(map(ne, wanted[:5], there[:5]))
    if wanted.variants == there.variants:
        return fields, 0
    apart = set(wanted.variants).symmetric_difference(there.variants)
    patches = {each for each in apart if each.startswith(_PATCHES)}
    words = sum(len(each.split()) for each in apart - patches)
    return fields + (len(apart) > len(patches)) + bool(patches), words


def _weight_of_builds(wanted: ComparedBuild, there: ComparedBuild) -> tuple[int, int]:
    fields, words = _weight(wanted.signature, there.signature)
    is_another_recipe = wanted.package_hash and there.package_hash and wanted.package_hash != there.package_hash
    return fields + bool(is_another_recipe) + (wanted.external != there.external), words
