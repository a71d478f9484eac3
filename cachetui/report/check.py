"""The output of `check`: the verdict on the requested specs, or the health of build caches.

Input: results of `analysis`. This module only presents them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import astuple

from cachetui.analysis.causes import Cause
from cachetui.analysis.check import (
    LIBCS,
    NO_BUILD,
    External,
    Install,
    NeededSpec,
    Root,
    Spoiler,
    StackHealth,
    joint_verdict,
)
from cachetui.mappings import grouped
from cachetui.model.host import FitKind
from cachetui.model.installed import PRESENT
from cachetui.model.problem import CheckReason, Verdict
from cachetui.model.spec import all_signed, at_version
from cachetui.report.formats import (
    Block,
    Case,
    CaseKey,
    Code,
    ErrorRecord,
    FactsBlock,
    Figures,
    Judged,
    ReportBlock,
    TableBlock,
    TitleBlock,
    cell_text,
    figures_of,
    quoted,
)
from cachetui.report.specs import Means, Place, Places, cache_lines, spec_name
from cachetui.safe_text import cut, listed, local_time, plural, size_text, utc_time
from cachetui.search.availability import CacheName, mirror_name, total_size
from cachetui.search.index import Index
from cachetui.store.graph import Graph

BINARIES = "From binaries"

NOTE_CHARACTERS = 72
"""Maximum length of a line of a note, in characters."""

ASKED_CHARACTERS = 200
"""Maximum length, in characters, of a table cell that quotes the request. JSON and CSV contain the whole text."""

COLUMNS = (
    *("asked", "hash", "complete", "needs", "bytes"),
    *("missing", "package", "version", "content", "tag", "stack", "installed", "reason", "verdict"),
)
"""The columns of CSV. A root has a row for each missing spec, or one row if nothing is missing."""

_HEALTH = ("tag", "stack", "binaries", "complete_binaries", "missing", "bytes", "verdict")

_STACK_FIGURES = {
    "binaries": "Binaries of a build cache.",
    "complete_binaries": "Binaries whose dependencies are all in the same build cache.",
    "missing": "Specs without a binary that are dependencies of binaries in the build cache.",
    "bytes": "Total size of all binaries in bytes.",
}

_BLOCKERS: Sequence[tuple[str, str, tuple[CheckReason, ...], str]] = (
    ("has no binary", "have no binary", NO_BUILD, "push a build, or request a build that exists"),
    ("misses binaries", "miss binaries", ("missing",), ""),
    (
        "is unknown, because a cache was not read",
        "are unknown, because a cache was not read",
        ("unread",),
        "make the cache readable, and check again",
    ),
    (
        "needs externals that the host may lack",
        "need externals that the host may lack",
        ("external",),
        "install them on the host, or name another host",
    ),
    (
        "may be replaced by a preferred build",
        "may be replaced by preferred builds",
        ("preferred",),
        "push the preferred build, or require the available one",
    ),
    ("is ambiguous", "are ambiguous", ("ambiguous",), "give more characters of the hash"),
    ("cannot be read", "cannot be read", ("unreadable",), "correct the spec"),
    (
        "has no recorded dependencies",
        "have no recorded dependencies",
        ("not_recorded",),
        "check a lock file, which records dependencies",
    ),
    (
        "conflicts with other roots",
        "conflict with each other",
        ("disagrees",),
        "require one build of the package, or set unify: false",
    ),
    (
        "may conflict with other roots",
        "may conflict with each other",
        ("undecided",),
        "require one build of the package",
    ),
)
"""For each obstacle: the phrases for one root and for several roots, the codes of its reasons, and the remedy."""

_TORN = {"disagrees", "undecided"}
"""The reasons that describe a conflict between roots. Each of these roots has a build, but the builds do not fit."""


class MissingRecord(NeededSpec, frozen=True):
    """A spec that a root needs and that has no binary in the searched build caches."""

    found_in: Sequence[Place]
    """Other caches of the content that have a binary of the spec."""


class UnfitRecord(NeededSpec, frozen=True):
    """A spec that has a binary or is installed, but does not run on the host."""

    reason: FitKind
    message: str


class RootRecord(Struct, frozen=True):
    """A requested spec (a root), and the verdict on it."""

    asked: str
    hash: str | None
    complete: bool
    needs: int
    bytes: int | None
    installed: Sequence[str]
    missing: Sequence[MissingRecord]
    externals: Sequence[External]
    reason: CheckReason | None
    """The reason why the root is not complete; None if it is complete."""
    message: str
    """An explanation of the reason; may be empty."""
    verdict: Verdict


class UnreadRecord(Struct, frozen=True):
    """A build cache that could not be read."""

    content: str
    """The content, as given on the command line."""
    path: str
    message: str


class CheckDocument(Struct, frozen=True, tag_field="schema", tag="cachetui/check/2"):
    """The verdict on the requested specs (roots), with the missing specs and the causes."""

    complete: bool
    """Whether the verdict is `yes`."""
    verdict: Verdict
    host: str
    host_decides: bool
    """Whether the verdict `yes` needs specs that run on the host."""
    roots: Sequence[RootRecord]
    installed: Sequence[str]
    causes: Sequence[Cause]
    mirrors: Sequence[Place]
    signed: bool | None
    not_applied: Sequence[str]
    """The parts of an environment that cachetui does not apply, although they could change the verdict."""
    unread: Sequence[UnreadRecord]
    by_index: str | None
    """The time of the oldest server index that the verdict relies on, in UTC; null if there is no such index."""
    unfit: Sequence[UnfitRecord]
    errors: Sequence[ErrorRecord] = ()

    def cases(self) -> Iterator[Case]:
        """Yield the test cases of each root, then a test case for each text in `not_applied`.

        A root has a test case for each missing spec. If no spec is missing, the root has one test case. This test case
        fails if the root cannot install for another reason.
        """
        for root in self.roots:
            said = f"does not run on {self.host}" if root.reason == "unfit" else root.message or root.reason or ""
            errors = _missing_errors(root.hash or "", root.missing)
            if root.reason and not errors:
                errors = [((root.hash, root.reason) if root.hash else (root.asked, root.verdict), said)]
            yield from _cases(root.asked, root.reason, errors)
        for text in self.not_applied:
            yield from _cases("environment", "not_applied", [(("not_applied", text), text)])


class CheckReport(Judged, frozen=True):
    """The output of `check` in all formats."""

    found: Install
    size: Callable[[str], int | None]
    causes: Sequence[Cause]
    graph: Graph
    places: Places
    signed: Mapping[CacheName, bool | None]
    """For each mirror: whether its binaries to install are signed; None if unknown."""
    mirror: str | None = None
    """The user's URL pattern for mirrors in commands; None for the default pattern."""

    def document(self) -> CheckDocument:
        found = self.found
        # a missing spec has one record, even if several roots need it
        missing = {
            each.hash: MissingRecord(each.hash, each.name, each.version, list(map(self.places.of, each.found_in)))
            for each in found.missing
        }
        return self.judged(
            CheckDocument(
                found.complete,
                found.verdict,
                found.host.name,
                found.host_decides,
                [self._root(root, missing) for root in found.roots],
                found.installed,
                self.causes,
                list(map(self.places.of, found.mirrors)),
                all_signed(self.signed.values()),
                found.unapplied,
                [UnreadRecord(*self.places.apart(each.path), each.message) for each in found.unread],
                utc_time(found.by_index) if found.by_index else None,
                [UnfitRecord(each.hash, each.name, each.version, fit.kind, fit.reason) for each, fit in found.unfit],
            )
        )

    def _root(self, root: Root, missing: Mapping[str, MissingRecord]) -> RootRecord:
        return RootRecord(
            root.asked,
            root.hash,
            root.complete,
            root.closure.needs if root.closure else 0,
            self._bytes(root),
            root.installed,
            [missing[each.hash] for each in root.missing],
            root.externals,
            root.reason,
            root.fault,
            root.verdict,
        )

    def _bytes(self, root: Root) -> int | None:
        return total_size(root.binaries, self.size) if root.closure else None

    def records(self) -> TableBlock:
        return TableBlock(COLUMNS, self._rows())

    def _rows(self) -> Iterator[Sequence[str]]:
        for root in self.found.roots:
            needs, size = str(root.closure.needs) if root.closure else "", cell_text(self._bytes(root))
            installed = str(len(root.installed)) if root.closure else ""
            own = (root.asked, root.hash or "", cell_text(root.complete), needs, size)
            last = (installed, root.reason or "", root.verdict)
            for each in root.missing:
                place = astuple(self.places.of(each.found_in[0])) if each.found_in else [""] * 3
                yield [*own, each.hash, each.name or "", each.version or "", *place, *last]
            if not root.missing:
                yield [*own, *[""] * 6, *last]

    # For people

    def blocks(self, width: int | None) -> Iterator[Block]:
        found = self.found
        yield ReportBlock([TitleBlock("Would it install from binaries?")])
        yield FactsBlock(list(self._facts()))
        is_installed = bool(found.installed)
        ordered = sorted(found.roots, key=lambda root: root.complete)
        yield TableBlock(
            ("root", "verdict", *["installed"] * is_installed, "needs", "missing", "hash"),
            (_root_cells(root, is_installed=is_installed) for root in ordered),
            right=(2, 3, 4)[: 2 + is_installed],
            shrinking=(0,),
            fold="root",
        )
        sections = grouped((each.section, each) for each in (*reasons(found, self.causes), *externals(found)))
        for section, own in sections.items():
            yield TableBlock((section.lower(), "package", "why"), list(map(_cells, own)), shrinking=(1, 2), fold="spec")

    def _facts(self) -> Iterator[tuple[str, str]]:
        found = self.found
        yield verdict(found, total_size(found.binaries, self.size), self.causes)
        if found.mirrors and (found.missing or len(found.mirrors) > 1):
            yield "mirrors", Code("; ".join(cache_lines(self.graph, self.signed, self.mirror)))
        signed = all_signed(self.signed.values())
        if signed is not None:
            yield "signed", "yes" if signed else "no"


