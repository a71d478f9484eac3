"""The dialog to export the rows on screen to a file."""

import errno
import os
from collections.abc import Collection, Iterable
from glob import escape, iglob
from itertools import count, islice
from pathlib import Path

from textual import on

from cachetui.report.formats import FORMATS
from cachetui.safe_text import plural, visible
from cachetui.settings.folders import replacing
from cachetui.tui.dialogs.list_dialog import ListDialog
from cachetui.tui.frame import Answer, AnyScreen
from cachetui.tui.lines import Cell, Column, FixedRows, Line, from_home
from cachetui.tui.widgets.prompt import Prompt

MAX_NAMES = 20_000
"""Maximum number of matching files that a completion considers."""


def completed(text: str) -> str:
    """Extend the last word of a string to the longest common prefix of all paths that begin with this word."""
    words, blank, word = text.rpartition(" ")
    start = os.path.expanduser(word)
    paths = [path for path in islice(iglob(f"{escape(start)}*"), MAX_NAMES) if visible(path) == path]
    begin_so = os.path.commonprefix([f"{path}/" if os.path.isdir(path) else path for path in paths])  # noqa: RUF071  # may end inside a name
    return words + blank + word + begin_so[len(start) :]


def free_path(name: str, ending: str, folder: Path) -> Path:
    """Return a path for a new file in a folder. Replace unsafe characters, and add a number if the file exists."""
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "-" for letter in name)
    names = (f"{plain}-{number}.{ending}" if number > 1 else f"{plain}.{ending}" for number in count(1))
    return next(path for path in map(folder.joinpath, names) if not os.path.lexists(path))


def write_whole(path: Path, lines: Iterable[str]) -> None:
    """Write a new file. The file appears in the folder only when the file is complete.

    Raises OSError, for example if the path exists.
    """
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    with replacing(path, 0o666) as file:
        file.writelines(line.encode() for line in lines)


USES = {form.ending: form.use for form in FORMATS.values() if form.ending} | {"yaml": "spack.yaml, for spack install"}
"""A short description of each format, by file extension."""


class FileDialog(ListDialog):
    """A dialog with a text field for a file name, which Tab completes."""

    @on(Prompt.CompletionAsked)
    def complete(self) -> None:
        self.line.put(completed(self.line.text))


class ExportDialog(FileDialog):
    """The dialog to export the rows of a screen. It lists the formats. The user may type a file or a folder."""

    FOOTER = (("prompt.done", "write"), ("prompt.complete", "complete"), ("prompt.leave", "back"))

    def __init__(self, below: AnyScreen) -> None:
        columns = Column("format", 6), Column("", max(map(len, USES.values())), rank=1), Column("file", 24, weight=1)
        name, marks = below.browser.name_of(below), below.state.view.marks
        title = f"Export {plural(len(marks), 'marked spec')}" if marks and name == "browse" else "Export"
        super().__init__(below, title, columns, placeholder="a folder, or another file name")
        self._stem = below.state.view.package or ("specs" if name == "browse" else name)
        self._found = below.document()
        forms = [] if self._found is None else [form for form in FORMATS.values() if form.ending]
        self._forms = {form.ending: form for form in sorted(forms, key=lambda form: form.ending)}
        self._endings = [*self._forms, *["yaml"] * (bool(forms) and below.environment() is not None)]

    def rows(self, text: str) -> FixedRows:
        paths = paths_of(text, self._stem, self._endings).items()
        files = {each: visible(from_home(str(path))) for each, path in paths}
        return FixedRows({each: Line((Cell(each, "bold"), USES[each], file)) for each, file in files.items()})

    def answer(self, key: str) -> Answer:
        path = paths_of(self.line.text.strip(), self._stem, self._endings)[key]
        try:
            write_whole(path, self._lines(key))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else error
            self.say(f"{path} was not written: {reason}")
            return None
        return f"written: {from_home(os.path.abspath(path))}"

    def _lines(self, ending: str) -> Iterable[str]:
        """Return the lines of the new file. The extension selects the format, such as a document or a `spack.yaml`."""
        document = self.below.document() or self._found
        if document is None or ending not in self._forms:
            return self.below.environment() or ()
        return self._forms[ending].write(document, None)


def paths_of(typed: str, name: str, endings: Collection[str]) -> dict[str, Path]:
    """Return a path for each file extension. If the user typed a folder or nothing, use a new file in this folder.

    `name` is the name of the new file without its extension. If the user typed a file with one of the extensions,
    return only this path.
    """
    path = Path(os.path.expanduser(typed))
    if not typed or typed.endswith("/") or os.path.isdir(path):  # Path.is_dir raises an error if the name is too long
        return {ending: free_path(name, ending, path) for ending in endings}
    if path.suffix[1:] in endings:
        return {path.suffix[1:]: path}
    return {ending: path.with_name(f"{path.name}.{ending}") for ending in endings}
