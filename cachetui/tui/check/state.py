"""The state of the check screen, frozen: what is asked for, and whether it would install from binaries.

Text of caches and files goes through `visible`.
"""

import os
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from cachetui.analysis.causes import Cause, causes_of_locks
from cachetui.analysis.check import Install, Root, install, signed_mirrors
from cachetui.environments.files import STANDARD_INPUT, FileError
from cachetui.environments.reader import read_wanted, wanted_in
from cachetui.model.host import Host
from cachetui.model.installed import PRESENT
from cachetui.model.spec import HASH_WORD
from cachetui.query.query import Query
from cachetui.report.check import differences_text, on_host, piece_name, verdict
from cachetui.report.detail import Field
from cachetui.report.find import spec_name
from cachetui.safe_text import listed, size_text, visible
from cachetui.search.availability import Availability, CacheName, Files, mirror_name
from cachetui.search.closures import total_size
from cachetui.search.index import Index
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache.signatures import seems_signed
from cachetui.sources.buildcache.sizes import Sizes
from cachetui.tui.column_widths import BAR_RANK, Column, as_wide_as
from cachetui.tui.glyphs import BAD, GOOD, bar
from cachetui.tui.lines import Cell, Line, SectionRows, Text, by_section, measure
from cachetui.tui.lines import answer as title_answer
from cachetui.tui.view.index_views import Latest
from cachetui.tui.view.view import Cursor, ListState, View

BAR = 12
"""Cells of the bar of the largest binary."""

CheckQuestion = tuple[Index, Query, Host, bool, tuple[str, ...], bool, Settings]
"""The index, the tags to look in, the host, whether it decides, the words, and whether these may name files."""


class CheckAnswer(Struct, frozen=True, eq=False, dict=True):
    """What was found, or an error where what is asked for cannot be read."""

    found: Install | None = None
    causes: Sequence[Cause] = ()
    notes: Sequence[str] = ()
    error: str = ""
    sizes: Mapping[str, int] = {}
    """Bytes by hash."""
    signed: Mapping[CacheName, bool | None] = {}
    """For each mirror that is needed whether what is needed of it is signed; None where that is not known."""

    @cached_property
    def rows_in(self) -> Latest[Index, "CheckRows"]:
        """The lines of the list, with the names of an index."""
        return Latest(lambda index: CheckRows(index, self))


def answers(
    question: CheckQuestion, sizes_of: Callable[[Index], Sizes], files: Files | None = None
) -> Iterator[CheckAnswer]:
    """Yield what is found of what is asked for, then the same with sizes, then with signatures."""
    index, scope, host, decides, words, may_be_files, settings = question
    settings = replace(settings, fits=host)
    if STANDARD_INPUT in words:
        yield CheckAnswer(error="standard input is the keyboard here: name a file")
        return
    try:
        wanted = read_wanted(words, settings) if may_be_files else wanted_in("\n".join(words), "", settings)
    except FileError as error:
        yield CheckAnswer(error=str(error))
        return
    availability = Availability(index, scope, files)
    found = install(index, wanted, availability, host, host_decides=decides)
    causes = causes_of_locks(wanted.locks, (each.hash for each in found.missing), availability)
    answer = CheckAnswer(found, causes, (*wanted.notes, *wanted.unapplied), signed=dict.fromkeys(found.mirrors))
    yield answer
    known = {each: availability.size(each) for each in found.binaries}
    others = sizes_of(index).each([each for each, size in known.items() if size is None])
    sizes = {each: size for each, size in (known | dict(others)).items() if size is not None}
    answer = replace(answer, sizes=sizes)
    yield answer
    yield replace(answer, signed=signed_mirrors(index, found, seems_signed(index.graph, settings), availability))


class CheckItem(NamedTuple):
    """One line of the list."""

    section: str
    name: str
    hash: str | None
    why: str
    sign: str = ""
    cause: Cause | None = None
    places: Sequence[str] = ()
    """The caches that have a missing one."""