class ReasonLine(NamedTuple):
    """A line, in the browser or in a table, that says why specs would or would not install."""

    section: str
    name: str
    """The name of the spec, or a text about several specs; empty if the line is a remedy for the line above."""
    hash: str | None = None
    """The hash of the spec or of the first root; None in a note or in a line about several binaries."""
    why: str = ""
    means: Means = ""
    cause: Cause | None = None
    number: int = 1
    """The number of specs that the line describes; 0 in a line with a remedy."""
    asked: str = ""
    """A string that marks a requested spec, such as `requested as hdf5+mpi`; empty for a dependency."""


def reasons(found: Install, causes: Sequence[Cause]) -> Iterator[ReasonLine]:
    """Yield lines for roots that cannot install, then for missing specs, then for specs that do not run on the host.

    `causes`: the root causes among the missing specs. Root causes come before other missing specs.
    """
    roots = sorted(found.roots, key=lambda root: root.verdict != "no")
    for why, own in grouped((blocker(root), root) for root in roots).items():
        if why:
            names = listed([cut(each.asked, ASKED_CHARACTERS) for each in own], 1)
            yield ReasonLine("Cause", names, own[0].hash, why, "missing" if own[0].verdict == "no" else "unknown")
            fix = next((fix for *_, codes, fix in _BLOCKERS if own[0].reason in codes), "")
            yield ReasonLine("Cause", "", own[0].hash, fix, number=0)
    missing = {each.hash: each for each in found.missing}
    for cause in causes:
        spec, number = missing.pop(cause.hash, None), len(cause.follows)
        others = f"; {plural(number, 'other')} need{'s' * (number == 1)} it" if number else ""
        name, why = needed_name(spec) if spec else cause.package or "?", f"{differences_text(cause)}{others}"
        yield ReasonLine("Cause", name, cause.hash, why, "missing", cause)
        require = f"require {cause.requirement}, or " if cause.requirement else ""
        yield ReasonLine("Cause", "", cause.hash, f"{require}push this build", cause=cause, number=0)
    after = grouped((each, cause.package) for cause in causes for each in cause.follows)
    for each in sorted(missing.values(), key=lambda each: each.hash in after):
        if each.hash in after:
            why = f"depends on {listed(after[each.hash], 2)}" if len(causes) > 1 else ""
            yield ReasonLine("Missing dependents", needed_name(each), each.hash, why)
        else:
            places = listed(list(map(mirror_name, each.found_in)), 3)
            yield ReasonLine(
                "Missing", needed_name(each), each.hash, f"in {places}" if places else "in no cache", "missing"
            )
    for why, specs in grouped((fit.reason, spec) for spec, fit in found.unfit).items():
        name = plural(len(specs), "binary") if specs[1:] else needed_name(specs[0])
        spec_hash, section = None if specs[1:] else specs[0].hash, f"Do not run on {found.host.name}"
        yield ReasonLine(section, name, spec_hash, why, "fails", number=len(specs))
    if found.unfit:
        yield ReasonLine(section, "", None, f"push builds for {found.host.name}, or name another host", number=0)


