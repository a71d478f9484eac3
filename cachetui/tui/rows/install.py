"""What the screen of an installation shows: its verdict in a line, then what differs, what is missing, what is large.

Each row is known by its section and its place there; what it is about is found by that in the answer.
Input: what `analysis.install` and `analysis.causes` found; text of it quotes caches and goes through `visible`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from cachetui.analysis.causes import Cause
from cachetui.analysis.install import External, Install, Missing, Root
from cachetui.explain.unknown import listed
from cachetui.report.install import ON_HOST, differences_text, piece_name, size_text
from cachetui.report.stacks import mirror_name
from cachetui.text import plural, visible
from cachetui.tui.rows.layout import Cell, Column, Line
from cachetui.tui.rows.pictures import bar
from cachetui.tui.rows.tones import Tone

COLUMNS = (
    Column("spec", 22, share=1, most=44, ends=True),
    Column("hash", 7),
    Column("where and why", 10, share=4),
    Column("", 10, right=True),
)

SectionName = Literal[
    "what differs by itself",
    "asked for",
    "missing",
    "does not run here",
    "has to be on the host",
    "largest binaries",
]

Key: TypeAlias = tuple[SectionName, int]
"""A section and a place in it; -1 for its heading."""

MOST_LARGE = 10
"""So many of the largest binaries are shown."""

MOST_UNKNOWN = 40
"""So many packages of which nothing is here are named."""

BAR = 24
"""Cells of the longest bar."""


class Subject(NamedTuple):
    """What a row is about."""

    hash: str | None
    """None for what no build is known of."""
    cause: Cause | None = None
    missing: Missing | None = None


Pair: TypeAlias = tuple[tuple[str, str, Cell | str, str], Subject]
"""The cells of a row, and what it is about."""


@dataclass(frozen=True)
class InstallRows:
    """The rows of one answer, in sections; a section without rows is not there."""

    found: Install
    causes: Sequence[Cause]
    blocks: str
    """The signs of a bar, by how much of a cell they fill."""
    name: Callable[[str], str]
    """The name of the binary of a hash."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """The bytes of each binary, as far as they are known by now."""

    @cached_property
    def _rows(self) -> list[tuple[Key, Line, Subject]]:
        rows: list[tuple[Key, Line, Subject]] = []
        for section, tone, pairs in self._sections():
            own = list(pairs)
            if own:
                heading = Line((Cell(section, "title"), "", "", f"{len(own):,}"))
                rows.append(((section, -1), heading, Subject(None)))
                for k, ((what, *others), about) in enumerate(own):
                    rows.append(((section, k), Line((Cell(what, tone), *others)), about))
        return rows

    def _sections(self) -> Iterator[tuple[SectionName, Tone, Iterable[Pair]]]:
        found = self.found
        yield "what differs by itself", "changed", self._differing()
        if len(found.roots) > 1 or any(root.fault or root.candidates for root in found.roots):
            yield "asked for", "", map(self._root, found.roots)
        yield "missing", "missing", map(self._missing, found.missing)
        unfit = ((_cells(piece_name(piece), piece.hash, fit.reason), Subject(piece.hash)) for piece, fit in found.unfit)
        yield "does not run here", "fails", unfit
        yield "has to be on the host", "external", map(_external, found.externals)
        yield "largest binaries", "", self._largest()

    def _differing(self) -> Iterator[Pair]:
        """What has a nearest build, then in one row the packages of which there is none."""
        yield from (self._cause(cause) for cause in self.causes if cause.nearest is not None)
        unknown = list(dict.fromkeys(cause.package or "?" for cause in self.causes if cause.nearest is None))
        if unknown:
            yield _cells("no build here at all", None, listed(unknown, MOST_UNKNOWN)), Subject(None)

    def _cause(self, cause: Cause) -> Pair:
        change = f"; require: {cause.requirement}" if cause.requirement else ""
        follow = f"{len(cause.follows):,} follow{'s' if len(cause.follows) == 1 else ''}" if cause.follows else ""
        cells = _cells(cause.package or "?", cause.hash, f"{differences_text(cause)}{change}")
        return (*cells[:3], follow), Subject(cause.nearest, cause=cause)

    def _root(self, root: Root) -> Pair:
        said = root.fault or ("complete" if root.complete else f"{len(root.missing):,} missing")
        if root.candidates:
            said += f"; {root.complete_candidates:,} of {root.candidates:,} are{'' if root.complete else ' complete'}"
        name = self.name(root.hash) if root.hash and root.asked.startswith("/") else root.asked
        return _cells(name, root.hash, said), Subject(root.hash)

    def _missing(self, each: Missing) -> Pair:
        where = ", ".join(map(mirror_name, each.found_in[:3])) or "nowhere here"
        more = f" and {len(each.found_in) - 3} more" if len(each.found_in) > 3 else ""
        causes = self._causes_of.get(each.hash, [])
        others = f" and {len(causes) - 1} more" if len(causes) > 1 else ""
        why = f"; follows from {causes[0]}{others}" if causes else ""
        verb = "in " if each.found_in else ""
        cells = _cells(piece_name(each), each.hash, f"{verb}{where}{more}{why}", self.sizes.get(each.hash))
        return cells, Subject(each.hash, missing=each)

    @cached_property
    def _causes_of(self) -> Mapping[str, list[str]]:
        """For each hash that follows the packages that it follows from."""
        found: dict[str, list[str]] = {}
        for cause in self.causes:
            for spec_hash in cause.follows:
                found.setdefault(spec_hash, []).append(cause.package)
        return found

    def _largest(self) -> Iterator[Pair]:
        here = {spec_hash: self.sizes[spec_hash] for spec_hash in self.found.here if spec_hash in self.sizes}
        largest = sorted(here, key=lambda spec_hash: -here[spec_hash])[:MOST_LARGE]
        for spec_hash in largest:
            what, short, _, size = _cells(self.name(spec_hash), spec_hash, "", here[spec_hash])
            share = Cell(bar(here[spec_hash], here[largest[0]], BAR, self.blocks), "bar")
            yield (what, short, share, size), Subject(spec_hash)

    @cached_property
    def _places(self) -> dict[Key, int]:
        return {key: k for k, (key, _, _) in enumerate(self._rows)}

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, k: int) -> Line:
        return self._rows[k][1]

    def key(self, k: int) -> Key:
        return self._rows[k][0]

    def find(self, key: object) -> int | None:
        return self._places.get(key) if isinstance(key, tuple) else None

    def subject(self, k: int) -> Subject:
        """What the k-th row is about."""
        return self._rows[k][2]


def _cells(name: str, spec_hash: str | None, why: str, size: int | None = None) -> tuple[str, str, str, str]:
    return visible(name), visible((spec_hash or "")[:7]), visible(why), "" if size is None else size_text(size)


def _external(each: External) -> Pair:
    said = f"{each.path or 'of a module'}; {ON_HOST[each.fits]}"
    return _cells(piece_name(each), each.hash, said), Subject(each.hash)


def verdict(found: Install, sizes: Mapping[str, int], *, all_sizes: bool) -> str:
    """The answer in a line: how much comes from binaries, how much has to be downloaded, and from where.

    The download is said once `all_sizes` are known of what is there.
    """
    said = []
    faults = sum(root.closure is None for root in found.roots)
    if found.needs:
        if found.missing:
            said.append(f"{len(found.here):,} of {found.needs:,} from binaries, {len(found.missing):,} missing")
        else:
            said.append(f"all {found.needs:,} from binaries" if found.needs > 1 else "yes: one binary, and it is here")
    if faults:
        said.append(f"no build of {plural(faults, 'root')}")
    if found.unfit:
        said.append(f"{len(found.unfit):,} would not run")
    if all_sizes and sizes:
        said.append(f"{size_text(sum(sizes.values()))} to download")
    text = ", ".join(said) or "nothing is asked for"
    return "; ".join(filter(None, (text, visible(_where(found)))))


def _where(found: Install) -> str:
    """The caches that it takes, where that is worth a word: what is missing is elsewhere, or one does not do."""
    lacking = sum(not each.found_in for each in found.missing)
    if lacking == len(found.missing) and len(found.mirrors) <= 1:
        return ""
    names = " and ".join(map(mirror_name, found.mirrors))
    if lacking:
        return f"{names} {'has' if len(found.mirrors) == 1 else 'have'} all but {lacking:,}"
    return f"needs the {'mirror' if len(found.mirrors) == 1 else 'mirrors'} {names}"
