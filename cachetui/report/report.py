"""The page of `report`: the broken roots, the fixes and the new builds since an earlier tag.

Each fact appears once: a removed build that breaks a root is under Broken, not among the changes.
Input: results of `analysis`. This module sorts them into sections.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from cachetui.analysis.diff import Breakage, TagDiff
from cachetui.analysis.stacks import StackSizeRecord
from cachetui.model.signature import PAIRED_FIELDS
from cachetui.model.spec import ROOT
from cachetui.report.diff import BROKEN, MAX_NAMED_BUILDS, breakage_cells, builds_text
from cachetui.report.formats import Block, Code, FactsBlock, OwnDocument, TableBlock, TitleBlock
from cachetui.report.specs import spec_name
from cachetui.safe_text import listed, plural, shell_word
from cachetui.search.index import Index

"""The kinds of change in which builds were replaced, or moved to other stacks."""


class NewRecord(Struct, frozen=True):
    """New builds of a package."""

    package: str
    change: str
    """`new package`, `new build`, `new stack`, or the difference from the replaced builds: `version 1.12 -> 1.14`."""
    stacks: Sequence[str]
    hashes: Sequence[str | None]
    builds: str
    """The versions and short hashes of the first builds, or `2.0/vpq66r2 -> 2.0/domvzvj` for replaced builds."""


class ReportDocument(OwnDocument, frozen=True, tag_field="schema", tag="cachetui/report/1"):
    """The changes from the old tag to the new tag."""

    content: str
    """The content, as given on the command line."""
    old: str
    new: str
    locks: Sequence[str]
    """The paths of the lock files."""
    host: str
    time: str
    """The time when the page was made, in UTC."""
    by_index: str | None
    """The time of the oldest index that the page relies on, in UTC; null if the content has no index."""
    unread: Sequence[str]
    """The unreadable parts of the content. Builds in these parts appear as removed."""
    broken: Sequence[Breakage]
    """Removed builds, with the roots that installed before but do not install now."""
    fixed: Sequence[Breakage]
    """Builds that are available again, with the roots that install again."""
    added: Sequence[NewRecord]
    needed: Sequence[Breakage]
    """Removed builds whose dependents were already broken in the old tag."""
    stacks: Sequence[StackSizeRecord]
    """The stacks that fell below their usual size."""
    gaps: Mapping[str, Sequence[str]]
    """The new gaps of each compared stack: the packages that only other stacks have."""
    rebuilt: Sequence[str]
    """The specs that differ only in their hash, as `patchelf@0.10/4ljeyrc -> /u4exkij`."""
    removed: Sequence[str]
    """The names of the specs that were removed without a replacement. Specs in `broken` and `needed` are omitted."""

    def blocks(self, width: int | None) -> Iterator[Block]:
        """Yield the summary, then each section that is not empty."""
        broken, fixed = (len({root for each in some for root in each.roots}) for some in (self.broken, self.fixed))
        head = (
            f"compared with {self.old}",
            f"locks {', '.join(self.locks)}" if self.locks else "",
            f"host {self.host}",
            self.time,
            f"judged by the index of {self.by_index}" if self.by_index else "",
            f"unknown, because a file was not read: {listed(self.unread)}" if self.unread else "",
        )
        counts = {
            f"{plural(broken, 'root')} broken": broken,
            f"{fixed:,} fixed": fixed,
            plural(sum(len(each.hashes) for each in self.added), "new spec"): len(self.added),
            f"{len(self.needed):,} removed but needed": len(self.needed),
            f"{plural(len(self.stacks), 'stack')} low": len(self.stacks),
            plural(len(self.rebuilt), "rebuilt spec"): len(self.rebuilt),
            plural(len(self.removed), "other removed spec"): len(self.removed),
        }
        said = ", ".join(text for text, number in counts.items() if number) or "no change"
        yield TitleBlock(f"{self.content}, tag {self.new}")
        yield FactsBlock([(said, "; ".join(filter(None, head)))])
        lost = [(*breakage_cells(each), self._fix(each)) for each in (*self.broken, *self.needed)]
        back = [breakage_cells(each)[:2] for each in self.fixed]
        added = [
            (each.package, each.change, each.builds, f"{len(each.hashes):,}", ", ".join(each.stacks) or "-")
            for each in self.added
        ]
        sizes = [
            (each.stack or each.tag, f"{each.percent} %", f"{each.specs:,}", f"{each.usual:,}") for each in self.stacks
        ]
        gaps = [(stack, listed(names, MAX_NAMED_BUILDS)) for stack, names in self.gaps.items() if names]
        columns = (*BROKEN, "fix")
        for title, table in {
            "Broken": TableBlock(columns, lost[: len(self.broken)], (3,)),
            "Fixed": TableBlock(("installs now", "new build"), back),
            "New": TableBlock(
                ("package", "change", "builds", "specs", "stacks"), added, (3,), fold="new package", unfolded=20
            ),
            "Removed but needed": TableBlock(columns[1:], [row[1:] for row in lost[len(self.broken) :]], (2,)),
            "Stacks below their usual size": TableBlock(("stack", "percent", "specs", "usual"), sizes, (1, 2, 3)),
            "New gaps": TableBlock(("stack", "lacks"), gaps),
        }.items():
            if table.rows:
                yield from (TitleBlock(title), table)
        for what, own in (("rebuilt spec", self.rebuilt), ("removed spec", self.removed)):
            if own:
                yield TableBlock((what,), [[name] for name in own], fold=what, unfolded=0)

    def _fix(self, each: Breakage) -> str:
        """Return the command that pushes a removed build again, together with its missing dependents."""
        hashes = " ".join(f"/{one:.7}" for one in (each.hash, *each.follows))
        return Code(f"spack buildcache push {shell_word(each.cache or self.content)} {hashes}")


def changes_of(index: Index, found: TagDiff, named: Iterable[str]) -> tuple[list[NewRecord], list[str], list[str]]:
    """Return the new builds, the rebuilt specs and the removed specs.

    `named`: the hashes of builds that other sections of the page name. These builds are omitted.
    """
    numbers, again = index.columns.hash, {row for pair in found.rebuilt_rows for row in pair}
    said = {number for each in named if (number := index.columns.hash_number(each)) is not None}
    sides: list[tuple[str, str, Sequence[int], Sequence[int]]] = []
    for kind, packages in found.packages.items():
        sides += (("", name, *((rows, ()) if "gone" in kind else ((), rows))) for name, rows in packages.items())
    for each in found.changes:
        change = (
            f"{each.kind} {each.old or 'none'} -> {each.new or 'none'}"
            if each.kind in (*PAIRED_FIELDS, "stacks")
            else ""
        )
        sides.append((change, each.package, each.old_rows, each.new_rows))
    added = [NewRecord(stack, "new stack", [stack], (), "-") for stack in found.stacks_gained]
    removed: list[str] = []
    for change, package, old, new in sides:
        gone, came = (
            [row for row in one if row not in again and numbers[row] not in set(map(numbers.__getitem__, other))]
            for one, other in ((old, new), (new, old))
        )
        unnamed = [row for row in gone if numbers[row] not in said]
        rows = [row for row in came or (new if change.startswith("stacks") else ()) if numbers[row] not in said]
        if rows and (unnamed or not gone or not change):
            hashes = [index.columns.hashes[numbers[row]] for row in rows]
            kind = change or ("new package" if package in found.packages["new"] else "new build")
            stacks = {stack for row in rows for stack in index.spec(row).stacks} - {ROOT}
            builds = " -> ".join(builds_text(index, some) for some in (unnamed, rows) if some)
            added.append(NewRecord(package, kind, sorted(stacks), hashes, builds))
        removed += (_name(index, row) for row in unnamed if not change)
    rebuilt = [
        f"{_name(index, old)} -> /{index.spec(new).hash or '':.7}"
        for old, new in found.rebuilt_rows
        if numbers[old] not in said
    ]
    return added, rebuilt, removed


def _name(index: Index, row: int) -> str:
    spec = index.spec(row)
    return f"{spec_name(spec)}/{spec.hash or '':.7}"