def externals(found: Install) -> Iterator[ReasonLine]:
    """Yield a line for each external. The host must have all externals; missing externals come first."""
    means: Mapping[bool | None, Means] = {True: "runs", False: "missing", None: ""}
    for each in sorted(found.externals, key=lambda each: each.fits is not False):
        yield ReasonLine(
            "On the host",
            needed_name(each),
            each.hash,
            f"{each.path or 'from a module'}; {on_host(each)}",
            means[each.fits],
        )


def explained(
    found: Install, causes: Sequence[Cause], notes: Iterable[str], index: Index, sizes: Mapping[str, int]
) -> Iterator[ReasonLine]:
    """Yield all lines that explain a verdict: `reasons`, notes, available specs and externals.

    The line of an available spec says where the spec is. Binaries come before installed specs, the largest first.
    """
    roots = {root.hash: root.asked for root in found.roots}
    unfit = {spec.hash for spec, _ in found.unfit}
    here = sorted(found.here, key=lambda each: -sizes.get(each, 0))
    sources = (
        ReasonLine(section, *_source(index, each, found.mirrors), "fails" if each in unfit else "runs")
        for section, hashes in ((BINARIES, here), ("Installed", found.installed))
        for each in hashes
    )
    lines = (
        ReasonLine("Notes", line, means="unknown" if note in found.unapplied and not k else "", number=k == 0)
        for note in notes
        for k, line in enumerate(wrap(note, NOTE_CHARACTERS))
    )
    for each in (*reasons(found, causes), *lines, *sources, *externals(found)):
        asked = roots.get(each.hash) if each.hash and each.number else None
        is_plain = asked is not None and ("/" in asked or asked in (each.name, each.name.partition("@")[0]))
        yield each._replace(asked="" if asked is None else "requested" if is_plain else f"requested as {asked}")


