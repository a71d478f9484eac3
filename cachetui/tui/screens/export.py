"""Views written to a file: in which format, into which folder and under which name, and what the file says it is of."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from cachetui.query.query import Query
from cachetui.report.formats import Context
from cachetui.report.markdown import Code
from cachetui.safe_text import visible
from cachetui.tui.rows.layout import Cell, Column, FixedRows, Line, fit_path, from_home, measure
from cachetui.tui.screens.export_file import current_folder, free_path, is_folder, write_whole
from cachetui.tui.screens.hints import Hint
from cachetui.tui.screens.list_screens import BACK, SheetScreen, list_help
from cachetui.tui.screens.paths import path_completions
from cachetui.tui.terminal.lifecycle import TerminalApp
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.signs import signs_of
from cachetui.tui.widgets.table import Table

Writer = Callable[[], Iterable[str]]
"""Gives the lines of a file, each with its newline."""


EXPORT_HINTS = (
    Hint("table.choose", "Enter", "write the file"),
    Hint("export.file", "/", "another folder or name"),
    BACK,
)

INSTEAD_HINTS = (EXPORT_HINTS[0], Hint("export.instead", "m", "the marked specs"), *EXPORT_HINTS[1:])
"""Where not the marked specs are exported but what was made of them."""

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
        Binding("m", "instead", "Marked specs", id="export.instead", tooltip="Export the marked specs instead"),
    ]

    KEYS = list_help(
        "Export",
        "the formats, and the files that they go to",
        ("/", "another folder or name for the file; Tab completes it"),
        ("m", "of a comparison: the marked specs themselves instead"),
        enter="write the file",
    )

    def __init__(
        self, name: str, what: str, writers: Mapping[str, Writer], instead: Callable[[], object] | None = None
    ) -> None:
        """`name`: of the file, without its ending; `writers`: for each ending the lines; `instead` opens the export of
        the marked specs, where these may be what is wanted."""
        columns = [
            Column("format", 7),
            Column("for", max(map(len, USES.values())), drop=1, gap=2),
            Column("file", 24, share=1, ends=True),
        ]
        self._table = Table(columns)
        self._paths: list[Path] = []
        super().__init__("", self._table, EXPORT_HINTS if instead is None else INSTEAD_HINTS)
        self._instead = instead
        self._title = f"Export {what} into "
        self._stem = name
        self._folder = ""
        """Where the file goes to: what is typed, else what was written into last; empty for the current folder."""
        self._writers = writers
        self._line = Prompt(":", "a folder, or the name of a file", id="export-file", completer=path_completions)

    def body(self) -> ComposeResult:
        self._offer_files(self._last_folder)
        yield self._line
        yield from super().body()

    @property
    def _last_folder(self) -> str:
        """The folder that was written into last in this session; empty where there is none, or no longer."""
        folder = cast(TerminalApp[Any], self.app).export_folder
        return folder if os.path.isdir(folder) else ""

    def _offer_files(self, folder: str) -> None:
        """Shows a file for each format that is not there yet in a folder."""
        self._folder = folder
        self._paths = [free_path(self._stem, ending, folder) for ending in self._writers]
        self._show_files(self._paths)

    def _show_files(self, paths: Sequence[Path]) -> None:
        """Shows for each format the file that it goes to."""
        lines = [
            Line((Cell(ending, "key"), USES[ending], visible(path.name)))
            for ending, path in zip(self._writers, paths, strict=True)
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

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Has the key for the marked specs only where something else is exported."""
        return action != "instead" or self._instead is not None

    def action_instead(self) -> None:
        """Exports the marked specs."""
        if self._instead is not None:
            self.dismiss(None)
            self._instead()

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
        folder = typed if is_folder(typed) else os.path.dirname(typed)
        if folder != self._folder:
            self._offer_files(folder)
        row, path = self._file(typed) if Path(typed).name else (-1, Path())
        self._show_files([path if k == row else own for k, own in enumerate(self._paths)])
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
        typed = event.text.strip()
        if event.chosen and typed:
            self._follow_folder(typed)
            row, path = self._file(typed)
            if not self._write(row, path):
                self._line.open(event.text)
        else:
            self._follow_folder(os.path.join(self._last_folder, ""))

    def _file(self, typed: str) -> tuple[int, Path]:
        """The format and the file that a text means: the one that is offered in a folder, its ending where none is
        typed."""
        path = Path(os.path.expanduser(typed))
        if is_folder(os.path.expanduser(typed)):
            row = self._table.cursor_row or 0
            return row, self._paths[row]
        row = self._row_of(path)
        has_ending = path.suffix[1:].isalpha()  # `.14` of `hdf5-1.14` is none
        return row, path if has_ending else path.with_name(path.name + self._paths[row].suffix)

    def _write(self, row: int, path: Path) -> bool:
        """Writes a format to a file, or says why not; returns whether it did."""
        try:
            write_whole(path, list(self._writers.values())[row]())
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else error
            said = f"{reason}, nothing was written: "
            way_on = "; type another name" if isinstance(error, FileExistsError) else ""
            room = max(1, self.app.size.width - measure(f"{said}{way_on}"))
            self.hint(f"{said}{fit_path(visible(str(path)), room, signs_of(self._table).cut)}{way_on}")
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
    rest = str(query.without_key("tag"))
    return {
        "content": Code(content) if content else "the sample",
        "tags": tags,
        **({"shows": shows} if shows else {}),
        "query": Code(rest) if rest else "no filter" if shows else "everything",
        "date": date.today().isoformat(),
        "command": Code(command),
        **({"note": note} if note else {}),
    }
