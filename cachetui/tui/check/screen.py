"""The check screen, which shows whether the requested specs would install from binaries, and why not.

Text from build caches and files is escaped with `visible`.
"""

import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from glob import iglob
from itertools import chain, islice

from msgspec import Struct
from msgspec.structs import replace

from cachetui.analysis.causes import Cause, causes_of_locks
from cachetui.analysis.check import Install, install, signed_mirrors
from cachetui.environments.files import STANDARD_INPUT, FileError
from cachetui.environments.reader import read_wanted, wanted_in
from cachetui.mappings import grouped, latest
from cachetui.model.host import Host
from cachetui.model.spec import HASH, HASH_WORD
from cachetui.query.query import Query
from cachetui.report.check import BINARIES, CheckReport, ReasonLine, explained, requirements_text, unfit_text, verdict
from cachetui.report.specs import Places, cache_lines
from cachetui.safe_text import containing, plural, size_text, visible
from cachetui.search.availability import Availability, CacheName, Files, total_size
from cachetui.search.index import Index
from cachetui.settings.saved_views import SavedView
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache.presence import BinaryFiles, trusts
from cachetui.sources.buildcache.remote_binaries import Sizes, seems_signed
from cachetui.tui.dialogs.export import FileDialog
from cachetui.tui.frame import Answer, AnyScreen, ListScreen, cancelled_here, spec_title, tag_text
from cachetui.tui.keymap import Actions, KeyLabel, labelled
from cachetui.tui.lines import (
    BAD,
    BAR_CELLS,
    BAR_RANK,
    GOOD,
    MEANS,
    Cell,
    Column,
    FixedRows,
    Line,
    SectionRows,
    Text,
    bar,
    fitted,
    title_answer,
)
from cachetui.tui.view.saved import GivenOptions, saved_view
from cachetui.tui.view.view import Cursor, ListState, View

MAX_FILES = 1000
"""Maximum number of environment files in the list."""

CheckQuestion = tuple[Index, Query, Host, bool, tuple[str, ...], bool, Settings]
"""The input of a check: the index, a query that selects the tags to search, the host, `CheckState.host_decides`, the
requested specs, `CheckState.may_be_files`, and the settings."""


class CheckAnswer(Struct, frozen=True, eq=False, dict=True):
    """The result of a check, or an error if the requested specs cannot be read."""

    found: Install | None = None
    causes: Sequence[Cause] = ()
    notes: Sequence[str] = ()
    error: str = ""
    sizes: Mapping[str, int] = {}
    """The sizes of the binaries in bytes, by hash."""
    signed: Mapping[CacheName, bool | None] = {}
    """For each build cache, whether its binaries are signed; None if unknown."""

    @latest
    def rows_in(self, index: Index) -> "CheckRows":
        """Return the lines of the list. The names of the specs come from `index`."""
        return CheckRows(index, self)


def answers(
    question: CheckQuestion, sizes_of: Callable[[Index], Sizes], files: Files | None = None
) -> Iterator[CheckAnswer]:
    """Check the requested specs. If they cannot be read, yield only an error.

    Otherwise, yield the result three times: first without sizes and signatures, then with sizes, and finally with both.
    `sizes_of` finds sizes that the index lacks. `files` looks for files in the build caches.
    """
    index, scope, host, decides, words, may_be_files, settings = question
    settings = replace(settings, fits=host)
    if STANDARD_INPUT in words:
        yield CheckAnswer(error="in the browser, standard input is the keyboard: give a file")
        return
    try:
        wanted = read_wanted(words, settings) if may_be_files else wanted_in("\n".join(words), "", settings)
    except FileError as error:
        yield CheckAnswer(error=str(error))
        return
    availability = Availability(index, scope, files)
    found = install(index, wanted, availability, host, host_decides=decides)
    causes = causes_of_locks(wanted.locks, [each.hash for each in found.missing], availability)
    answer = CheckAnswer(found, causes, (*wanted.notes, *wanted.unapplied), signed=dict.fromkeys(found.mirrors))
    yield answer
    known = {each: availability.size(each) for each in found.binaries}
    others = sizes_of(index).each([each for each, size in known.items() if size is None])
    answer = replace(answer, sizes={each: size for each, size in (known | dict(others)).items() if size is not None})
    yield answer
    yield replace(answer, signed=signed_mirrors(index, found, seems_signed(index.graph, settings), availability))