def _source(index: Index, spec_hash: str, mirrors: Sequence[CacheName]) -> tuple[str, str, str]:
    """Return the name, the hash and the source of a spec.

    The source of an installed spec is the installation state and the names of the install trees. The source of a binary
    is the name of a mirror.
    """
    specs = list(map(index.spec, index.rows_of(spec_hash)))
    caches = {CacheName(spec.tag, stack) for spec in specs for stack in spec.stacks or ("",)}
    states = (
        f"{'prefix removed' if each.state == 'gone' else each.state}, {listed(each.stacks)}"
        for each in specs
        if each.state in PRESENT
    )
    why = next(iter((*states, *(mirror_name(each) for each in mirrors if each in caches))), "")
    return spec_name(specs[0]) if specs else "?", spec_hash, why


def verdict(found: Install, size: int | None, causes: Sequence[Cause] = ()) -> tuple[str, str]:
    """Return the verdict, and a text with the obstacles and with the number and size of the binaries.

    `size`: the total size of the binaries in bytes; None if unknown.
    """
    return found.verdict, "; ".join(filter(None, (*_blockers(found, causes), *_facts(found, size))))


def blocker(root: Root) -> str:
    """Return a phrase that says why a root cannot install.

    If the reason is missing specs, or specs that do not run on the host, return an empty phrase, because other lines
    list these specs.
    """
    if root.reason in (None, "missing", "unfit"):
        return ""
    phrase = next((one for one, _, reasons, _ in _BLOCKERS if root.reason in reasons), "")
    return ": ".join(filter(None, (phrase, root.fault))) if root.reason in _TORN else root.fault or phrase


def _blockers(found: Install, causes: Sequence[Cause]) -> Iterator[str]:
    """Yield a text for each obstacle, with the number of affected roots or binaries."""
    of_all = f"of {plural(len(found.roots), 'root')}"
    for one, several, reasons, _ in _BLOCKERS:
        if roots := [root for root in found.roots if root.reason in reasons]:
            names = [cut(root.asked, ASKED_CHARACTERS) for root in roots]
            if not _TORN.isdisjoint(reasons):
                names = list(dict.fromkeys(root.fault for root in roots))
            said = one if len(roots) == 1 else several
            missing = {each.hash: needed_name(each) for root in roots for each in root.missing}
            if missing:
                said = said.replace("binaries", f"{len(missing):,} of {plural(len(found.binaries), 'binary')}")
                follow = {spec_hash for cause in causes for spec_hash in cause.follows}
                own = {cause.hash: missing.get(cause.hash, cause.package) for cause in causes}
                names = list((own | {key: name for key, name in missing.items() if key not in follow}).values())
            yield f"{len(roots):,} {of_all} {said} ({listed(names, 3)})"
    if found.host_decides and found.unfit:
        yield unfit_text(found)
    yield listed(found.unapplied, 2) if found.verdict == "unknown" else ""


