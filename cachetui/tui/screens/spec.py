"""One spec in full, with what can be copied of it and what it needs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message

from cachetui.model.spec import Spec
from cachetui.report.comparison import twins_field
from cachetui.report.deps import dependency_fields
from cachetui.report.detail import TWINS, Field, detail
from cachetui.report.find import spec_name
from cachetui.report.paste import copies
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.sources.buildcache.signatures import is_signed
from cachetui.tui.rows.layout import Cell
from cachetui.tui.rows.specs import SpecKey, spec_key
from cachetui.tui.screens.copies import CopyScreen
from cachetui.tui.screens.hints import Hint
from cachetui.tui.screens.list_screens import DetailScreen, Offered, list_help
from cachetui.tui.screens.size_reading import SizesRead, read_sizes
from cachetui.tui.widgets.table import MARKED

if TYPE_CHECKING:
    from cachetui.tui.screens.dependencies import DependenciesScreen
    from cachetui.tui.screens.host_steps import Judging

NOT_RECORDED = "not known: no dependencies are recorded of this spec"


COPY = Hint("spec.copy", "y", "copy")
NEEDS = Hint("spec.needs", "n", "needs")
INSTALL = Hint("spec.install", "i", "install?")
MARK = Hint("spec.mark", "Space", "mark")
UNMARK = Hint("spec.mark", "Space", "unmark")
COMPARE = Hint("spec.compare", "=", "compare")


IsMarked = Callable[[SpecKey], bool]
"""Whether a spec is marked by now."""


class SpecScreen(DetailScreen):
    """The fields of a spec; it can be copied, marked and compared, and leads to what it needs and if it installs."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "Copy", id="spec.copy", tooltip="Copy a hash or a command"),
        Binding("n", "needs", "Needs", id="spec.needs", tooltip="What it needs, and what needs it"),
        Binding("space", "mark", "Mark", id="spec.mark", tooltip="Mark the spec, or take the mark away"),
        Binding("equals_sign", "compare", "Compare", id="spec.compare", tooltip="This and a marked one side by side"),
        Binding("i", "install", "Install", id="spec.install", tooltip="Would it install from binaries?"),
    ]

    KEYS = list_help(
        "A spec in full",
        "all that is recorded of it",
        ("y", "copy a hash or a command"),
        ("Space", "mark it, or take the mark away"),
        ("=", "it and a marked one side by side"),
        ("n", "what it needs, and what needs it, as trees"),
        ("i", "would it install from binaries, and what would that take?"),
        ("Ctrl+P host", "another host to judge it by: the list then shows only what runs there"),
    )

    @dataclass
    class Asked(Message):
        """The user wants what the screen cannot do by itself: to mark, to compare, to see if the spec would install."""

        wanted: Literal["mark", "compare", "install"]
        spec: Spec
        key: SpecKey
        say: Callable[[str], None]
        """Says on the screen what came of it."""

    def __init__(self, index: Index, row: int, judging: Judging, is_marked: IsMarked) -> None:
        """`row` of the index; `judging`: by which host; `is_marked` says it of any spec by now."""
        self._index, self._row, self._judging, self._is_marked = index, row, judging, is_marked
        self._spec = index.spec(row)
        self._mirror = os.environ.get("CACHETUI_MIRROR")
        self._texts = copies([self._spec], self._mirror, index.graph, is_signed)
        self._twins_field, self._needs = twins_field(index, row), self._needs_fields()
        self._read_size: Field | None = None
        """The size, where it had to be read."""
        self._host = judging.host()
        """The one that is shown."""
        keys = (COPY, NEEDS, INSTALL, MARK, COMPARE) if self._needs else (COPY, MARK, COMPARE)
        self._key = spec_key(index, row)
        super().__init__(visible(spec_name(self._spec)), self._fields, keys)

    @property
    def _fields(self) -> list[Field]:
        """All that is shown of it."""
        fields = detail(self._index, self._row, self._host, self._mirror, is_signed)
        fields = [self._twins_field or field if field.label == TWINS else field for field in fields]
        at = next(k for k, field in enumerate(fields) if field.label == "mirror")
        *others, page = [*fields[:at], *self._needs, *fields[at:]]
        return [*others, page] if self._read_size is None else [*others, self._read_size, page]

    def on_mount(self) -> None:
        spec_hash = self._spec.hash
        if spec_hash and self._index.graph and not isinstance(self._spec.size, int):
            read_sizes(self, self._index, lambda: [spec_hash])

    def on_screen_resume(self) -> None:
        """Follows what was marked, and which host was chosen, on a screen that was over this one."""
        self._show_title()
        self._follow_host()

    def _follow_host(self) -> None:
        """Shows the same spec as the host judges it that is in force by now."""
        host = self._judging.host()
        if host != self._host:
            self._host = host
            self._detail.show_fields(self._fields, stays=True)

    def _show_title(self) -> None:
        title, is_marked = visible(spec_name(self._spec)), self._is_marked(self._key)
        old, new = (MARK, UNMARK) if is_marked else (UNMARK, MARK)
        if old in self._key_hints:
            self._key_hints = tuple(new if hint is old else hint for hint in self._key_hints)
            self.hint("")
        if is_marked:
            self._heading.show([Cell(f"{MARKED} {title}", "marked")], ["marked"])
        else:
            self.retitle(title)

    @on(SizesRead)
    def show_size(self, event: SizesRead) -> None:
        if event.total is not None:
            self._read_size = Field("size", (f"{event.total:,} bytes",))
            self._detail.show_fields(self._fields)

    def _needs_fields(self) -> list[Field]:
        return dependency_fields(self._index, self._spec)

    def action_copy(self) -> None:
        if self._texts:
            self.app.push_screen(CopyScreen(self._texts), self.say_done)

    def action_needs(self) -> None:
        """Shows the trees of dependencies, from which one comes back here."""
        found = dependencies_screen(self._index, self._row, self._judging, self._is_marked)
        if found is None:
            self.hint(NOT_RECORDED)
        else:
            self.app.push_screen(found)

    def action_mark(self) -> None:
        self._ask("mark")

    def action_compare(self) -> None:
        self._ask("compare")

    def commands(self) -> Iterator[Offered]:
        yield Offered("Choose the host", "Which machine specs have to run on", self._choose_host)

    def _choose_host(self) -> None:
        self._judging.choose(self._key, self._answer)

    def _ask(self, wanted: Literal["mark", "compare", "install"]) -> None:
        self.post_message(self.Asked(wanted, self._spec, self._key, self._answer))

    def _answer(self, said: str) -> None:
        """Says what came of what was asked for, which may be that it is marked now, or judged by another host."""
        self._show_title()
        self._follow_host()
        self.say_done(said)

    def action_install(self) -> None:
        if self._index.graph and self._spec.hash:
            self._ask("install")
        else:
            self.hint(NOT_RECORDED)


def dependencies_screen(index: Index, row: int, judging: Judging, is_marked: IsMarked) -> DependenciesScreen | None:
    """The trees of the spec of a row; None where its dependencies are not recorded."""
    from cachetui.tui.screens.dependencies import DependenciesScreen

    node = index.spec(row).hash
    root = index.graph.number(node) if index.graph and node else None
    if root is None:
        return None
    return DependenciesScreen(index, root, lambda found: SpecScreen(index, found, judging, is_marked))