class CheckRows(SectionRows[ReasonLine], frozen=True, dict=True):
    """The lines of the list: why specs are missing, notes about ignored input, and the other specs with their sources.

    The source of a spec is the build cache or the installation that has the spec.
    """

    index: Index
    answer: CheckAnswer

    @cached_property
    def sections(self) -> Mapping[str, Sequence[ReasonLine]]:
        answer, found = self.answer, self.answer.found
        lines = explained(found, answer.causes, answer.notes, self.index, answer.sizes) if found else ()
        return grouped((each.section, each) for each in lines)

    @cached_property
    def _shared(self) -> Mapping[str, str]:
        """The common reason of all items in a section, for the heading. The key is the section."""
        whys = {section: {item.why for item in own} for section, own in self.sections.items() if own[1:]}
        return {section: next(iter(own)) for section, own in whys.items() if len(own) == 1}

    def make_line(self, k: int) -> Line:
        section, item = self.places[k]
        if item is None:
            heading = Cell(f"{section} {sum(each.number for each in self.sections[section]):,}", "bold")
            total = sum(self.answer.sizes.values()) if section == BINARIES else 0
            reason, whole = visible(self._shared.get(section, "")), size_text(total) if total else ""
            return Line((heading, "", Cell(reason, "muted"), Cell(whole, "muted"), ""))
        why = "" if self._shared.get(section) == item.why else item.why  # the heading shows a shared reason
        label = visible((item.hash or "")[:7]) if item.name else Cell("fix", "muted")
        size = self.answer.sizes.get(item.hash or "") if section == BINARIES else None
        drawn = bar(size or 0, max(self.answer.sizes.values(), default=0))
        return Line(
            (
                *(visible(item.name), label, visible("; ".join(filter(None, (why, item.asked))))),
                *("" if size is None else size_text(size), Cell(drawn, "bar")),
            ),
            symbol=MEANS.get(item.means, ""),
        )

    @cached_property
    def columns(self) -> Sequence[Column]:
        """The columns, as wide as their texts. Bars compare the sizes. If all sizes are equal, the bars are hidden."""
        sizes = len(set(self.answer.sizes.values()))
        columns = (
            *(Column("", 22, weight=1, middle=True), Column("", 7), Column("", 24, weight=3)),
            *(Column("", 8, right=True, rank=2), Column("", BAR_CELLS, rank=BAR_RANK))[:sizes],
        )
        return fitted(columns, self)