def unfit_text(found: Install) -> str:
    """Return a text such as `2 of 9 binaries do not run on linux-rhel9-zen4`."""
    does = "does" if len(found.unfit) == 1 else "do"
    binaries = plural(len(found.here) + len(found.installed), "binary")
    return f"{len(found.unfit):,} of {binaries} {does} not run on {found.host.name}"


def _facts(found: Install, size: int | None) -> Iterator[str]:
    is_whole = not found.missing and not (found.host_decides and found.unfit)
    yield f"{len(found.here):,} of {plural(len(found.binaries), 'binary')}" if found.binaries and is_whole else ""
    yield size_text(size) if size and is_whole else ""
    yield f"{len(found.installed):,} installed" if found.installed else ""
    if found.host_decides and found.unknown:
        yield f"{found.unknown:,} may or may not run on {found.host.name}"
    absent = [needed_name(each) for each in found.externals if each.fits is False and each.name not in LIBCS]
    yield f"missing on this machine: {listed(absent, 3)}" if absent else ""
    yield f"{found.refused:,} without a signature that the mirror accepts" if found.refused else ""
    yield f"signed by {listed(found.keys, 3)}, not verified" if found.keys else ""
    yield f"by the index of {local_time(found.by_index)}" if found.by_index else ""
    unread = [each.path.removeprefix("./").rstrip("/") or "." for each in found.unread]
    yield f"not read: {listed(unread, 3)}" if unread and not found.complete else ""


def differences_text(cause: Cause) -> str:
    """Return text with the differences between a missing spec and the most similar build of the content."""
    if cause.nearest is None:
        return "no build of this package"
    where = "installed" if cause.nearest_installed else "available"
    return (
        "; ".join(_difference(name, *values, where) for name, values in cause.differs.items())
        or "no recorded field differs"
    )


def on_host(external: External) -> str:
    """Return text that says whether the host has an external. For a C library: whether the library is too old."""
    if external.fits is None:
        return "must be on the host"
    yes, no = ("new enough", "too old") if external.name in LIBCS else ("exists", "does not exist")
    return yes if external.fits else no


def _difference(name: str, missing: str | None, found: str | None, where: str) -> str:
    """Return text with two values of a field: in the missing spec, and in the nearest build. Recipe hashes are cut.

    `where`: the state of the nearest build, `installed` or `available`.
    """
    missing, found = ("nothing" if value is None else value for value in (missing, found))
    if name == "package_hash":
        name, missing, found = "recipe", missing[:7], found[:7]
    label = "" if name in ("version", "variants") else f"{name} "
    return f"{label}{missing}, {where} {found}"


def _root_cells(root: Root, *, is_installed: bool) -> list[str]:
    """Return the table cells of a root. With `is_installed`, the cells include the number of installed specs."""
    needs = f"{root.closure.needs:,}" if root.closure else ""
    found = f"/{root.hash[:7]}" if root.hash else ""
    installed = [f"{len(root.installed):,}"] * is_installed
    return [Code(cut(root.asked, ASKED_CHARACTERS)), root.verdict, *installed, needs, str(len(root.missing)), found]


def _cells(reason: ReasonLine) -> list[str]:
    cells = [Code((reason.hash or "")[:7]), reason.name, cut(reason.why, ASKED_CHARACTERS)]
    return cells if reason.name else ["fix", "", Code(reason.why)]


def _missing_errors(of: str, missing: Iterable[NeededSpec | Spoiler]) -> list[tuple[CaseKey, str]]:
    """Return an error for each missing spec. An error is a key and a message.

    `of`: the hash of a root, or the name of a stack. A key consists of `of` and the hash of the missing spec.
    """
    return [
        ((of, each.hash), f"{at_version(each.name or '?', each.version)}/{each.hash[:7]} is missing")
        for each in missing
    ]


def _cases(name: str, reason: str | None, errors: Iterable[tuple[CaseKey, str]], path: str = "") -> Iterator[Case]:
    """Yield a test case for each error of a checked item. Without errors, yield one passing test case."""
    for key, text in errors or [((), "")]:
        yield Case(
            command="check", name=name, key=key, reason=reason if key else None, message=f"{name}: {text}", path=path
        )


def requirements_text(causes: Iterable[Cause]) -> str:
    """Return lines for `packages.yaml`. With these lines, Spack chooses builds that the content has.

    The text is empty if no cause has a `requirement`.
    """
    required = {cause.package: cause.requirement for cause in causes if cause.requirement}
    lines = [f"  {quoted(package)}:\n    require: {quoted(spec)}" for package, spec in required.items()]
    return "\n".join(["packages:", *lines]) if lines else ""


