"""The changes between two tags, and their consequences.

The signature of a build is its version, compiler, platform, os, target and variants. A build with the same signature
but another hash was rebuilt. An old and a new build that differ in only one field, such as the version, are listed as
one change. Any other build is unchanged, removed or added. In addition, a build may be in other stacks than before.

The consequences of removed and restored builds are the roots that no longer install, and the roots that install again.
A root of a stack is a spec that no other spec of the stack depends on. A lock lists its own roots. A root installs if
its tag has binaries of the root and of all its link and run dependencies.
Input: an index, two of its tags, a query and locks.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Literal

from msgspec import Struct
from pyroaring import BitMap

from cachetui.environments.wanted import Asked
from cachetui.mappings import grouped
from cachetui.model.dependency import ALL_TYPES, LINK_RUN
from cachetui.model.signature import (
    PAIRED_FIELDS,
    PairedField,
    Signature,
    differences,
    listed,
    names_apart,
    pairs,
    value_text,
)
from cachetui.model.spec import ROOT, at_version
from cachetui.model.version import natural_key, sort_key
from cachetui.query.query import Query
from cachetui.query.terms import ValueTerm
from cachetui.search.availability import Availability, Closures
from cachetui.search.index import Index
from cachetui.search.signatures import BuildRows, Builds, ComparedBy, Units
from cachetui.store.graph import Graph

ChangeKind = Literal["version", "target", "os", "compiler", "variants", "removed", "added", "count", "stacks"]

CHANGE_KINDS: tuple[ChangeKind, ...] = (
    *("version", "target", "os", "compiler", "variants", "removed", "added", "count", "stacks"),
)
"""The kinds of change, in the order of the list."""


class ChangeFacts(Struct, frozen=True):
    """One change of a package, and the number of builds that changed in this way."""

    package: str
    kind: ChangeKind
    old: str | int | None
    """The old value; None if empty. For `count`: the number of builds. For `stacks`: the stacks only in the old tag."""
    new: str | int | None
    specs: int
    """The number of changed builds; for `count`, the number of new or removed builds."""
    stacks: Sequence[str]
    """All stacks of these builds in both tags, without `root`."""


class Change(ChangeFacts, frozen=True):
    """A change, and the index rows of the builds that changed."""

    build: str = ""
    """For `count`, the counted build, with the variants that distinguish it from other builds of the package."""
    old_rows: tuple[int, ...] = ()
    new_rows: tuple[int, ...] = ()
    is_fall: bool = False
    """Whether the newest version of the package was removed, and no newer version was added."""

    @property
    def is_rise(self) -> bool | None:
        """Whether a version or a count went up; None for any other kind of change."""
        if isinstance(self.old, int) and isinstance(self.new, int):
            return self.new > self.old
        if self.kind == "version":
            return sort_key(str(self.new or "")) > sort_key(str(self.old or ""))
        return None


class TagDiff(Struct, frozen=True, dict=True):
    query: Query
    old: str
    new: str
    packages: Mapping[str, Mapping[str, Sequence[int]]]
    """The removed and new packages, by heading (a key of `headings`), each with one index row for every build."""
    changes: tuple[Change, ...]
    """The changes, sorted by package, then in the order of the kinds."""
    stacks: tuple[str, ...]
    """The stacks in the query."""
    stacks_gained: tuple[str, ...]
    """The stacks with matches only in the new tag, without `root`. These stacks are not repeated in `changes`."""
    stacks_lost: tuple[str, ...]
    stacks_absent: tuple[str, ...]
    """The stacks named above (in the query, gained or lost) that do not exist at all in one of the two tags."""
    unchanged: int
    """The number of builds with the same hash in both tags."""
    rebuilt_rows: Sequence[tuple[int, int]]
    """The old and the new row of each build with the same signature but another hash."""

    @property
    def rebuilt(self) -> int:
        """The number of builds with the same signature but another hash."""
        return len(self.rebuilt_rows)

    @cached_property
    def replaced(self) -> Mapping[int, int]:
        """Maps the old index row of a build to the new index row, if the build was rebuilt or changed in one field."""
        paired = (zip(each.old_rows, each.new_rows, strict=True) for each in self.changes if each.kind in PAIRED_FIELDS)
        return dict(chain(self.rebuilt_rows, *paired))

    def __bool__(self) -> bool:
        """Return whether anything changed. Rebuilt binaries with a new hash do not count as a change."""
        return bool(any(self.packages.values()) or self.changes or self.stacks_gained or self.stacks_lost)

    @property
    def headings(self) -> Mapping[str, str]:
        """The headings of the lists of removed and new packages. The keys are the keys of `packages`.

        Packages of the lists `gone_here` and `new_here` exist in both tags, but match the query only in one tag.
        """
        here = ", ".join(self.stacks) or "the matches of the query"
        return {
            "gone": "packages removed",
            "gone_here": f"packages removed from {here}",
            "new": "packages new",
            "new_here": f"packages new in {here}",
        }


def diff(index: Index, old: str, new: str, query: Query | None = None, *, by: ComparedBy = "signature") -> TagDiff:
    """Return the changes from the old to the new tag. Compare only specs that match the query.

    `by`: whether builds are compared by signature or by hash. If the query names stacks, only these stacks and stacks
    that exist in only one tag are compared.
    """
    query = query or Query()
    whole = [index.value_rows("tag", tag) for tag in (old, new)]
    taken = index.rows(query)
    before, after = (taken & tag for tag in whole)
    elsewhere = [(index.rows(query.without_key("stack")) & tag) - taken for tag in whole]
    stacks_before, stacks_after = (_stacks(index, each) for each in (before, after))
    selected = query.selected("stack", index.values("stack"))
    both = frozenset.intersection(*(_stacks(index, each) for each in whole))
    aside = both - selected if selected else frozenset()
    gained, lost = stacks_after - stacks_before - aside, stacks_before - stacks_after - aside
    builds = Builds(index, by)
    comparison = _TagComparison(builds, gained | lost)
    packages: dict[str, dict[str, Sequence[int]]] = {kind: {} for kind in ("gone", "gone_here", "new", "new_here")}
    for number, package in enumerate(index.packages):
        span = index.package_rows(number)
        olds, news = before & span, after & span
        if olds and news:
            comparison.compare(package, *(builds.by_key(rows & span) for rows in (olds, news, *elsewhere)))
        elif olds or news:
            came, other = ("new", whole[0]) if news else ("gone", whole[1])
            found = packages[f"{came}_here" if other.intersect(span) else came]
            found[package] = list({builds.build(row): row for row in reversed(olds or news)}.values())[::-1]
    named = selected | query.excluded("stack", index.values("stack"))
    return TagDiff(
        query=query,
        old=old,
        new=new,
        packages=packages,
        changes=tuple(comparison.changes()),
        stacks=_sorted(selected),
        stacks_gained=_sorted(gained - {ROOT}),
        stacks_lost=_sorted(lost - {ROOT}),
        stacks_absent=_sorted(((gained | lost) - {ROOT} | named) - both),
        unchanged=comparison.unchanged,
        rebuilt_rows=comparison.rebuilt,
    )


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=natural_key))


def _stacks(index: Index, rows: BitMap) -> frozenset[str]:
    return frozenset(stack for stack in index.values("stack") if rows.intersect(index.value_rows("stack", stack)))


class _TagComparison:
    """Collects the changes of all packages."""

    def __init__(self, builds: Builds, whole_stacks: frozenset[str]) -> None:
        self._builds = builds
        self._whole_stacks = whole_stacks
        self._changes: dict[tuple[str, ChangeKind, str | None, str | None], tuple[list[int], list[int]]] = {}
        self._counts: list[Change] = []
        self._falls: dict[str, str] = {}
        """The newest version in the old tag, for each package whose versions in the new tag are all older."""
        self.unchanged, self.rebuilt = 0, list[tuple[int, int]]()

    def compare(
        self,
        package: str,
        old: Mapping[object, BuildRows],
        new: Mapping[object, BuildRows],
        old_elsewhere: Mapping[object, BuildRows],
        new_elsewhere: Mapping[object, BuildRows],
    ) -> None:
        """Compare the builds of one package, grouped by signature or by hash.

        `old_elsewhere`, `new_elsewhere`: builds in stacks that the query excludes. A build that was moved to such a
        stack is listed as a change of stacks.
        """
        for key in old.keys() & new.keys():
            before, after = list(old[key].values()), list(new[key].values())
            self.unchanged += len(old[key].keys() & new[key].keys())
            sides = [
                [row for build, row in one[key].items() if build not in other[key]]
                for one, other in ((old, new), (new, old))
            ]
            self.rebuilt += zip(*sides, strict=False)
            self._compare_stacks(package, before, after)
        newest, now = (
            max((self._builds.of(row).version for each in side.values() for row in each.values()), key=sort_key)
            for side in (old, new)
        )
        if sort_key(now) < sort_key(newest):
            self._falls[package] = newest
        self._compare_counts(package, old, new)
        gone = self._builds.units(old, without=new)
        came = self._builds.units(new, without=old)
        if self._builds.by == "signature":
            for name in PAIRED_FIELDS:
                self._pair(package, name, gone, came)
        for row in chain.from_iterable(gone.values()):
            if moved := list(new_elsewhere.get(self._builds.key(row), {}).values()):
                self._compare_stacks(package, [row], moved)
            else:
                self._add(package, "removed", self._builds.text(row), None, [row], [])
        for row in chain.from_iterable(came.values()):
            if moved := list(old_elsewhere.get(self._builds.key(row), {}).values()):
                self._compare_stacks(package, moved, [row])
            else:
                self._add(package, "added", None, self._builds.text(row), [], [row])

    def _compare_stacks(self, package: str, before: list[int], after: list[int]) -> None:
        """Record a change if the stacks of the builds changed. The builds have the same signature."""
        was, is_now = (self._builds.stacks(rows) - self._whole_stacks for rows in (before, after))
        if was != is_now:
            self._add(package, "stacks", listed(was - is_now), listed(is_now - was), before, after)

    def _compare_counts(self, package: str, old: Mapping[object, BuildRows], new: Mapping[object, BuildRows]) -> None:
        """For each signature, compare the number of builds in the two tags."""
        changed = [key for key in old.keys() & new.keys() if len(old[key]) != len(new[key])]
        if not changed:
            return
        names = names_apart(key for key in old.keys() | new.keys() if isinstance(key, Signature))
        for key in changed:
            before, after = tuple(old[key].values()), tuple(new[key].values())
            if isinstance(key, Signature):
                self._counts.append(
                    Change(
                        package,
                        "count",
                        len(before),
                        len(after),
                        abs(len(after) - len(before)),
                        _sorted(self._builds.stacks(before + after)),
                        names[key],
                        before,
                        after,
                    )
                )

    def _pair(self, package: str, name: PairedField, gone: Units, came: Units) -> None:
        """Pair removed and added builds that differ only in this field, and record the pairs.

        Delete the paired builds from `gone` (the removed builds) and `came` (the added builds).
        """
        for old, new in pairs(name, gone, came):
            count = min(len(gone[old]), len(came[new]))
            if count:
                before, after = map(value_text, differences(old[0], new[0], (name,))[name])
                self._add(package, name, before, after, gone[old][:count], came[new][:count])
                del gone[old][:count], came[new][:count]

    def _add(
        self, package: str, kind: ChangeKind, old: str | None, new: str | None, old_rows: list[int], new_rows: list[int]
    ) -> None:
        rows = self._changes.setdefault((package, kind, old, new), ([], []))
        rows[0].extend(old_rows)
        rows[1].extend(new_rows)

    def changes(self) -> list[Change]:
        """Return all changes, sorted by package, then in the order of the kinds."""
        found = self._counts.copy()
        for (package, kind, before, after), (old, new) in self._changes.items():
            specs = max(len(old), len(new)) if kind != "stacks" else min(len(old), len(new))
            stacks = _sorted(self._builds.stacks([*old, *new]))
            is_fall = kind == "version" and self._falls.get(package) == before
            found.append(Change(package, kind, before, after, specs, stacks, "", tuple(old), tuple(new), is_fall))
        return sorted(found, key=_change_key)


def _change_key(change: Change) -> tuple[Any, ...]:
    old, new = str(change.old or ""), str(change.new or "")
    return change.package, CHANGE_KINDS.index(change.kind), natural_key(old), natural_key(new), old, new, change.build


# Consequences


class AffectedRoot(Struct, frozen=True):
    """A root of a stack or of a lock."""

    stack: str
    """The stack; empty for a root of a lock, or if the content has no stacks."""
    lock: str
    """The file of the lock; empty for a root of a stack."""
    asked: str
    """The root as the lock spells it, or its name and version."""
    hash: str

    @property
    def owner(self) -> str:
        """The stack or lock to which the root belongs, as `stack hep` or `lock FILE`.

        Empty if the content has no stacks.
        """
        return f"lock {self.lock}" if self.lock else f"stack {self.stack}" * bool(self.stack)


class Breakage(Struct, frozen=True):
    """A removed or restored build, and the roots that need this build."""

    package: str
    version: str
    hash: str
    replaced_by: str
    """The name and the hash of the replacement; may be empty."""
    needed_by: int
    """The number of specs in the new tag with a direct link or run dependency on the build."""
    follows: Sequence[str]
    """The hashes of other missing builds that these roots need. They are missing because they need this build."""
    roots: Sequence[AffectedRoot]
    """The roots that no longer install, or install again, because of the build; may be empty."""
    cache: str | None
    """The folder or URL of the build cache of the build; None if unknown."""


def consequences(
    index: Index, tags: tuple[str, str], replaced_rows: Mapping[int, int], locks: Iterable[tuple[str, Asked]] = ()
) -> tuple[list[Breakage], list[Breakage]]:
    """Return the removed builds that other specs need, and the restored builds that let roots install again.

    The builds that the most roots need come first. `tags`: the old and the new tag. `replaced_rows` maps the index row
    of a replaced build to the row of the new build. `locks`: the roots of locks, each with the path of its lock.
    """
    graph, columns = index.graph, index.columns
    held = [Availability(index, Query((ValueTerm.of("tag", [tag]),))) for tag in tags]
    old, new = (frozenset(each.hashes) for each in held)
    replaced = {columns.hashes[columns.hash[row]]: index.spec(by) for row, by in replaced_rows.items()}
    before, now = (_roots(index, tag) if not graph.trees else () for tag in tags)
    roots = dict.fromkeys(chain((each for each in before if each.hash in new or each.hash not in replaced), now))
    asked = [(graph, [each for each in roots if each.hash in old])]
    asked += (
        (each.lock.graph, [AffectedRoot("", path, each.text, each.hash)])
        for path, each in locks
        if each.lock and each.hash
    )
    lost, back = ([effect for own in asked for effect in _effects(*own, *sides)] for sides in (held, held[::-1]))
    known = {spec_hash for own, _ in lost for spec_hash in own}
    numbers = {each: graph.number(each) for each in sorted(old - new - known)} if graph else {}
    lost += (((each,), None) for each, number in numbers.items() if number is not None and _users(graph, number, new))

    def breakage(spec_hash: str, own: Sequence[tuple[Sequence[str], AffectedRoot | None]]) -> Breakage:
        spec, by, number = index.spec(index.rows_of(spec_hash)[0]), replaced.get(spec_hash), graph.number(spec_hash)
        return Breakage(
            spec.package,
            spec.version or "",
            spec_hash,
            f"{at_version(by.package, by.version)}/{(by.hash or '')[:7]}" if by else "",
            0 if number is None else _users(graph, number, new),
            list(dict.fromkeys(chain.from_iterable(follows for follows, _ in own))),
            [root for _, root in own if root],
            graph.mirror(tags[1], spec.stacks) if graph else None,
        )

    sides = (grouped((first, (follows, root)) for (first, *follows), root in effects) for effects in (lost, back))
    made = ([breakage(*each) for each in side.items()] for side in sides)
    first, second = (
        sorted(each, key=lambda one: (-len(one.roots), -one.needed_by, one.package, one.hash)) for each in made
    )
    return first, second


def _users(graph: Graph, number: int, held: Container[str]) -> int:
    """Return the number of specs with a binary that directly depend on a node, as a link or run dependency."""
    return sum(graph.hash(edge.number) in held for edge in graph.dependents(number, LINK_RUN))


def _roots(index: Index, tag: str) -> Iterator[AffectedRoot]:
    """Yield the roots of each stack of a tag, if the tag records dependencies."""
    graph, inside = index.graph, index.value_rows("tag", tag) & index.shown_rows
    users = graph.backwards(graph.followed(ALL_TYPES))
    spans = zip(graph.tags, graph.bases, graph.bases[1:], strict=False) if tag in graph.tags else ()
    nodes = BitMap(chain.from_iterable(range(*span) for own, *span in spans if own == tag))
    stacks = {name: index.value_rows("stack", name) & inside for name in index.values("stack")}
    for stack, rows in (stacks if any(stacks.values()) else {"": inside}).items():
        own = index.columns.nodes_of_hashes(index.columns.hash_numbers(rows)) & nodes if stack != ROOT else ()
        for node in own:
            if not any(user != node and user in own for user in users(node)):
                name = at_version(graph.name(node), graph.node(node).version)
                yield AffectedRoot(stack, "", name, graph.hash(node))


def _effects(
    graph: Graph, roots: Sequence[AffectedRoot], then: Availability, now: Availability
) -> Iterator[tuple[Sequence[str], AffectedRoot | None]]:
    """Find the roots that were complete (`then`) and are incomplete (`now`), and the missing builds that cause this.

    A missing build is a cause if all its dependencies are available. For each root and each cause, yield a list of
    hashes and the root. The list begins with the cause, followed by the missing builds that depend on the cause.
    """
    before, after = (Closures(graph, each, [root.hash for root in roots]) for each in (then, now))
    for root in roots:
        if before.of(root.hash).complete:
            lacking = after.named(after.of(root.hash).missing)
            for first in (each for each in lacking if len(after.of(each).missing) == 1):
                follows = (each for each in lacking if each != first and after.needs(each, first))
                yield [graph.binary(each) for each in (first, *follows)], root