class CheckState(ListState[CheckAnswer], frozen=True, kw_only=True):
    """The requested specs, and whether they would install from binaries."""

    may_be_files: bool = False
    """Whether the requested specs may include file names: true for typed text, false for specs from the view."""
    by_host: bool | None = None
    """The user's choice for `host_decides`, made with the key `H`; None for the default."""
    cursor: Cursor = Cursor(row=1)

    @classmethod
    def of(cls, view: View) -> "CheckState":
        """Check the marked specs. If no spec is marked, check the spec or package under the cursor.

        If the Details pane has the focus, ignore the marks. If a spec has no hash, check the name of its package. For a
        package, add the terms of the query, such as `+mpi`. Skip invalid package names, which contain spaces.
        """
        here = view.current_spec if view.package is not None or view.pane == "specs" else None
        marks = view.marks if view.pane != "detail" else ()
        keys = sorted(marks or filter(None, [here]))
        words = [word if HASH_WORD.fullmatch(word := f"/{key[2]}") else key[1] for key in keys]
        words = [word for word in words if len(word.split()) == 1]
        if not keys and view.current_package:
            words = [str(view.query.of_package(view.current_package))]
        return cls(view=view.of_host(), word=shlex.join(dict.fromkeys(words)))

    def find(self, word: str, cursor: int | None = None) -> "CheckState":
        """Check the specs in the typed text, which may contain file names."""
        return self if word in ("", self.word) else replace(self, word=word, may_be_files=True, cursor=Cursor(row=1))

    @property
    def words(self) -> tuple[str, ...]:
        """The typed text as arguments after `cachetui check CONTENT`, split as in a shell.

        If a quote is not closed, the text is split at spaces.
        """
        try:
            words = shlex.split(self.word)
        except ValueError:
            words = self.word.split()
        return tuple(map(os.path.expanduser, words))

    @property
    def saved(self) -> SavedView | None:
        tags = [f"--tag={tag}" for tag in sorted(self.view.scope.selected("tag", self.view.index.tags))]
        return saved_view(self.view, "check", [*tags, *[f"--fits={self.view.host}"] * self.host_decides, *self.words])

    def with_words(self, words: Sequence[str]) -> "CheckState":
        given = GivenOptions(words)
        return replace(self, word=shlex.join(given.all[""]), may_be_files=True, by_host="--fits" in given.all)

    @property
    def asks(self) -> CheckQuestion | None:
        view = self.view
        asked = (view.scope, view.host, self.host_decides, self.words, self.may_be_files, view.settings)
        return (view.index, *asked) if self.word else None

    @property
    def host_decides(self) -> bool:
        """Whether a spec counts as available only if it runs on the host."""
        view = self.view
        is_asked = view.query.fits is not None or view.is_host_named or view.settings.names(view.host)
        return is_asked if self.by_host is None else self.by_host

    def turn_host(self) -> "CheckState":
        """Toggle `host_decides`."""
        return replace(self, by_host=not self.host_decides)

    @property
    def rows(self) -> CheckRows | None:
        """The lines of the list; None until the check has a result."""
        found = self.found
        return None if found is None else found.rows_in[self.view.index]

    @property
    def item(self) -> ReasonLine | None:
        """The item under the cursor; None on a heading or in an empty list."""
        rows = self.rows
        return rows.places[self.cursor.on(rows)][1] if rows else None

    @property
    def verdict(self) -> str:
        answer = self.found or CheckAnswer()
        if answer.found is None:
            return answer.error
        return ": ".join(
            filter(None, verdict(answer.found, total_size(answer.found.binaries, answer.sizes.get), answer.causes))
        )

    @property
    def title_answer(self) -> Text:
        if not self.word:
            return ()
        word, colon, rest = self.verdict.partition(":")
        found = self.found.found if self.found else None
        if word == "yes" and found and found.unfit and not found.host_decides:
            return title_answer("!", word, f", but {visible(unfit_text(found))}")
        symbol = {"yes": GOOD, "no": BAD, "unknown": "?"}.get(word)
        return title_answer(symbol, word, f"{colon}{visible(rest)}") if symbol else title_answer(BAD, "cannot be read")

    def opened(self) -> View | None:
        """Return a view of the spec under the cursor. Return None if the index lacks the spec.

        If the item under the cursor is the root cause of missing specs, return a view of the nearest build, which is
        the most similar build in the index.
        """
        item, index = self.item, self.view.index
        wanted = (item.cause.nearest if item.cause else item.hash) if item else None
        rows = (row for row in index.rows_of(wanted or "") if row in index.shown_rows)
        row = min(rows, key=lambda row: index.spec(row).state is None, default=None)
        return None if row is None else self.view.of_row(row)


class RequestDialog(FileDialog):
    """The dialog to request a check. The user types specs or a file, or selects an environment file."""

    FOOTER = (("prompt.done", "check"), *labelled("prompt.complete", "prompt.leave"))

    def __init__(self, below: AnyScreen) -> None:
        super().__init__(below, "Check", [Column("", 24, weight=1)], placeholder=below.PLACEHOLDER)
        self.line.earlier = [below.state.word] if below.state.may_be_files else []
        patterns = (f"{folder}spack.{ending}" for folder in ("", "*/") for ending in ("lock", "yaml"))
        paths = islice(chain.from_iterable(map(iglob, patterns)), MAX_FILES)
        self._files = [shlex.quote(path) for path in paths if visible(path) == path]
        """The spack.lock and spack.yaml files in the current folder and its subfolders, quoted for a shell."""

    def rows(self, text: str) -> FixedRows:
        """Return a row for the typed text, then a row for each file whose path contains the text."""
        found = [*[text] * bool(text), *(path for path in self._files if containing(text, path))]
        return FixedRows({each: Line((visible(each),)) for each in found})

    def nothing(self, text: str) -> Sequence[str]:
        return ["The current folder has no spack.lock or spack.yaml."]

    def answer(self, key: str) -> Answer:
        return key


