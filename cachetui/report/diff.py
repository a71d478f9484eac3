"""The output of `diff`: a summary, broken roots, new and removed packages and stacks, and every other change.

Input: results of `analysis`. This module only presents them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress

from msgspec import Struct
from msgspec.structs import replace

from cachetui.analysis.diff import CHANGE_KINDS, Breakage, Change, ChangeFacts, TagDiff
from cachetui.model.spec import at_version
from cachetui.report.formats import Block, Case, ErrorRecord, FactsBlock, Judged, TableBlock, TitleBlock, numbered
from cachetui.safe_text import containing, listed, plural
from cachetui.search.index import Index, versions_of

COLUMNS = ("package", "kind", "old", "new", "specs", "stacks")

BROKEN = ("does not install", "removed build", "replaced by", "specs that need it")

MAX_NAMED_BUILDS = 5
"""Maximum number of builds, and maximum number of broken roots, that a row names."""

_ADDITIONS = ("package_new", "package_new_here", "stack_gained", "added")
"""The reasons of test cases about added packages, stacks and builds."""


class ChangeRecord(ChangeFacts, frozen=True):
    """The facts about a change, with the hashes of its builds."""

    build: str | None
    """For the kind `count`: a description of the builds whose number changed. None for other kinds of change."""
    old_hashes: Sequence[str | None]
    new_hashes: Sequence[str | None]


class PackageRecord(Struct, frozen=True):
    """A new or removed package, with its builds."""

    package: str
    versions: Sequence[str]
    """The versions, the newest first."""
    specs: int
    hashes: Sequence[str | None]


class DiffDocument(Struct, frozen=True, tag_field="schema", tag="cachetui/diff/2"):
    """The changes between two tags."""

    old: str
    new: str
    packages_gone: Sequence[PackageRecord]
    packages_new: Sequence[PackageRecord]
    packages_gone_here: Sequence[PackageRecord]
    """The packages that no longer match the query, although the new tag still has them."""
    packages_new_here: Sequence[PackageRecord]
    changes: Sequence[ChangeRecord]
    stacks_gained: Sequence[str]
    stacks_lost: Sequence[str]
    stacks_absent: Sequence[str]
    unchanged: int
    """The number of builds with the same hash in both tags."""
    rebuilt: int
    """The number of builds with the same signature but another hash."""
    broken: Sequence[Breakage] = ()
    """The removed builds that other specs still need, each with the roots that cannot install without the build."""
    errors: Sequence[ErrorRecord] = ()
    """The changes and the broken roots, as errors."""

    def cases(self) -> Iterator[Case]:
        """Yield a test case for each change and each broken root, then one passing test case for all other builds."""
        packages = {
            "package_gone": self.packages_gone,
            "package_gone_here": self.packages_gone_here,
            "package_new": self.packages_new,
            "package_new_here": self.packages_new_here,
        }
        names = {kind: [each.package for each in own] for kind, own in packages.items()}
        names |= {"stack_gained": [*self.stacks_gained], "stack_lost": [*self.stacks_lost]}
        found = [(kind, f"{kind.replace('_', ' ')}: {name}", "") for kind, own in names.items() for name in own]
        found += (
            (
                "broken",
                f"{root.asked} of {root.owner or 'the content'}",
                f": /{each.hash:.7} {each.package} was removed",
            )
            for each in self.broken
            for root in each.roots
        )
        for each in self.changes:
            values = " -> ".join("nothing" if value is None else str(value) for value in (each.old, each.new))
            found.append((each.kind, " ".join(filter(None, (each.package, each.build, each.kind))), f": {values}"))
        keys = numbered((kind, name + said) for kind, name, said in found)
        for (kind, name, said), key in zip(found, keys, strict=True):
            case = Case(command="diff", name=name, key=key, reason=kind, message=name + said)
            yield replace(case, severity="info") if kind in _ADDITIONS else case
        yield Case(command="diff", name="unchanged and rebuilt builds")


class DiffReport(Judged, frozen=True):
    """The changes between two tags in all formats."""

    found: TagDiff
    index: Index
    broken: Sequence[Breakage] = ()

    def __len__(self) -> int:
        """Return the number of changes."""
        return len(list(self._package_and_stack_rows())) + len(self.found.changes)

    def document(self) -> DiffDocument:
        found = self.found
        gone, gone_here, new, new_here = (
            [self._package(*each) for each in some.items()] for some in found.packages.values()
        )
        return self.judged(
            DiffDocument(
                found.old,
                found.new,
                gone,
                new,
                gone_here,
                new_here,
                list(map(self._change, found.changes)),
                found.stacks_gained,
                found.stacks_lost,
                found.stacks_absent,
                found.unchanged,
                found.rebuilt,
                self.broken,
            )
        )

    def _package(self, name: str, rows: Sequence[int]) -> PackageRecord:
        return PackageRecord(name, versions_of(self.index, rows), len(rows), self._hashes(rows))

    def _change(self, change: Change) -> ChangeRecord:
        return ChangeRecord(
            change.package,
            change.kind,
            change.old,
            change.new,
            change.specs,
            change.stacks,
            change.build or None,
            self._hashes(change.old_rows),
            self._hashes(change.new_rows),
        )

    def _hashes(self, rows: Sequence[int]) -> Sequence[str | None]:
        columns = self.index.columns
        return [columns.hashes[columns.hash[row]] or None for row in rows]

    def records(self) -> TableBlock:
        changes = (
            (*_values(change), change.build, str(len(change.old_rows)), str(len(change.new_rows)))
            for change in self.found.changes
        )
        rows = [*self._package_and_stack_rows(), *changes]
        counts = {"unchanged": self.found.unchanged, "rebuilt": self.found.rebuilt}
        totals = [("", kind, "", "", str(count), "", "", "", "") for kind, count in counts.items()]
        return TableBlock((*COLUMNS, "build", "old_specs", "new_specs"), rows, totals=totals)

    def blocks(self, width: int | None) -> Iterator[Block]:
        found = self.found
        yield TitleBlock(f"{found.old} -> {found.new}", str(found.query))
        yield FactsBlock(list(self._summary()))
        if self.broken:
            yield TableBlock(BROKEN, list(map(breakage_cells, self.broken)), right=(3,), shrinking=(0, 2))
        rows = [
            (package, found.headings.get(kind, kind.replace("_", " ")).removeprefix("packages "), *cells[:4])
            for package, kind, *cells in self._package_and_stack_rows()
        ]
        rows += map(_cells, found.changes)
        used = [any(column) for column in zip(*rows, strict=True)]
        if rows:
            cells = [[cell or "-" for cell in compress(row, used)] for row in rows]
            columns = list(compress(COLUMNS, used))
            shrinking = [k for k, name in enumerate(columns) if name in ("package", "old", "new", "stacks")]
            right = [columns.index("specs")] if "specs" in columns else []
            yield TableBlock(columns, cells, right, shrinking=shrinking, fold="change")

    def _summary(self) -> Iterator[tuple[str, str]]:
        """Yield how many changes of each kind exist, then how many builds are unchanged, and how many were rebuilt."""
        found = self.found
        yield from ((found.headings[kind], f"{len(names):,}") for kind, names in found.packages.items() if names)
        kinds = [*(kind for kind, *_ in _whole_stacks(found)), *map(label, in_order(found.changes))]
        yield from ((name, f"{count:,}") for name, count in Counter(kinds).items())
        yield "unchanged, same hash", f"{found.unchanged:,}"
        yield "rebuilt, same signature", f"{found.rebuilt:,}"

    def _package_and_stack_rows(self) -> Iterator[tuple[str, ...]]:
        """Yield a row of CSV for each removed or new package, then for each removed or new stack."""
        for kind, packages in self.found.packages.items():
            for name, rows in packages.items():
                builds, number = builds_text(self.index, rows), str(len(rows))
                if kind.startswith("gone"):
                    yield name, kind, builds, "", number, "", "", number, "0"
                else:
                    yield name, kind, "", builds, number, "", "", "0", number
        yield from (("", kind.replace(" ", "_"), *stack, *[""] * 5) for kind, *stack in _whole_stacks(self.found))


def builds_text(index: Index, rows: Sequence[int]) -> str:
    """Return the versions and short hashes of builds as text. If there are many builds, the text names only some."""
    return listed([f"{spec.version or ''}/{spec.hash or '':.7}" for spec in map(index.spec, rows)], MAX_NAMED_BUILDS)


def breakage_cells(each: Breakage) -> tuple[str, ...]:
    """Return the table cells of a removed build: broken roots, name, replacement, and how many dependents it had."""
    roots = [f"{root.asked} ({root.owner})" if root.owner else root.asked for root in each.roots]
    more = f" and {plural(len(each.follows), 'build')} that need it" if each.follows else ""
    name = f"{at_version(each.package, each.version)}/{each.hash[:7]}{more}"
    return listed(roots, MAX_NAMED_BUILDS) or "-", name, each.replaced_by or "-", f"{each.needed_by:,}"


def searched(found: TagDiff, word: str) -> TagDiff:
    """Return only the changes whose text contains a word. The search in the browser works in the same way."""
    packages = {
        kind: {name: builds for name, builds in own.items() if containing(word, found.headings[kind], name)}
        for kind, own in found.packages.items()
    }
    return replace(
        found,
        packages=packages,
        changes=tuple(each for each in found.changes if containing(word, label(each), each.package, *each.stacks)),
        stacks_gained=tuple(name for name in found.stacks_gained if containing(word, "stacks gained", name)),
        stacks_lost=tuple(name for name in found.stacks_lost if containing(word, "stacks lost", name)),
    )


def _whole_stacks(found: TagDiff) -> Iterator[tuple[str, str, str]]:
    yield from (("stack gained", "", stack) for stack in found.stacks_gained)
    yield from (("stack lost", stack, "") for stack in found.stacks_lost)
    named = {*found.stacks_gained, *found.stacks_lost}
    yield from (("stack absent", stack, "") for stack in found.stacks_absent if stack not in named)


def _values(change: Change) -> tuple[str, ...]:
    old, new = ("" if value is None else str(value) for value in (change.old, change.new))
    return change.package, change.kind, old, new, str(change.specs), " ".join(change.stacks)


def in_order(changes: Iterable[Change]) -> list[Change]:
    """Return the changes sorted by kind."""
    return sorted(changes, key=lambda change: (CHANGE_KINDS.index(change.kind), not change.is_rise))


def label(change: Change) -> str:
    """Return the kind of a change as text. If a version changed, the text includes the direction: `version up`."""
    direction = " up" if change.is_rise else " down" if change.is_fall else ""
    return change.kind + direction * (change.kind == "version")


def _cells(change: Change) -> tuple[str, ...]:
    """Return the table cells of a change. If only the number of equal builds changed, a cell describes these builds."""
    package, _, old, new, *rest = _values(change)
    return package, label(change), old, new + (f" of {change.build}" if change.build else ""), *rest
