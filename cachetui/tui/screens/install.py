"""Would it install? Whether what a user wants comes from binaries, what keeps it from that, and what to write down.

Three things are done here: see whether it installs and what it takes, see what differs (Enter goes to the nearest
build that is there, Esc comes back), and copy what to write: requirements for `packages.yaml`, mirrors, the command.
Input: an index, where to look in it, a host, and hashes, a spec or a file of the user's.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from cachetui.analysis.causes import nearest_build
from cachetui.analysis.check import Root
from cachetui.model.host import Host
from cachetui.model.spec import HASH
from cachetui.query.query import Query
from cachetui.report.check import CheckReport, content_of
from cachetui.report.find import spec_name
from cachetui.report.paste import cache_line, check_command, requirements_text
from cachetui.safe_text import plural, visible
from cachetui.search.holdings import CacheName, Holdings
from cachetui.search.index import Index
from cachetui.tui.rows.install import EXTERNAL_SECTION, InstallRows, Subject, columns, verdict
from cachetui.tui.rows.layout import Cell, measure
from cachetui.tui.rows.tones import Tone
from cachetui.tui.screens.asking import AskingScreen
from cachetui.tui.screens.export import Writer
from cachetui.tui.screens.hints import Hint
from cachetui.tui.screens.host_steps import Judging
from cachetui.tui.screens.install_answer import InstallAnswer, InstallRequest, answer_of, request_of, subject_fields
from cachetui.tui.screens.list_screens import DetailScreen, HelpSection
from cachetui.tui.screens.paths import word_completions
from cachetui.tui.screens.size_reading import SizesRead, read_sizes
from cachetui.tui.screens.spec import IsMarked, SpecScreen
from cachetui.tui.screens.survey_base import COMMON_HELP, COMPLETE, COPY, EXPORT
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.signs import signs_of
from cachetui.tui.widgets.table import Table

TITLE = "Would it install?"

HINTS = (
    Hint("table.choose", "Enter", "go to it"),
    Hint("install.file", "/", "a spack.lock or spec"),
    Hint("install.host", "H", "host"),
    COPY,
    Hint("install.open", "Space", "in full"),
    EXPORT,
)

PLACEHOLDER = "a spack.lock, a spack.yaml, a folder with one, a list; or a spec"


class InstallScreen(AskingScreen[InstallAnswer]):
    """The verdict in a line; below it causes first, then what is missing, what has to be there, what is large."""

    AUTO_FOCUS = "Table"

    TYPING = (Hint("prompt.done", "Enter", "check"), COMPLETE)

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "open", "In full", id="install.open", tooltip="The line under the cursor in full"),
        Binding("slash", "ask_what", "File", id="install.file", tooltip="Another file, or a spec"),
        Binding("H", "ask_host", "Choose the host", id="install.host", tooltip="Which machine it has to run on"),
    ]

    KEYS: ClassVar[Sequence[HelpSection]] = (
        (
            "Would it install?",
            (
                ("", "what it needs to link and run, and whether all of that comes from binaries"),
                ("Enter", "go to the binary; of what is missing to the nearest that is here; Esc there comes back"),
                ("Space", "the line under the cursor in full"),
                ("y", "copy what to require in packages.yaml, the mirrors, the command that installs"),
                ("/", "another spack.lock, spack.yaml, folder with one, list; or a spec"),
                ("H", "another host: what is needed has to run there"),
            ),
        ),
        (
            "What stands where",
            (
                ("what differs by itself", "only of a lock: the builds that the others miss for, worst first"),
                ("missing", "no binary where one looks; where else there is one, or that there is none"),
                ("has to be on the host", "externals; the C library is compared with the host's"),
            ),
        ),
        ("Everywhere", COMMON_HELP),
    )

    def __init__(
        self,
        index: Index,
        host: Host,
        scope: Query,
        content: str | None,
        is_marked: IsMarked,
        asked: InstallRequest | None = None,
    ) -> None:
        """`scope`: the tags and stacks that are looked at; without `asked` the user is asked for it.

        `is_marked`: whether a spec is marked by now.
        """
        placeholder = "" if asked else "Type the name of a file above, or a spec."
        prompt = Prompt(":", PLACEHOLDER, id="install-file", completer=word_completions)
        super().__init__(index, content, Table(columns(), placeholder=placeholder), HINTS, prompt)
        self._query = scope
        self._host, self._is_marked = host, is_marked
        self._asked = asked
        self._sizes: Mapping[str, int] = {}
        self._has_sizes = False
        """Whether the size of everything that is there is known."""

    def on_mount(self) -> None:
        self._heading.show([Cell(TITLE, "title")])
        if self._asked is None:
            self.action_ask_what()
        else:
            self.ask()

    def take(self, text: str) -> None:
        self._asked = request_of(text)

    # The host

    def action_ask_host(self) -> None:
        """Asks for another host, and looks again."""
        from cachetui.tui.screens.hosts import HostScreen

        self.app.push_screen(HostScreen(self._index, Host.parse("here"), self._host), self.take_host)

    def take_host(self, text: object) -> None:
        """Looks again for the host that was chosen, if one was; the text is its name."""
        if isinstance(text, str):
            self._host = Host.parse(text)
            self.ask()

    # The answer

    def question(self) -> Callable[[Index], InstallAnswer] | None:
        asked, scope, host = self._asked, self._query, self._host
        return (lambda index: answer_of(index, scope, host, asked)) if asked else None

    def show_answer(self, found: InstallAnswer) -> None:
        if found.error:
            self._asked = None if self._answer is None else self._answer.asked
            self.show_error(found.error, found.asked.words)
            return
        is_new = self._answer is None or self._answer.asked != found.asked
        self._answer, self._sizes, self._has_sizes = found, {}, False
        self._show_heading(found)
        self._show()
        if is_new:
            self._table.go(1)  # the first row below a heading
        if found.found is not None:
            there = [*found.found.here, *(each.hash for each in found.found.missing if each.found_in)]
            read_sizes(self, self._index, lambda: there, found)
        if found.notes:
            self.hint("; ".join(found.notes))

    def _show_heading(self, answer: InstallAnswer) -> None:
        asked = str(answer.asked)
        if not answer.asked.may_be_files and answer.found:
            asked = ", ".join(self._root_name(root) for root in answer.found.roots)
        within = f" {signs_of(self).dot} {self._query}" if self._query else ""
        self._heading.show(
            [Cell(f"{TITLE}  ", "title"), visible(f"{asked}{within}")], [f"on {visible(self._host.name)}"]
        )

    def _root_name(self, root: Root) -> str:
        """What was asked for; a hash with what it is of."""
        is_hash = root.asked.startswith("/") and root.hash is not None
        return f"{self._named(root.hash)} /{root.hash[:7]}" if is_hash and root.hash else root.asked

    @on(SizesRead)
    def show_sizes(self, event: SizesRead) -> None:
        if event.asked is self._answer:
            self._sizes, self._has_sizes = event.sizes, event.total is not None
            known = f"{len(event.sizes):,} of {event.wanted:,}"
            self._show(reading="" if self._has_sizes else f"sizes known: {known}")

    def _show(self, reading: str = "") -> None:
        answer = self._answer
        if answer is None or answer.found is None:
            return
        found = answer.found
        tone: Tone = "runs" if found.complete else "fails" if found.unfit and not found.missing else "missing"
        said, more = verdict(found, self._sizes, all_sizes=self._has_sizes)
        width = self.app.size.width
        if measure(said + more) > width:
            self._status.show_message(said, width, tone, more)
        else:
            self._status.show([Cell(said, tone), more], [reading])
        rows = InstallRows(found, answer.causes, signs_of(self).blocks.across, self._named, self._sizes)
        self._table.show(rows, rows.columns)

    def _named(self, spec_hash: str) -> str:
        rows = self._index.rows_of(spec_hash)
        spec = self._index.spec(rows[0]) if rows else None
        return spec_name(spec) if spec else "?"

    # The row under the cursor

    @property
    def _subject(self) -> Subject:
        rows, at = self._table.rows, self._table.cursor_row
        return rows.subject(at) if isinstance(rows, InstallRows) and at is not None else Subject(None)

    def choose(self, event: Table.Chosen) -> None:
        """Goes to the binary; of what is missing to where it is, else to the nearest build."""
        about = self._subject
        wanted = about.hash or (about.cause.hash if about.cause else None)
        if wanted is None:
            return
        is_here = bool(self._index.rows_of(wanted))
        if not is_here and isinstance(event.key, tuple) and event.key[0] == EXTERNAL_SECTION:
            self.hint(f"/{wanted} is the host's own: it has to be there, no binary of it is needed")
            return
        nearest = wanted if is_here else self._nearest(wanted)
        rows = self._index.rows_of(nearest) if nearest else ()
        if rows:
            judging = Judging(lambda: self._host, lambda *_: self.action_ask_host())
            self.app.push_screen(SpecScreen(self._index, rows[0], judging, self._is_marked))
            if nearest != wanted or about.cause:
                self.hint("that was the nearest build that is here")
        else:
            self.hint(f"/{wanted}: there is no binary of it here")

    def _nearest(self, spec_hash: str) -> str | None:
        """The build that is most like one that is missing."""
        graphs = [*(self._answer.graphs if self._answer else ()), self._index.graph]
        holdings = Holdings(self._index, self._query)
        found = (nearest_build(graph, spec_hash, holdings) for graph in graphs)
        return next(filter(None, found), None)

    def action_open(self) -> None:
        """Shows the line under the cursor in full."""
        rows, at = self._table.rows, self._table.cursor_row
        if isinstance(rows, InstallRows) and at is not None and rows.key(at)[1] >= 0:
            name, _, why, _ = (cell if isinstance(cell, str) else cell.text for cell in rows.row(at).cells)
            about = rows.subject(at)
            self.app.push_screen(DetailScreen(name, subject_fields(about, rows.key(at)[0], why)))

    # What leaves the screen

    def copies(self) -> Sequence[tuple[str, str]]:
        answer = self._answer
        if answer is None or answer.found is None:
            return ()
        found, here = answer.found, self._subject.cause
        whole = [root.hash or "" for root in found.roots if root.closure is not None and root.closure.complete]
        roots = list(filter(HASH.fullmatch, whole))
        missing = [each.hash for each in found.missing if HASH.fullmatch(each.hash)]
        mirrors = [self._line(mirror) for mirror in found.mirrors]
        return (
            ("require", requirements_text([here] if here and here.requirement else answer.causes)),
            ("mirrors", "\n".join([*mirrors, "spack buildcache keys --install --trust"]) if mirrors else ""),
            ("install", f"spack install --cache-only {' '.join(f'/{each}' for each in roots)}" if roots else ""),
            ("missing", " ".join(f"/{each}" for each in missing)),
            ("this view", self.made_by),
        )

    @property
    def made_by(self) -> str:
        answer = self._answer
        return "" if answer is None else check_command(self._content, answer.asked.words, self._options())

    def _line(self, mirror: CacheName) -> str:
        return cache_line(self._index.graph, mirror, os.environ.get("CACHETUI_MIRROR"))

    def _options(self) -> Mapping[str, Iterable[str]]:
        """What the command line has to say for the same scope and host."""
        tags, stacks = (sorted(self._query.ticked(name, self._index.values(name))) for name in ("tag", "stack"))
        return {"tag": tags, "stack": stacks, "fits": [str(self._host)]}

    def exports(self) -> tuple[str, str, Mapping[str, Writer]]:
        answer, index = self._answer, self._index
        if answer is None or answer.found is None:
            return super().exports()
        found, contents = answer.found, [word for word in shlex.split(self._content or "") if word != "-C"]
        report = CheckReport(found, answer.causes, lambda mirror: content_of(index.graph, mirror, contents), self._line)
        return "install", f"{plural(len(found.roots), 'root')} and what is missing", self.writers(lambda: report)