class CheckScreen(ListScreen[CheckState], keys="check"):
    """The screen with the result of a check of one spec, several specs, or an environment."""

    FOOTER = (
        ("table.choose", "go to spec"),
        *labelled("check.file", "browse.fits", "browse.copy", "browse.export", "browse.help", "screen.back"),
    )
    PLACEHOLDER = "a spec, /hash, spack.lock, spack.yaml or a list of these"

    TITLE = "Install?"

    IS_WHOLE = True

    NO_SPECS = "this content has no binary of this spec or of a similar spec"

    state_of = CheckState.of

    def title_of(self, state: CheckState) -> str:
        roots = state.found.found.roots if state.found and state.found.found else ()
        rows = state.view.index.rows_of(roots[0].hash or "") if len(roots) == 1 else ()
        return spec_title(state.view, rows[0]) if rows else self.TITLE

    def nothing(self, state: CheckState) -> Sequence[str | KeyLabel]:
        return [state.verdict or "No spec is under the cursor.", *labelled("check.file")]

    def work(self, question: CheckQuestion) -> Iterator[CheckAnswer]:
        browser, cancelled = self.browser, cancelled_here()
        rules, keyrings = browser.catalogue.rules, browser.catalogue.keyrings
        files = BinaryFiles(rules, self.state.view.settings, trusts(keyrings), cancelled)
        return answers(question, lambda index: browser.sizes_of(index, cancelled), files)

    def heading_of(self, state: CheckState) -> tuple[Text, str]:
        found = state.found.found if state.found else None
        number = plural(len(found.binaries) + len(found.installed), "spec") if found else ""
        return [tag_text(state.view)], f"{plural(len(found.roots), 'root')}, {number}" if found else ""

    def host_text(self, state: CheckState) -> Text:
        name = state.view.host.name
        return [Cell(f"host {name}" if state.host_decides else "for any host", "muted")]

    # Keys

    def actions(self) -> Actions:
        return {**super().actions(), "check.file": self.open_line, "browse.fits": self.own_step(CheckState.turn_host)}

    def open_line(self) -> None:
        """Open the dialog to request another check."""
        self.app.push_screen(RequestDialog(self), lambda answer: self.do(lambda state: state.find(str(answer or ""))))

    # Copy and export

    def copies(self) -> Sequence[tuple[str, str]]:
        answer = self.state.found
        if answer is None or answer.found is None:
            return ()
        found, item, graph = answer.found, self.state.item, self.state.view.index.graph
        cause = item.cause if item else None
        whole = [root.hash for root in found.roots if root.closure and root.closure.complete and root.hash in root.here]
        roots = " ".join(f"/{each}" for each in whole if each and HASH.fullmatch(each))
        missing = " ".join(f"/{each.hash}" for each in found.missing if HASH.fullmatch(each.hash))
        texts = {
            "install": f"spack install --cache-only {roots}" if roots else "",
            "require": requirements_text([cause] if cause and cause.requirement else answer.causes),
            "mirrors": "\n".join(cache_lines(graph, answer.signed, self.state.view.settings.mirror)),
            "missing": missing,
        }
        return [(name, text) for name, text in texts.items() if text]

    def document(self) -> CheckReport | None:
        answer, graph = self.state.found, self.state.view.index.graph
        if answer is None or answer.found is None:
            return None
        places = Places(self.browser.catalogue.contents)
        return CheckReport(answer.found, answer.sizes.get, answer.causes, graph, places, answer.signed)