def needed_name(spec: NeededSpec) -> str:
    """Return the name and version of a spec, such as `hdf5@1.14`."""
    return at_version(spec.name or "?", spec.version)


# The health of build caches


class StackRecord(Place, frozen=True):
    """The health of a build cache."""

    binaries: int
    complete_binaries: int | None
    """The number of binaries whose dependencies are all in this cache; None if dependencies are unrecorded."""
    missing: Sequence[Spoiler] | None
    bytes: int | None
    verdict: Verdict
    """Whether the cache has the dependencies of all its binaries; `unknown` if they are unrecorded or unreadable."""
    unread: str | None
    """The reason why the cache could not be read; None if it was read."""


class StacksDocument(Struct, frozen=True, tag_field="schema", tag="cachetui/check-all/3"):
    """The output of `check --all`: how many specs of each stack have all their dependencies."""

    stacks: Sequence[StackRecord]
    verdict: Verdict
    errors: Sequence[ErrorRecord] = ()

    def cases(self) -> Iterator[Case]:
        """Yield a test case for each missing spec of each cache.

        If a cache has no missing specs, yield one test case. It passes, or says why the health of the cache is unknown.
        """
        for each in self.stacks:
            name = " ".join(filter(None, (each.content, each.tag, each.stack)))
            reason = "unread" if each.unread else "missing" if each.missing else "not_recorded"
            errors = _missing_errors(name, each.missing or ())
            if each.unread or (each.verdict != "yes" and not errors):
                errors.append(((name, reason), each.unread or "its dependencies are not recorded"))
            yield from _cases(name, reason, errors, each.content)


class StackHealthReport(Judged, frozen=True):
    """The health of the build caches in all formats: a line for each cache, then the missing specs."""

    found: Sequence[StackHealth]
    places: Places
    times: Mapping[CacheName, float] = {}
    """The time of each cache's index, in seconds since the epoch."""

    def document(self) -> StacksDocument:
        return self.judged(
            StacksDocument(list(map(self._record, self.found)), joint_verdict(each.verdict for each in self.found))
        )

    def figures(self) -> Sequence[Figures]:
        records, labels = list(map(self._record, self.found)), ("content", "tag", "stack")
        own = [({name: getattr(each, name) for name in labels}, each) for each in records]
        times = [(place, self.times.get(each.mirror)) for (place, _), each in zip(own, self.found, strict=True)]
        return [
            *figures_of("stack", records, labels, _STACK_FIGURES),
            (
                "stack_complete",
                "Whether all dependencies of all binaries are available.",
                [(of, int(each.verdict == "yes")) for of, each in own],
            ),
            (
                "stack_unread",
                "Whether a build cache could not be read.",
                [(of, int(each.unread is not None)) for of, each in own],
            ),
            (
                "stack_index_seconds",
                "When the index was written, or last compared with the server, in seconds since the epoch.",
                times,
            ),
        ]

    def _record(self, each: StackHealth) -> StackRecord:
        place = self.places.of(each.mirror)
        figures = (each.binaries, each.complete_binaries, each.missing, each.bytes, each.verdict, each.unread)
        return StackRecord(place.content, place.tag, place.stack, *figures)

    def records(self) -> TableBlock:
        rows = [
            [*each.mirror, *map(cell_text, (each.binaries, each.complete_binaries, missing, each.bytes)), each.verdict]
            for each in self.found
            for missing in [None if each.missing is None else len(each.missing)]
        ]
        return TableBlock(_HEALTH, rows, right=(2, 3, 4, 5), fold="stack")

    def blocks(self, width: int | None) -> Iterator[Block]:
        counts = Counter(each.verdict for each in self.found)
        unknown = f", {counts['unknown']:,} unknown" if counts["unknown"] else ""
        said = f"{counts['yes']:,} of {plural(len(self.found), 'stack')}{unknown}"
        yield ReportBlock((TitleBlock("The health of build caches"), FactsBlock([("complete", said)])))
        yield self.records()
        spoilers = [
            (each.hash[:7], f"{each.name}@{each.version}", mirror_name(health.mirror), f"{each.spoils:,}")
            for health in self.found
            for each in health.missing or ()
        ]
        if spoilers:
            yield TableBlock(("missing", "package", "in", "spoils"), spoilers, right=(3,), fold="missing spec")
