"""What the screen of an installation shows: its verdict in a line, then what differs, what is missing, what is large.

Each row is known by its section and its place there; what it is about is found by that in the answer.
Input: what `analysis.check` and `analysis.causes` found; text of it quotes caches and goes through `visible`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Literal, NamedTuple, TypeAlias

from cachetui.analysis.causes import Cause
from cachetui.analysis.check import External, Install, Missing, NeededSpec, Root
from cachetui.model.host import Fit
from cachetui.report.check import IN_CACHE, ON_HOST, differences_text, piece_name
from cachetui.safe_text import listed, plural, size_text, visible
from cachetui.search.holdings import mirror_name
from cachetui.tui.rows.layout import Cell, Column, Line, measure
from cachetui.tui.rows.pictures import bar
from cachetui.tui.rows.tones import Tone

SPEC, LONG_SPEC = 22, 44
"""The least and the most cells for a spec."""

LAST = 8
"""Cells for a size, or for how many follow."""


def columns(specs: int = SPEC, last: int = LAST) -> Sequence[Column]:
    """The columns, where the longest spec and the longest text at the end take so many cells.

    What no spec needs is for the words beside them.
    """
    return (
        Column("spec", SPEC, share=1, most=min(max(specs, SPEC), LONG_SPEC), ends=True, flows=True),
        Column("hash", 7),
        Column("where and why", 10, share=4, flows=True),
        Column("", last, right=True),
    )


SectionName = Literal[
    "what differs by itself",
    "asked for",
    "missing",
    "does not run on the host",
    "has to be on the host",
    "largest binaries",
]

EXTERNAL_SECTION: SectionName = "has to be on the host"

Key: TypeAlias = tuple[SectionName, int]
"""A section and a place in it; -1 for its heading."""

MOST_LARGE = 10
"""Most binaries that are shown as the largest."""

MOST_UNKNOWN = 40
"""Most packages without any build here that are named."""

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


class InstallSection(NamedTuple):
    name: SectionName
    tone: Tone
    """Of the first cell of its rows."""
    rows: Sequence[Callable[[], Pair]]
    """What makes each when it is painted."""


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
    def _sections(self) -> Sequence[InstallSection]:
        found = self.found
        has_roots = len(found.roots) > 1 or any(root.fault or root.candidates or not root.runs for root in found.roots)
        sections = (
            InstallSection("what differs by itself", "changed", self._differing()),
            InstallSection("asked for", "", [partial(self._root, root) for root in found.roots if has_roots]),
            InstallSection("missing", "missing", [partial(self._missing, each) for each in found.missing]),
            InstallSection("does not run on the host", "fails", [partial(_unfit, *each) for each in found.unfit]),
            InstallSection(EXTERNAL_SECTION, "external", [partial(_external, each) for each in found.externals]),
            InstallSection("largest binaries", "", self._largest()),
        )
        return [section for section in sections if section.rows]

    @cached_property
    def _rows(self) -> Sequence[tuple[InstallSection, int]]:
        """For each row its section and its place in it, -1 for the heading."""
        return [(section, k) for section in self._sections for k in range(-1, len(section.rows))]

    @property
    def columns(self) -> Sequence[Column]:
        """The columns for these rows; they stay as they are when sizes are found."""
        found = self.found
        pieces = (*found.missing, *(piece for piece, _ in found.unfit), *found.externals)
        roots = (self._root_name(root) for root in found.roots)
        longest = max(map(measure, map(visible, (*roots, *map(piece_name, pieces)))), default=0)
        return columns(longest, max(LAST, *(len(_follow(cause)) for cause in self.causes), 0))

    def _differing(self) -> list[Callable[[], Pair]]:
        """What has a nearest build, then in one row the packages of which there is none."""
        rows: list[Callable[[], Pair]] = [
            partial(self._cause, each) for each in self.causes if each.nearest is not None
        ]
        unknown = list(dict.fromkeys(cause.package or "?" for cause in self.causes if cause.nearest is None))
        return [*rows, partial(_unknown, unknown)] if unknown else rows

    def _cause(self, cause: Cause) -> Pair:
        required = (cause.requirement or "").removeprefix(cause.package).strip()
        change = f"; require {required}" if required else ""
        cells = _cells(cause.package or "?", cause.hash, f"{differences_text(cause, IN_CACHE)}{change}")
        return (*cells[:3], _follow(cause)), Subject(cause.nearest, cause=cause)

    def _root(self, root: Root) -> Pair:
        lacks = [f"{len(root.missing):,} missing"] * bool(root.missing) + ["does not run here"] * (not root.runs)
        said = root.fault or ", ".join(lacks) or "complete"
        if root.candidates:
            said += f"; {root.complete_candidates:,} of {root.candidates:,} are{'' if root.complete else ' complete'}"
        return _cells(self._root_name(root), root.hash, said), Subject(root.hash)

    def _root_name(self, root: Root) -> str:
        return self.name(root.hash) if root.hash and root.asked.startswith("/") else root.asked

    def _missing(self, each: Missing) -> Pair:
        where = ", ".join(map(mirror_name, each.found_in[:3])) or "in no cache"
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

    def _largest(self) -> list[Callable[[], Pair]]:
        here = [spec_hash for spec_hash in self.found.here if spec_hash in self.sizes]
        largest = sorted(here, key=lambda spec_hash: -self.sizes[spec_hash])[:MOST_LARGE]
        return [partial(self._size, spec_hash, self.sizes[largest[0]]) for spec_hash in largest]

    def _size(self, spec_hash: str, most: int) -> Pair:
        what, short, _, size = _cells(self.name(spec_hash), spec_hash, "", self.sizes[spec_hash])
        drawn = f"{size:>{LAST}} {bar(self.sizes[spec_hash], most, BAR, self.blocks)}"
        return (what, short, Cell(drawn, "", [(LAST, len(drawn), "bar")]), ""), Subject(spec_hash)

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, k: int) -> Line:
        section, place = self._rows[k]
        if place < 0:
            return Line((Cell(f"{section.name}  {len(section.rows):,}", "title"), "", "", ""))
        (what, *others), _ = section.rows[place]()
        return Line((Cell(what, section.tone), *others))

    def key(self, k: int) -> Key:
        section, place = self._rows[k]
        return section.name, place

    def find(self, key: object) -> int | None:
        return next((k for k in range(len(self)) if self.key(k) == key), None)

    def subject(self, k: int) -> Subject:
        """What the k-th row is about."""
        section, place = self._rows[k]
        return section.rows[place]()[1] if place >= 0 else Subject(None)


def _cells(name: str, spec_hash: str | None, why: str, size: int | None = None) -> tuple[str, str, str, str]:
    return visible(name), visible((spec_hash or "")[:7]), visible(why), "" if size is None else size_text(size)


def _follow(cause: Cause) -> str:
    """How many others miss for it alone."""
    return f"{len(cause.follows):,} follow{'s' if len(cause.follows) == 1 else ''}" if cause.follows else ""


def _unknown(packages: Sequence[str]) -> Pair:
    return _cells("in no cache at all", None, listed(packages, MOST_UNKNOWN)), Subject(None)


def _unfit(piece: NeededSpec, fit: Fit) -> Pair:
    return _cells(piece_name(piece), piece.hash, fit.reason), Subject(piece.hash)


def _external(each: External) -> Pair:
    said = f"{each.path or 'of a module'}; {ON_HOST[each.fits]}"
    return _cells(piece_name(each), each.hash, said), Subject(each.hash)


def verdict(found: Install, sizes: Mapping[str, int], *, all_sizes: bool) -> tuple[str, str]:
    """The answer in a line: how much comes from binaries; then how much has to be downloaded, and from where.

    The download is said once `all_sizes` are known of what is there.
    """
    said = []
    faults = sum(root.closure is None for root in found.roots)
    if found.needs:
        said.append(_counts(found))
    if faults:
        said.append(f"no build of {plural(faults, 'root')}")
    download = f", {size_text(sum(sizes.values()))} to download" if said and all_sizes and sizes else ""
    where = visible(_where(found))
    return ", ".join(said) or "nothing is asked for", download + (f"; {where}" if where else "")


def _counts(found: Install) -> str:
    """How many binaries are here, how many of these do not run on the host, how many are missing."""
    unfit, here = len(found.unfit), len(found.here)
    unrecorded = sum(
        each.closure is not None and not each.closure.recorded and not each.missing for each in found.roots
    )
    if unrecorded:
        runs = f" ({_unfit_text(unfit, here)} on the host)" if unfit else ""
        lacking = f", {len(found.missing):,} missing" if found.missing else ""
        of_all = "it needs" if len(found.roots) == 1 else "they need"
        of_some = f"{unrecorded:,} of them need{'s' if unrecorded == 1 else ''}"
        what = of_all if unrecorded == len(found.roots) else of_some
        return f"{here:,} of {found.needs:,} here{runs}{lacking}, but what {what} is not recorded"
    if found.needs == here == 1:
        return "one binary: it is here, but does not run on the host" if unfit else "yes: one binary, and it is here"
    there = f"{here:,} of {found.needs:,}" if found.missing else f"all {found.needs:,}"
    among = f" ({_unfit_text(unfit, here)} on the host)" if unfit else ""
    return f"{there} from binaries{among}{f', {len(found.missing):,} missing' if found.missing else ''}"


def _unfit_text(unfit: int, here: int) -> str:
    """How many of the binaries that are here do not run."""
    if unfit == here:
        return "it does not run" if here == 1 else "none of them runs"
    return f"{unfit:,} of them {'does' if unfit == 1 else 'do'} not run"


def _where(found: Install) -> str:
    """The caches that it takes, where that is worth a word: what is missing is elsewhere, or one does not do."""
    lacking = sum(not each.found_in for each in found.missing)
    if lacking == len(found.missing) and len(found.mirrors) <= 1:
        return ""
    names = " and ".join(map(mirror_name, found.mirrors))
    mirrors = f"the {'mirror' if len(found.mirrors) == 1 else 'mirrors'} {names}"
    if not found.missing or not lacking:
        return f"needs {mirrors}"
    if lacking == len(found.missing):
        return f"what is here is in {mirrors}"
    return f"with {mirrors} {lacking:,} would still be missing"
