"""Find the builds that are nearest to a query or to another build.

A build is near a query if it violates few terms. It is near another build if few fields differ. Some returned texts
quote the query or the content and must be escaped before they are shown.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from itertools import chain, islice
from operator import ne
from typing import cast

from msgspec import Struct
from pyroaring import BitMap

from cachetui.mappings import Value, grouped
from cachetui.model.dependency import State
from cachetui.model.edit_distance import MAX_NEAREST_NAMES, nearest_names
from cachetui.model.signature import Signature, differences, value_text
from cachetui.model.spec import NO_COMPILER, VALUE_KEYS, Spec, read_variant
from cachetui.query.query import Query
from cachetui.query.terms import (
    DependencyTerm,
    FitsTerm,
    FlagTerm,
    HashTerm,
    NameTerm,
    Term,
    ValueTerm,
    VariantTerm,
    VersionTerm,
)
from cachetui.search.availability import Availability
from cachetui.search.index import Index, newest_first
from cachetui.search.signatures import Builds, normal_profile, normal_variants
from cachetui.store.graph import Graph, extra_of, profile_of
from cachetui.suggest.no_match import nearest_values

MAX_CANDIDATES = 20
"""Maximum number of equally near builds whose dependencies are compared."""

VARIANT_FIELDS = 2
"""Number of fields of a build that come from variants: the patches, and all other variants."""

_GIVEN_UP = (
    *("hash", "tag", "stack", "compiler", "complete", "flag", "variant", "dependency"),
    *("version", "target", "fits", "os", "platform", "name"),
)
_IMPORTANCE = {key: number for number, key in enumerate(_GIVEN_UP)}
"""The importance of a term, by its key. If a query finds nothing, a user removes the least important terms first."""

_PATCHES = "patches="

MAX_COMPARISONS = 4_000
"""Maximum number of comparisons of a row with a term."""


class UnmetTerm(Struct, frozen=True):
    """A term of a query that a build does not match, and the value of the build."""

    term: Term
    actual_value: str

    @property
    def phrase(self) -> str:
        joint = ", so not" if isinstance(self.term, FitsTerm) else " instead of"
        return f"{self.actual_value}{joint} {self.term.text}"


class NearestBuild(Struct, frozen=True):
    row: int
    differences: tuple[UnmetTerm, ...]
    """The terms of the query that the build does not match."""


def nearest_builds(index: Index, query: Query, limit: int = 5) -> list[NearestBuild]:
    """Return the builds that violate the fewest terms of the query. If several differ in the same way, return only one.

    If the query names a package, return only builds of this package. If this package does not exist, return builds of
    packages with similar names. If the query names no package, a build must match at least one term. Builds that
    violate less important terms (see `_IMPORTANCE`) come first, then builds with nearer values, then newer versions.
    """
    query = index.with_virtual_versions(query)
    terms = query.terms
    base = _rows_of_package(index, query.package) if query.package else index.all_rows
    masks = list(map(index.term_rows, terms))
    number, rows = fewest_failures(base, masks)
    if not rows or number > len(terms) - (0 if query.package else 1):
        return []
    found: dict[tuple[UnmetTerm, ...] | int, int] = {}
    for row in islice(newest_first(index, rows), MAX_COMPARISONS // len(terms)):
        spec = index.spec(row)
        unmet = (term for term, mask in zip(terms, masks, strict=True) if row not in mask)
        differences = tuple([UnmetTerm(term, _actual_value(index, term, row, spec)) for term in unmet])
        found.setdefault(differences or index.columns.hash[row], row)
    near = {term: nearest_values(index, term, query.package) for term in terms} if number else {}

    def place(differences: tuple[UnmetTerm, ...]) -> tuple[list[int], int]:
        far = 0
        for term, value in ((each.term, each.actual_value) for each in differences):
            far += near[term].index(value) if value in near[term] else MAX_NEAREST_NAMES
        return sorted(_IMPORTANCE.get(each.term.key, 0) for each in differences), far

    builds = [NearestBuild(row, each if isinstance(each, tuple) else ()) for each, row in found.items()]
    return sorted(builds, key=lambda build: place(build.differences))[:limit]


def _rows_of_package(index: Index, term: NameTerm) -> BitMap:
    """Return the rows of a package. If it does not exist, return the rows of packages with similar names."""
    if rows := index.term_rows(term):
        return rows
    names = map(index.package_number, nearest_names(term.name, index.packages))
    return BitMap.union(BitMap(), *(index.package_rows(number) for number in names if number is not None))


def fewest_failures(rows: BitMap, masks: Iterable[BitMap]) -> tuple[int, BitMap]:
    """Find the rows that violate the fewest terms of a query. Return the number of violated terms, and the rows.

    `masks`: for each term, the rows that match this term.
    """
    left_out = [rows]
    """Item n contains the rows that violate exactly n terms."""
    for mask in masks:
        more = [BitMap(), *(each - mask for each in left_out)]
        left_out = [(same & mask) | others for same, others in zip([*left_out, BitMap()], more, strict=True)]
    return next(((number, found) for number, found in enumerate(left_out) if found), (0, rows))


def _actual_value(index: Index, term: Term, row: int, spec: Spec) -> str:
    """Return, as text for users, the value with which a row violates the term. `spec`: the spec of the row."""
    match term:
        case FitsTerm():
            return index.fit(row, term.host).reason
        case NameTerm():
            return spec.package
        case VersionTerm():
            return spec.version or "no version"
        case HashTerm():
            return f"/{spec.hash[:7]}" if spec.hash else "no hash"
        case VariantTerm() | FlagTerm():
            return next((each for each in spec.variants if read_variant(each)[0] == term.name), f"no {term.unique_key}")
        case ValueTerm(key="complete"):
            return "complete" if term.holds("no") else "not complete"
        case DependencyTerm() if not term.asks_for_compiler or not spec.compiler:
            return "other dependencies"
    facet = VALUE_KEYS["compiler" if isinstance(term, DependencyTerm) else term.key]
    computed = (value for value in index.values(facet.name) if row in index.value_rows(facet.name, value))
    text = facet.text(spec) if facet.field else next(computed, "")
    return f"no {facet.name}" if text in ("", NO_COMPILER) else text


# The build of a package that is most like another one


class ComparedBuild(Struct, frozen=True):
    """The properties of a build that are compared."""

    hash: str
    name: str
    number: int | None
    """The number of the node in its graph; None if the build lacks a node."""
    signature: Signature
    package_hash: str | None
    """The hash of the recipe; None if unknown."""
    external: str | None
    """The path of an external, or an empty string for an external from a module. For any other build, None."""
    spliced_from: str | None = None
    """For a spliced build, the hash of the build before its dependencies were replaced; None for any other build."""


TextDifferences = dict[str, tuple[str | None, str | None]]
"""For each field that differs: the value of the first build, then of the second build. None for a missing value."""


class KnownBuilds:
    """All installed builds, and all builds in the indexes of the selected caches.

    Call `prepare` before a comparison.
    """

    def __init__(self, availability: Availability) -> None:
        self._availability = availability
        self._index = availability.index
        self._builds = Builds(availability.index)
        self._binaries = cache(self._binaries_of_package)
        self._nodes: dict[str, list[ComparedBuild]] = {}
        """The builds of each package without binaries, from the dependency graph."""

    def prepare(self, packages: Collection[str]) -> None:
        """Collect builds from the dependency graph. Do this only for packages without a binary."""
        without = {name for name in packages if not self._binaries(name)}
        graph = self._index.graph
        for number in graph.where("name", without.__contains__) if graph and without else ():
            if graph.state(number) != State.UNKNOWN and self._availability.knows(graph.hash(number)):
                build = compared_node(graph, number)
                self._nodes.setdefault(build.name, []).append(build)

    def _binaries_of_package(self, package: str) -> dict[Signature, list[int]]:
        """Return the rows of a package, grouped by signature. Return only one row for each hash."""
        number = self._index.package_number(package)
        rows = BitMap() if number is None else self._index.package_rows(number) & self._availability.rows
        return grouped((self._builds.of(row), row) for row in {self._builds.build(row): row for row in rows}.values())

    def same(self, searched: ComparedBuild) -> bool:
        """Return whether one of the builds equals the searched build in all compared fields."""
        for row in self.same_rows(searched):
            build = self._build(searched.name, row)
            if searched.package_hash is None or build.package_hash in (None, searched.package_hash):
                return searched.external == build.external
        nodes = () if self._binaries(searched.name) else self._nodes.get(searched.name, ())
        return any(not build_differences(searched, node) for node in nodes)

    def same_rows(self, searched: ComparedBuild) -> Sequence[int]:
        """Return the rows with the signature of `searched`. Return only one row for each hash."""
        return self._binaries(searched.name).get(searched.signature, ())

    def nearest(self, searched: ComparedBuild, needs: Collection[str]) -> tuple[ComparedBuild | None, TextDifferences]:
        """Return the build of the same package with the smallest differences, and these differences.

        If several builds are equally near, prefer the build from which `searched` was spliced. Otherwise, prefer the
        build with the most dependencies in `needs` (hashes). The build is None if the package lacks a build.
        """
        found = _least(
            self._closest(searched) or self._nodes.get(searched.name, []),
            lambda build: _weight(build_differences(searched, build)),
        )
        if len(found) > 1:
            found.sort(key=lambda build: (build.hash != searched.spliced_from, -self._shared(needs, build), build.hash))
        return (found[0], build_differences(searched, found[0])) if found else (None, {})

    def _shared(self, needs: Collection[str], build: ComparedBuild) -> int:
        """Return how many direct dependencies of a build are in `needs`."""
        graph = self._index.graph
        return (
            0
            if build.number is None
            else len(set(needs).intersection(map(graph.hash, graph.direct_dependencies(build.number))))
        )

    def _closest(self, searched: ComparedBuild) -> list[ComparedBuild]:
        """Return at most `MAX_CANDIDATES` binaries, with the signatures that are nearest to the searched signature."""
        binaries = self._binaries(searched.name)
        apart = {signature: sum(map(ne, signature[:-1], searched.signature)) for signature in binaries}
        most = min(apart.values(), default=0) + VARIANT_FIELDS
        near = (signature for signature, fields in apart.items() if fields <= most)
        signatures = _least(near, lambda signature: _weight(_compared(searched.signature, signature)))
        rows = chain.from_iterable(map(binaries.__getitem__, signatures))
        return [self._build(searched.name, row) for row in islice(rows, MAX_CANDIDATES)]

    def _build(self, package: str, row: int) -> ComparedBuild:
        columns, graph = self._index.columns, self._index.graph
        binary = columns.hashes[columns.hash[row]]
        node = graph.number(binary) if graph else None
        if node is not None:
            return compared_node(graph, node)
        return ComparedBuild(binary, package, None, self._builds.of(row), None, None)


def compared_node(graph: Graph, number: int) -> ComparedBuild:
    """Return the compared properties of a graph node."""
    part, k = graph.split(number)
    _, external, package_hash, spliced_from, _, _ = extra_of(part.text("extra", k))
    signature = Signature(
        part.text("version", k),
        *normal_profile(*profile_of(part.text("profile", k))),
        normal_variants(part.text("variants", k)),
    )
    if spliced_from and signature.compiler == NO_COMPILER:  # a splice replaces its edges
        signature = signature._replace(compiler="")
    return ComparedBuild(
        hash=part.hashes[k],
        name=part.text("name", k),
        number=number,
        signature=signature,
        package_hash=package_hash,
        external=(external or "") if part.state[k] == State.EXTERNAL else None,
        spliced_from=spliced_from,
    )


def build_differences(first: ComparedBuild, second: ComparedBuild) -> TextDifferences:
    """Return the fields with different values in two builds. Skip a field if one of the builds does not record it."""
    found = _compared(first.signature, second.signature)
    if first.package_hash and second.package_hash and first.package_hash != second.package_hash:
        found["package_hash"] = first.package_hash, second.package_hash
    if first.external != second.external:
        found["external"] = first.external, second.external
    return found


def _compared(first: Signature, second: Signature) -> TextDifferences:
    """Return the fields with different values in two signatures. Skip a field if it is unknown in one signature.

    For variants and patches, return only the values that are in one signature and not in the other.
    """
    found = differences(first, second, Signature._fields)
    variants = cast(tuple[Sequence[str], Sequence[str]], found.pop("variants", ((), ())))
    texts = {name: (value_text(old), value_text(new)) for name, (old, new) in found.items() if old and new}
    for name, is_patch in (("variants", False), ("patches", True)):
        sides = [value_text(tuple(each for each in side if each.startswith(_PATCHES) is is_patch)) for side in variants]
        if sides != [None, None]:
            texts[name] = sides[0], sides[1]
    return texts


def _weight(found: TextDifferences) -> tuple[int, int]:
    """Return the size of a difference: the number of fields, and the number of variants as a tie-breaker."""
    return len(found), sum(len((text or "").split()) for text in found.get("variants", ()))


def _least(values: Iterable[Value], weight: Callable[[Value], tuple[int, int]]) -> list[Value]:
    """Return all values that share the smallest weight."""
    weights = [(weight(value), value) for value in values]
    least = min((each for each, _ in weights), default=None)
    return [value for each, value in weights if each == least]