class CheckRows(SectionRows[CheckItem], frozen=True, dict=True):
    """The sections: asked for, causes, missing, notes, does not run here, on the host, installed, from binaries."""

    index: Index
    answer: CheckAnswer

    @cached_property
    def sections(self) -> Mapping[str, Sequence[CheckItem]]:
        return by_section(self._all())

    def _all(self) -> Iterator[CheckItem]:
        found = self.answer.found
        if found is None:
            return
        yield from map(self._root, sorted(found.roots, key=lambda root: root.complete))
        yield from map(self._cause, self.answer.causes)
        for each in found.missing:
            places = list(map(mirror_name, each.found_in))
            where = f"in {listed(places, 3)}" if places else "in no cache"
            after = self._follows.get(each.hash, ())
            why = f"{where}; follows from {listed(after, 2)}" if after else where
            yield CheckItem("Missing", piece_name(each), each.hash, why, "" if after else BAD, places=places)
        yield from (CheckItem("Notes", str(k), None, note) for k, note in enumerate(self.answer.notes, 1))
        for piece, fit in found.unfit:
            yield CheckItem("Does not run here", piece_name(piece), piece.hash, fit.reason, "!")
        for external in found.externals:
            sign = BAD if external.fits is False else ""
            said = f"{external.path or 'of a module'}; {on_host(external)}"
            yield CheckItem("On the host", piece_name(external), external.hash, said, sign)
        unfit = {piece.hash for piece, _ in found.unfit}
        there = (each for each in found.installed if each not in unfit)
        yield from (CheckItem("Installed", self.named(each), each, self._state(each), GOOD) for each in there)
        here = sorted(found.here, key=lambda each: -self.answer.sizes.get(each, 0))
        yield from (CheckItem("From binaries", self.named(each), each, "", GOOD) for each in here if each not in unfit)

    def _root(self, root: Root) -> CheckItem:
        lacks = [f"{len(root.missing):,} missing"] * bool(root.missing) + ["does not run here"] * (not root.runs)
        said = root.fault or ", ".join(lacks) or ("installed" if root.hash in root.installed else "complete")
        name = self.named(root.hash) if root.hash and root.asked.startswith("/") else root.asked
        sign = GOOD if root.complete else "?" if root.verdict == "unknown" else BAD if root.runs else "!"
        return CheckItem("Asked for", name, root.hash, said, sign)

    def _state(self, spec_hash: str) -> str:
        """Return the state of what is installed, and in which trees."""
        specs = map(self.index.spec, self.index.rows_of(spec_hash))
        said = (
            f"{'prefix gone' if each.state == 'gone' else each.state}, {listed(each.stacks)}"
            for each in specs
            if each.state in PRESENT
        )
        return next(said, "")

    def _cause(self, cause: Cause) -> CheckItem:
        number = len(cause.follows)
        follows = f"; {number:,} other{'s' if number > 1 else ''} follow{'' if number > 1 else 's'} from it"
        why = f"{differences_text(cause)}{follows if number else ''}"
        return CheckItem("Cause", cause.package or "?", cause.hash, why, cause=cause)

    @cached_property
    def _follows(self) -> Mapping[str, list[str]]:
        """For each missing hash that only follows, the packages that cause it."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for cause in self.answer.causes:
            for each in cause.follows:
                found[each].append(cause.package)
        return found

    def named(self, spec_hash: str | None) -> str:
        """Return the name of the binary with a hash, `?` where there is none."""
        rows = self.index.rows_of(spec_hash) if spec_hash else ()
        return spec_name(self.index.spec(rows[0])) if rows else "?"

    def made(self, k: int) -> Line:
        section, item = self.places[k]
        if item is None:
            return Line((Cell(f"{section} {len(self.sections[section]):,}", "bold"),))
        size = self.answer.sizes.get(item.hash or "")
        drawn = bar(size or 0, max(self.answer.sizes.values(), default=0), BAR)
        return Line(
            (
                *map(visible, (item.name, (item.hash or "")[:7], item.why)),
                *("" if size is None else size_text(size), Cell(drawn, "bar")),
            ),
            sign=item.sign,
        )

    @cached_property
    def columns(self) -> Sequence[Column]:
        """The columns, as wide as the longest name and reason need."""
        items = [item for own in self.sections.values() for item in own]
        names = (measure(visible(item.name)) for item in items)
        reasons = (measure(visible(item.why)) for item in items)
        return (
            as_wide_as(Column("what", 22, weight=1, middle=True), names),
            Column("hash", 7),
            as_wide_as(Column("why", 24, weight=3), reasons),
            *((Column("size", 8, right=True, rank=2), Column("", BAR, rank=BAR_RANK)) if self.answer.sizes else ()),
        )


class CheckState(ListState[CheckAnswer], frozen=True, kw_only=True):
    """Whether what the word asks for would install."""

    may_be_files: bool = False
    """Whether a word may name a file; not where the words were made of specs of the view."""
    by_host: bool | None = None
    """Whether the host decides, as the user chose with `H`."""
    cursor: Cursor = Cursor(row=1)

    @classmethod
    def of(cls, view: View) -> "CheckState":
        """Of the marked specs, else of the spec under the cursor, else of the package under it; of one in full alone.

        A spec without a hash stands for its package. A page may write anything, so what is no single word is left out.
        """
        here = view.spec_here if view.package is not None or view.pane == "specs" else None
        marks = view.marks if view.pane != "detail" else ()
        keys = sorted(marks or filter(None, [here]))
        words = [word if HASH_WORD.fullmatch(word := f"/{key[2]}") else key[1] for key in keys]
        words = words or [view.package_here or ""]
        return cls(view=view, word=" ".join(dict.fromkeys(word for word in words if len(word.split()) == 1)))

    def find(self, word: str) -> "CheckState":
        """Ask for what was typed, which may name files."""
        return self if word in ("", self.word) else replace(self, word=word, may_be_files=True, cursor=Cursor(row=1))

    @property
    def words(self) -> tuple[str, ...]:
        """The words for `cachetui check CONTENT`, split as by a shell, or at blanks where quotes do not match."""
        if not self.may_be_files:
            return tuple(self.word.split())
        try:
            words = shlex.split(self.word)
        except ValueError:
            words = self.word.split()
        return tuple(map(os.path.expanduser, words))

    @property
    def asks(self) -> CheckQuestion | None:
        view = self.view
        asked = (view.scope, view.host, self.host_decides, self.words, self.may_be_files, view.settings)
        return (view.index, *asked) if self.word else None

    @property
    def host_decides(self) -> bool:
        """Whether a spec that does not run on the host is not complete."""
        view = self.view
        is_asked = view.query.fits is not None or view.is_host_named or view.settings.names(view.host)
        return is_asked if self.by_host is None else self.by_host

    def turn_host(self) -> "CheckState":
        """Judge by the host, or ignore it."""
        return replace(self, by_host=not self.host_decides)

    @property
    def columns(self) -> Sequence[Column]:
        return self.rows.columns if self.rows else ()

    @property
    def rows(self) -> CheckRows | None:
        """The lines of the list; None until there is an answer."""
        found = self.found
        return None if found is None else found.rows_in[self.view.index]

    @property
    def item(self) -> CheckItem | None:
        """The item under the cursor; None on a heading."""
        rows = self.rows
        return rows.places[self.cursor.on(rows)][1] if rows else None

    @property
    def verdict(self) -> str:
        answer = self.found or CheckAnswer()
        if answer.found is None:
            return answer.error
        return ": ".join(filter(None, verdict(answer.found, total_size(answer.found.binaries, answer.sizes.get))))

    @property
    def title_answer(self) -> Text:
        word, colon, rest = self.verdict.partition(":")
        symbol = {"yes": GOOD, "no": BAD, "unknown": "?"}.get(word)
        return title_answer(symbol, word, f"{colon}{visible(rest)}") if symbol else super().title_answer

    @property
    def fields(self) -> Sequence[Field]:
        """The details of the item under the cursor."""
        item = self.item
        if item is None:
            return [Field("verdict", (visible(self.verdict),))] if self.verdict else ()
        fields = [Field("what", (visible(f"{item.name}: {item.section.lower()}"),))]
        fields += [Field("hash", (visible(item.hash),))] if item.hash else []
        fields.append(Field("why", (visible(item.why or "its binary is here"),)))
        if item.places:
            fields.append(Field("found in", tuple(map(visible, item.places)), is_list=True))
        if (cause := item.cause) is not None:
            if cause.requirement:
                fields.append(Field("require", (visible(cause.requirement),), True))
            fields += [Field("follow", tuple(visible(each[:7]) for each in cause.follows), is_list=True)] * bool(
                cause.follows
            )
        return fields

    def target(self) -> View | None:
        """Return a view of the binary under the cursor, or of the build nearest to a cause; None for none.

        Of what is installed it is its record.
        """
        item, index = self.item, self.view.index
        wanted = (item.cause.nearest if item.cause else item.hash) if item else None
        rows = (row for row in index.rows_of(wanted or "") if row in index.shown_rows)
        row = min(rows, key=lambda row: index.spec(row).state is None, default=None)
        return None if row is None else self.view.of_row(row)
