"""The builds that come nearest: to a query those that differ in the fewest parts, to a build in the fewest fields.

The phrases quote the query and the catalogue, so escape them before they are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from functools import cache
from itertools import chain, islice, zip_longest
from typing import TypeVar

from msgspec import Struct
from pyroaring import BitMap

from cachetui.model.dependency import State
from cachetui.model.edit_distance import nearest_names
from cachetui.model.signature import Signature, listed
from cachetui.model.spec import normal_compiler
from cachetui.query.parts.facets import FitsPart
from cachetui.query.parts.names import NamePart
from cachetui.query.parts.part import Part, PartColumn
from cachetui.query.query import Query
from cachetui.search.fits import row_fit, row_libc
from cachetui.search.holdings import Holdings
from cachetui.search.index import Index
from cachetui.search.row_values import newest_first
from cachetui.search.signatures import Signatures, normal_variants
from cachetui.store.arrays import Once
from cachetui.store.graph import Graph, extra_of
from cachetui.store.tag_graph import profile_of
from cachetui.suggest.no_match import nearest_values

MOST_CANDIDATES = 20
"""Most builds that differ equally much whose dependencies are compared, to take the one that shares most of them."""

VARIANT_FIELDS = 2
"""Fields that variants count for: the patches, and all other variants."""

_PATCHES = "patches="

Value = TypeVar("Value")

LOOKED_AT = 20_000
"""Most rows that are looked at; fewer where there are many parts."""


_Unmet = tuple[tuple[int, str], ...]
"""The places in a query of the parts that a build does not meet, and what it has there."""


class UnmetPart(Struct, frozen=True):
    """A part that a build does not meet, and what the build has there."""

    part: Part
    actual_value: str

    @property
    def phrase(self) -> str:
        return self.part.said_of_build(self.actual_value)


class NearestBuild(Struct, frozen=True):
    row: int
    differences: tuple[UnmetPart, ...]
    """Empty for a build that the query takes."""


def nearest_builds(index: Index, query: Query, limit: int = 5) -> list[NearestBuild]:
    """Return builds that differ from the query in the fewest parts, each in another way; none for nothing in common.

    They are of the package that the query names, where it is there, else of those with the nearest names. One for each
    set of parts stands before a second one for any; else what is given up easily comes first, then what has the nearest
    values, then the newest version.
    """
    parts = query.parts
    masks = [index.part_rows(part) for part in parts]
    base = _rows_of_package(index, query.package) if query.package else index.all_rows
    number, rows = fewest_failures(base, masks)
    if not rows or number > len(parts) - (0 if query.package else 1):
        return []
    newest = newest_first(index, BitMap(islice(rows, LOOKED_AT // len(parts))))
    if not number:
        return [NearestBuild(row, ()) for row in islice(_one_a_hash(index, newest), limit)]
    unmet = [(k, mask, _actual_values(index, parts[k])) for k, mask in enumerate(masks) if rows - mask]
    found: dict[_Unmet, int] = {}
    for row in newest:
        found.setdefault(tuple([(k, actual(row)) for k, mask, actual in unmet if row not in mask]), row)
    best = sorted(found, key=_place(index, query, [k for k, _, _ in unmet]))
    return [
        NearestBuild(found[each], tuple(UnmetPart(parts[k], value) for k, value in each))
        for each in _one_of_each_first(best)[:limit]
    ]


def _place(index: Index, query: Query, unmet: Iterable[int]) -> Callable[[_Unmet], tuple[list[int], int]]:
    """Return what sorts differences: by how easily their parts are given up, then by how near their values are."""
    near: dict[tuple[int, str], int] = {}
    for k in unmet:
        near |= {(k, value): at for at, value in enumerate(nearest_values(index, query.parts[k], query.package))}

    def place(differences: _Unmet) -> tuple[list[int], int]:
        far = sum(near.get(each, len(near)) for each in differences)
        return sorted(query.parts[k].reluctance for k, _ in differences), far

    return place


def _one_of_each_first(ordered: Iterable[_Unmet]) -> list[_Unmet]:
    """Put one for each set of parts before a second one for any."""
    found: dict[tuple[int, ...], list[_Unmet]] = {}
    for differences in ordered:
        found.setdefault(tuple(k for k, _ in differences), []).append(differences)
    return [each for some in zip_longest(*found.values()) for each in some if each is not None]


def _one_a_hash(index: Index, rows: Iterable[int]) -> Iterator[int]:
    seen = set()
    for row in rows:
        number = index.columns.hash[row]
        if number not in seen:
            seen.add(number)
            yield row


def _rows_of_package(index: Index, part: NamePart) -> BitMap:
    """The rows of the packages that the part means, or of those with the nearest names."""
    if rows := index.part_rows(part):
        return rows
    names = map(index.package_number, nearest_names(part.name, index.packages))
    return BitMap.union(BitMap(), *(index.package_rows(number) for number in names if number is not None))


def fewest_failures(rows: BitMap, masks: Iterable[BitMap]) -> tuple[int, BitMap]:
    """Return the least number of masks that leave out any of the rows, and the rows that so many leave out.

    How many leave out each row is kept as binary digits, a bitmap for each digit.
    """
    digits: list[BitMap] = []
    for mask in masks:
        carry, place = rows - mask, 0
        while carry:
            if place == len(digits):
                digits.append(BitMap())
            digits[place], carry = digits[place] ^ carry, digits[place] & carry
            place += 1
    number = 0
    for place in reversed(range(len(digits))):
        without = rows - digits[place]
        number += 0 if without else 1 << place
        rows = without or rows
    return number, rows


def _actual_values(index: Index, part: Part) -> Callable[[int], str]:
    """Return what tells of a row what it has where the part asks for something else, working out each value once."""
    columns, known = index.columns, dict[Hashable, str]()
    profile = columns.rows["profile"]
    keys: dict[PartColumn, Callable[[int], Hashable]] = {
        "version": columns.rows["version"].__getitem__,
        "variants": columns.rows["variants"].__getitem__,
        "facet": profile.__getitem__,
        "compiler": profile.__getitem__,
        "profile": lambda row: (profile[row], row_libc(index, row)),
        "package": index.page,
        "package_like": index.page,
        "tag": index.page,
    }
    key_of = keys.get(part.column, int)

    def read(row: int) -> str:
        key = key_of(row)
        if key not in known:
            host = part.host if isinstance(part, FitsPart) else None
            known[key] = row_fit(index, row, host).reason if host else part.actual_value(index.spec(row))
        return known[key]

    return read


# Of a package the build that is most like another one


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


class KnownBuilds:
    """What the content knows of packages, to compare builds with; ask `prepare` first."""

    def __init__(self, holdings: Holdings) -> None:
        self._holdings = holdings
        self._index = holdings.index
        self._signatures = Signatures(holdings.index)
        self._binaries = cache(self._binaries_of_package)
        self._nodes: dict[str, list[ComparedBuild]] = {}
        """For each package the builds that are known as dependencies alone, without a binary."""

    def prepare(self, packages: Collection[str]) -> None:
        """Look for what the graph knows of the packages that have no binary."""
        without = {name for name in packages if not self._binaries(name)}
        graph, facts = self._index.graph, NodeFacts(self._index.graph)
        for number in graph.where("name", without.__contains__) if graph and without else ():
            if graph.state(number) != State.UNKNOWN and self._holdings.knows(graph.hash(number)):
                build = facts.of(number)
                self._nodes.setdefault(build.name, []).append(build)

    def _binaries_of_package(self, package: str) -> list[int]:
        """The rows of a package, one for each hash."""
        number = self._index.package_number(package)
        rows = BitMap() if number is None else self._index.package_rows(number) & self._holdings.rows
        hashes = self._index.columns.hash
        return list({hashes[row]: row for row in rows}.values())

    def same(self, wanted: ComparedBuild) -> bool:
        """Return whether a build is known of which nothing that is compared differs."""
        for row in self.same_rows(wanted):
            if wanted.package_hash is None or self._build(wanted.name, row).package_hash in (None, wanted.package_hash):
                return wanted.external is None
        nodes = () if self._binaries(wanted.name) else self._nodes.get(wanted.name, ())
        return any(not differences(wanted, node) for node in nodes)

    def same_rows(self, wanted: ComparedBuild) -> list[int]:
        """Return the rows of the binaries with the signature of this build, one for each hash."""
        return [row for row in self._near(wanted, 0) if self._signatures.of(row) == wanted.signature]

    def _near(self, wanted: ComparedBuild, most: int | None = None) -> list[int]:
        """The binaries with at most so many other fields beside the variants; with None all that may be the nearest."""
        rows = self._binaries(wanted.name)
        apart = self._signatures.fields_apart(rows, wanted.signature)
        most = min(apart, default=0) + VARIANT_FIELDS if most is None else most
        return [row for row, fields in zip(rows, apart, strict=True) if fields <= most]

    def nearest(self, wanted: ComparedBuild, needs: Collection[str]) -> tuple[ComparedBuild | None, Differences]:
        """Return the build that differs least, and how; of several the one with the most of these dependencies."""
        builds = self._closest(wanted) or self._nodes.get(wanted.name, [])
        found = _least(builds, lambda build: _weight(differences(wanted, build)))
        if len(found) > 1:
            found.sort(key=lambda build: (-self._shared(needs, build), build.hash))
        return (found[0], differences(wanted, found[0])) if found else (None, {})

    def _shared(self, needs: Collection[str], build: ComparedBuild) -> int:
        """How many of these dependencies a build has too."""
        graph = self._index.graph
        return 0 if build.number is None else len(set(needs).intersection(map(graph.hash, graph.needs(build.number))))

    def _closest(self, wanted: ComparedBuild) -> list[ComparedBuild]:
        """The binaries whose signature differs least."""
        groups: dict[Signature, list[int]] = {}
        for row in self._near(wanted):
            groups.setdefault(self._signatures.of(row), []).append(row)
        signatures = _least(groups, lambda signature: _weight(_compared(wanted.signature, signature)))
        rows = chain.from_iterable(groups[signature] for signature in signatures)
        return [self._build(wanted.name, row) for row in islice(rows, MOST_CANDIDATES)]

    def _build(self, package: str, row: int) -> ComparedBuild:
        columns, graph = self._index.columns, self._index.graph
        binary = columns.hashes[columns.hash[row]]
        node = graph.number(binary) if graph else None
        recipe = None if node is None else graph.node(node).package_hash
        return ComparedBuild(binary, package, node, self._signatures.of(row), recipe, None)


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


def _weight(found: Differences) -> tuple[int, int]:
    """How much differs: the fields, then the words of the variants that not both have."""
    return len(found), sum(len((text or "").split()) for text in found.get("variants", ()))


def _least(values: Iterable[Value], weight: Callable[[Value], tuple[int, int]]) -> list[Value]:
    """The values of the least weight."""
    weights = [(weight(value), value) for value in values]
    least = min((each for each, _ in weights), default=None)
    return [value for each, value in weights if each == least]
