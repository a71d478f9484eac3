"""What leaves the browser: texts to copy, each shown before, and views written to a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Size

from cachetui.query.query import Query
from cachetui.report.detail import Field
from cachetui.report.formats import Context
from cachetui.report.markdown import Code
from cachetui.report.paste import INSTALL
from cachetui.text import plural, visible
from cachetui.tui.rows.layout import Cell, Column, FixedRows, Line, fit_path, from_home, measure
from cachetui.tui.screens.export_file import current_folder, free_path, is_folder, write_whole
from cachetui.tui.screens.hints import Hint
from cachetui.tui.screens.list_screens import BACK, SheetScreen, list_help
from cachetui.tui.screens.paths import path_completions
from cachetui.tui.terminal.clipboard import NOT_SENT, send
from cachetui.tui.terminal.lifecycle import TerminalApp
from cachetui.tui.widgets.bar import in_two_lines
from cachetui.tui.widgets.detail import LABEL, DetailPane, lines_of
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.signs import signs_of
from cachetui.tui.widgets.table import Table
from cachetui.tui.wire.painter import PaintedApp

Writer = Callable[[], Iterable[str]]
"""Gives the lines of a file, each with its newline."""


class CopyScreen(SheetScreen):
    """Texts that can be copied; ends with a message that has the text, so that it can be selected by hand too.

    Of a text that a message has no room for it has the beginning, and says where all of it is to be seen. What no way
    takes stays on this screen.
    """

    KEYS = list_help("Copy", "each text stands in full below the list", enter="copy it to the clipboard")

    def __init__(self, texts: Sequence[tuple[str, str]], what: str = "") -> None:
        """`what`: whose texts they are. The cursor begins on the one that installs, if there is one."""
        labels = max((len(label) for label, _ in texts), default=0)
        table = Table([Column("what", max(14, labels)), Column("text", 30, share=1, words=True)])
        names = [label for label, _ in texts]
        lines = [Line((Cell(label, "key"), _in_a_line(text))) for label, text in texts]
        table.show(FixedRows(lines, names), key=INSTALL)
        super().__init__(f"Copy {what}".rstrip(), table, (Hint("table.choose", "Enter", "copy"), BACK))
        self._table = table
        self._texts = texts
        self._whole = WholeText(texts)

    def body(self) -> ComposeResult:
        yield from super().body()
        yield self._whole

    def on_mount(self) -> None:
        self.show_whole()

    @on(Table.Moved)
    def show_whole(self) -> None:
        self._whole.show_text(self._table.cursor_row or 0)
        self.hint("")

    def choose(self, event: Table.Chosen) -> None:
        label, text = self._texts[event.row or 0]
        sent = send(text, os.environ, cast(PaintedApp[Any], self.app).send_to_terminal)
        way, width = f"{label}: {sent}", self.app.size.width
        whole = f"{way}: {text}"
        if sent.startswith(NOT_SENT):
            self.hint(way)
        elif "\n" not in text and max(map(measure, in_two_lines(visible(whole), width))) <= width:
            self.dismiss(whole)
        else:
            self.dismiss(f"{way}; {self.key_of('browse.copy', 'y')} shows all of it: {_in_a_line(text)}")


def _in_a_line(text: str) -> str:
    """The first line of a text, and how many more it has."""
    first, *more = text.splitlines()
    return f"{visible(first)} (+{plural(len(more), 'line')})" if more else visible(first)


class WholeText(DetailPane):
    """One of some texts in full, where there is room for the longest."""

    DEFAULT_CSS = ""

    def __init__(self, texts: Sequence[tuple[str, str]]) -> None:
        super().__init__(id="whole")
        self.border_title = "in full"
        # the list above names it whole
        labels = [label if len(label) <= LABEL else "" for label, _ in texts]
        self._of = [
            [Field(label, tuple(map(visible, text.splitlines())), True)]
            for label, (_, text) in zip(labels, texts, strict=True)
        ]

    def show_text(self, k: int) -> None:
        """Shows the k-th."""
        self.show_fields(self._of[k])

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The lines of the longest, as far as a screen has them beside the list of the texts."""
        most = max(1, viewport.height - min(len(self._of) + 1, viewport.height // 2) - AROUND_TEXT)
        return max(lines_of(fields, width, most) for fields in self._of)


AROUND_TEXT = 3
"""Lines around a text in full and the list above it: the title, the border between them, the last line."""


EXPORT_HINTS = (
    Hint("table.choose", "Enter", "write the file"),
    Hint("export.file", "/", "another folder or name"),
    BACK,
)

TYPING_HINTS = (
    Hint("prompt.done", "Enter", "write it"),
    Hint("prompt.complete", "Tab", "complete"),
    Hint("prompt.leave", "Esc", "leave"),
)

USES = {
    "csv": "for spreadsheets",
    "json": "for programs",
    "md": "Markdown, to be read",
    "yaml": "spack.yaml, to install it",
}
"""What a file is for, by its ending."""


class ExportScreen(SheetScreen):
    """The formats that a view can be written in; ends with a message about the file."""

    AUTO_FOCUS = "Table"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "ask_file", "File", id="export.file", tooltip="Another folder or name for the file"),
    ]

    KEYS = list_help(
        "Export",
        "the formats, and the files that they go to",
        ("/", "another folder or name for the file; Tab completes it"),
        enter="write the file",
    )

    def __init__(self, name: str, what: str, writers: Mapping[str, Writer]) -> None:
        """`name`: of the file, without its ending; `writers`: for each ending the lines."""
        columns = [
            Column("format", 7),
            Column("for", max(map(len, USES.values())), drop=1, gap=2),
            Column("file", 24, share=1),
        ]
        self._table = Table(columns)
        self._paths: list[Path] = []
        super().__init__("", self._table, EXPORT_HINTS)
        self._title = f"Export {what} into "
        self._stem = name
        self._folder = ""
        """Where the file goes to: what is typed, else what was written into last; empty for the current folder."""
        self._writers = writers
        self._line = Prompt(":", "a folder, or the name of a file", id="export-file", completer=path_completions)

    def body(self) -> ComposeResult:
        self._offer_files()
        yield self._line
        yield from super().body()

    @property
    def _last_folder(self) -> str:
        """The folder that was written into last in this session; empty where there is none, or no longer."""
        folder = cast(TerminalApp[Any], self.app).export_folder
        return folder if os.path.isdir(folder) else ""

    def _offer_files(self) -> None:
        """Shows a file for each format, in the folder that was written into last."""
        self._folder = self._last_folder
        self._paths = [free_path(self._stem, ending, self._folder) for ending in self._writers]
        lines = [
            Line((Cell(ending, "key"), USES[ending], visible(path.name)))
            for ending, path in zip(self._writers, self._paths, strict=True)
        ]
        self._table.show(FixedRows(lines))

    def on_resize(self) -> None:
        self._show_folder()

    def _show_folder(self) -> None:
        """Says in the title where the file goes to."""
        room = self.app.size.width - measure(self._title)
        folder = os.path.normpath(os.path.join(current_folder(), self._folder))
        self.retitle(self._title + fit_path(visible(folder), room, signs_of(self._table).cut))

    def choose(self, event: Table.Chosen) -> None:
        self._write(event.row or 0, self._paths[event.row or 0])

    def action_ask_file(self) -> None:
        """Asks for another file for the format under the cursor."""
        self._line.open(visible(from_home(str(self._paths[self._table.cursor_row or 0]))), selected=True)
        self.show_ways_on()

    @on(Prompt.Edited)
    def follow_ending(self, event: Prompt.Edited) -> None:
        """Puts the cursor on the format that the ending of the file says."""
        self._table.go(self._row_of(Path(event.text.strip())))

    def _row_of(self, path: Path) -> int:
        """The format of this ending, else the one under the cursor."""
        same = (k for k, own in enumerate(self._paths) if own.suffix == path.suffix)
        return next(same, self._table.cursor_row or 0)

    @on(Prompt.Edited)
    def follow_folder(self, event: Prompt.Edited) -> None:
        self._follow_folder(event.text)

    def _follow_folder(self, text: str) -> None:
        typed = os.path.expanduser(text.strip())
        self._folder = typed if is_folder(typed) else os.path.dirname(typed)
        self._show_folder()

    @on(Prompt.Edited)
    def show_ways_on(self) -> None:
        """Says what the keys do, or what Tab puts into the line next, once it put something there."""
        offers = [visible(offer.text) for offer in self._line.offers] if self._line.has_taken else []
        keys = [hint.text(self.signs_of_keys) for hint in TYPING_HINTS]
        replaced = ["letters replace it, End keeps it"] if self._line.is_selected else []
        enter, tab = keys[0], TYPING_HINTS[1].key_text(self.signs_of_keys)
        self.hint("  ".join([enter, f"{tab} {offers[0]}", *offers[1:]] if len(offers) > 1 else [*replaced, *keys]))

    @on(Prompt.Left)
    def take_file(self, event: Prompt.Left) -> None:
        """Writes the file that was typed, or the one of before in a folder that was typed.

        The ending of the file says in which format; without one it gets that of the format under the cursor. A file
        that cannot be written is asked for again.
        """
        self._table.focus()
        self.hint("")
        self._folder = self._last_folder
        self._show_folder()
        if event.chosen and (typed := event.text.strip()):
            row, path = self._file(typed)
            if not self._write(row, path):
                self._line.open(event.text)
                self._follow_folder(event.text)

    def _file(self, typed: str) -> tuple[int, Path]:
        """The format and the file that a text means: the own name of the format in a folder, its ending where none is
        typed."""
        path = Path(os.path.expanduser(typed))
        if is_folder(os.path.expanduser(typed)):
            row = self._table.cursor_row or 0
            return row, path / self._paths[row].name
        row = self._row_of(path)
        has_ending = path.suffix[1:].isalpha()  # `.14` of `hdf5-1.14` is none
        return row, path if has_ending else path.with_name(path.name + self._paths[row].suffix)

    def _write(self, row: int, path: Path) -> bool:
        """Writes a format to a file, or says why not; returns whether it did."""
        try:
            write_whole(path, list(self._writers.values())[row]())
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else error
            where = fit_path(visible(str(path)), self.app.size.width, signs_of(self._table).cut)
            self.hint(f"{reason}, nothing was written: {where}")
            return False
        else:
            cast(TerminalApp[Any], self.app).export_folder = str(path.parent)
            folder = os.path.join(current_folder(), path.parent)
            written = f"written: {path.name} in "
            room = self.app.size.width - measure(visible(written))
            self.dismiss(f"{written}{fit_path(os.path.normpath(folder), room, signs_of(self._table).cut)}")
            return True


def context(content: str | None, query: Query, command: str, shows: str = "", note: str = "") -> Context:
    """What an exported view is of, for those who read the file later.

    `shows`: which rows there are of what the query takes, where not all; `note`: what is to be known of the command.
    """
    tags = " ".join(part.text.removeprefix("tag=") for part in query.parts_of("tag")) or "all"
    rest = str(query.without_key("tag").spelled_for(fuzzy_name=False))  # as a command takes it
    return {
        "content": Code(content) if content else "the sample",
        "tags": tags,
        **({"shows": shows} if shows else {}),
        "query": Code(rest) if rest else "no filter" if shows else "everything",
        "date": date.today().isoformat(),
        "command": Code(command),
        **({"note": note} if note else {}),
    }
