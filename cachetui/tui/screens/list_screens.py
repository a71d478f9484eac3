"""The screens that are one list: problems, help, a spec in full."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, zip_longest
from typing import Any, ClassVar, NamedTuple, cast

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from cachetui.model.problem import Problem
from cachetui.report.detail import Field
from cachetui.safe_text import plural, visible
from cachetui.tui.painter.backdrop import OverScreen
from cachetui.tui.rows.layout import Cell, Column, FixedRows, Line, measure
from cachetui.tui.rows.problems import PROBLEM_COLUMNS, problem_line
from cachetui.tui.screens.base import SizedScreen
from cachetui.tui.screens.browse_keys import key_of_lists
from cachetui.tui.screens.hints import Hint, fitting, hint_cells
from cachetui.tui.terminal.lifecycle import TerminalApp
from cachetui.tui.widgets.bar import Bar
from cachetui.tui.widgets.detail import DetailPane
from cachetui.tui.widgets.scrolled import ScrolledRows
from cachetui.tui.widgets.table import Table
from cachetui.tui.widgets.text_pane import TextPane

CLOSING: list[BindingType] = [
    Binding("escape,q", "close", "Close", id="screen.close", tooltip="Close this screen"),
    Binding("question_mark", "help", "Help", id="screen.help", tooltip="What the keys do"),
]

SCROLL = Hint("rows.up rows.down", "Up Down", "scroll")
BACK = Hint("screen.close", "Esc", "back")

HelpSection = tuple[str, Sequence[tuple[str, str]]]
"""A heading, and for each key what it does."""


def list_help(heading: str, about: str, *keys: tuple[str, str], enter: str = "") -> Sequence[HelpSection]:
    """What a list is for, its own keys, and those of every list; `enter`: what Enter does, if anything."""
    move = ("up and down" if enter else "scroll", "by pages", "first, last")
    everywhere = zip(("arrows, j k", "PgUp PgDn", "g G, Home End"), move, strict=True)
    chosen = (("Enter", enter),) if enter else ()
    return ((heading, (("", about), *chosen, *keys, *everywhere, ("q, Esc", "back"))),)


class Offered(NamedTuple):
    """What the palette offers on a screen that no key of it does."""

    name: str
    what: str
    run: Callable[[], object]


class ListScreen(SizedScreen[Hashable]):
    """A title, a list, a line of hints; it ends with the key of the row that is chosen, or None."""

    BINDINGS: ClassVar[list[BindingType]] = CLOSING

    KEYS: ClassVar[Sequence[HelpSection]]
    """What the help says."""

    def __init__(self, title: str, pane: ScrolledRows, hints: Sequence[Hint]) -> None:
        super().__init__()
        self._heading = Bar(id="heading")
        self.retitle(title)
        self._pane = pane
        self._key_hints = hints
        self._hints = Bar(id="hints")
        self._is_said = False
        """Whether the last line says what was done."""

    def compose(self) -> ComposeResult:
        self._show_in_last_line("")
        yield self._heading
        yield from self.body()
        yield self._hints

    def body(self) -> ComposeResult:
        """What stands between the title and the hints."""
        yield self._pane

    @property
    def signs_of_keys(self) -> Mapping[str, str]:
        """The keys of bindings that are not as they are by themselves, as people write them."""
        changed = cast(TerminalApp[Any], self.app).changed_keys
        return {name: sign for name, (sign, _) in changed.items()}

    def key_of(self, binding: str, own: str) -> str:
        """The key in force for a binding; `own`: the one that it has by itself."""
        return self.signs_of_keys.get(binding, own)

    def retitle(self, title: str) -> None:
        """Shows another title."""
        self._heading.show([Cell(title, "title")])

    def hint(self, text: str) -> None:
        """Says something in the last line, in the last two if it needs them; empty: what the keys do."""
        self._show_in_last_line(text)

    def say_done(self, message: object) -> None:
        """Says until the next key what a screen ended with: what was copied, or where it was written."""
        if isinstance(message, str):
            self.hint(visible(message))
            self._is_said = True

    def forget_message(self) -> None:
        """The user has pressed a key, so what was done was seen."""
        if self._is_said:
            self._is_said = False
            self.hint("")

    def _show_in_last_line(self, text: str) -> None:
        if text:
            self._hints.show_message(text, self.app.size.width)
            return
        keys, width = self.signs_of_keys, self.app.size.width
        shown = fitting(self._key_hints[:-1], self._key_hints[-1:], width, keys)
        has_room = sum(3 + measure(hint.text(keys)) for hint in shown) - 3 <= width
        self._hints.show(hint_cells(shown, keys, gap=3 if has_room else 2))

    def on_key(self, event: events.Key) -> None:
        """Says of a key of the browse screen that does nothing here where it does something."""
        said = "" if isinstance(self.focused, Input) else key_of_lists(event, self.signs_of_keys)
        if said and event.key not in self.active_bindings:
            self.say_done(f"{said}: {self.key_of('screen.close', 'Esc')} leads there")

    @on(Table.Chosen)
    def act_on_choice(self, event: Table.Chosen) -> None:
        # Textual calls every handler of a class and of its bases, so what differs is a method of its own.
        self.choose(event)

    def choose(self, event: Table.Chosen) -> None:
        """Ends with what was chosen."""
        self.dismiss(event.key)

    def commands(self) -> Iterator[Offered]:
        """What the palette offers beside its keys."""
        return iter(())

    def action_help(self) -> None:
        self.app.push_screen(HelpScreen(self.KEYS))

    def action_close(self) -> None:
        self.dismiss(None)


class BoxScreen(ListScreen, ModalScreen[Hashable], OverScreen[Hashable]):
    """A list in a box over the screen that it belongs to, so that little has to be painted to open and to close it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+p", "app.command_palette", "Palette", id="box.palette", show=False),
    ]

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (82, "-wide")]  # noqa: RUF012  # Screen has it as no ClassVar

    def on_mount(self) -> None:
        self.add_class([name for least, name in self.HORIZONTAL_BREAKPOINTS if least <= self.app.size.width][-1])

    def compose(self) -> ComposeResult:
        self._show_in_last_line("")
        with Vertical(id="box"):
            yield self._heading
            yield from self.body()
        yield self._hints


class SheetScreen(BoxScreen):
    """A short list over the lower lines of the screen that it belongs to, no more of them than it needs."""


class ProblemsScreen(SheetScreen):
    """What was found wrong while reading; Enter says the whole of one."""

    KEYS = list_help("Problems", "what was found wrong while the pages were read", enter="the whole of it")

    def __init__(self, problems: Sequence[Problem]) -> None:
        table = Table(PROBLEM_COLUMNS, placeholder="No problems: every page could be read.")
        table.show(FixedRows(map(problem_line, problems)))
        self._problems = problems
        hints = (Hint("table.choose", "Enter", "in full"), BACK) if problems else (BACK,)
        super().__init__(f"{plural(len(problems), 'problem')} found while reading", table, hints)

    def choose(self, event: Table.Chosen) -> None:
        if event.row is not None:
            problem = self._problems[event.row]
            place = f"{problem.path}:{problem.line}" if problem.line else problem.path
            fields = [
                Field("page", (visible(place),)),
                Field("kind", (f"{problem.level}: {problem.kind}",)),
                Field("message", (visible(problem.message),)),
            ]
            self.app.push_screen(DetailScreen("Problem", fields))


class DetailScreen(ListScreen):
    """Fields in full, to read and to select by hand."""

    KEYS = list_help("In full", "everything that is known, to read and to select by hand")

    def __init__(self, title: str, fields: Sequence[Field], keys: Sequence[Hint] = ()) -> None:
        """`keys`: what else its keys do."""
        self._detail = DetailPane()
        super().__init__(title, self._detail, (*keys, SCROLL, BACK))
        self._detail.show_fields(fields)


HELP_WIDTH = 60
"""Cells that a column of the help has at least, where there are two."""

HELP_GAP = 2
"""Blank cells between keys and what they do, and between two columns of them."""


class HelpScreen(BoxScreen):
    """What the keys of a screen do; what is long is wrapped to the width at hand."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "page", "Page down", id="help.page", tooltip="One page down", show=False),
    ]

    def __init__(self, sections: Sequence[HelpSection]) -> None:
        self._text = TextPane((), header=False)
        super().__init__("Help", self._text, (SCROLL, Hint("help.page", "Space", "page"), BACK))
        self._sections = sections

    def action_help(self) -> None:
        """The help needs none."""

    def action_page(self) -> None:
        self._text.action_page(1)

    def on_resize(self) -> None:
        columns = 2 if self.app.size.width >= 2 * HELP_WIDTH else 1
        width = max(1, self.app.size.width // columns - HELP_GAP)
        sections = (*self._sections, *self._changed())
        least = min(width // 3, max(len(key) for key, _ in sections[0][1]))
        blocks = [list(_help_lines(section, least, width)) for section in sections]
        rows = FixedRows(_in_two_columns(blocks) if columns == 2 else chain.from_iterable(blocks))
        self._text.show(rows, [Column("", width, gap=HELP_GAP)] * columns)

    def _changed(self) -> Iterator[HelpSection]:
        """What other keys do than by themselves, if the user has chosen any."""
        changed = cast(TerminalApp[Any], self.app).changed_keys.values()
        if changed:
            yield "Your keys, instead of those above", tuple(changed)


def _help_lines(section: HelpSection, least: int, width: int) -> Iterator[Line]:
    """A section as lines: the keys, in `least` characters or as many as they need here, and what they do."""
    heading, entries = section
    words = (word for key, _ in entries for word in key.split())
    keys = max(1, least, *map(len, words), min(width // 3, max(len(key) for key, _ in entries)))
    yield Line((Cell(heading, "title"),))
    for key, what in entries:
        lines = textwrap.wrap(what, max(1, width - keys - HELP_GAP), break_on_hyphens=False)
        for left, right in zip_longest(textwrap.wrap(key, keys), lines, fillvalue=""):
            yield Line((Cell(f"{left:{keys}}{'':{HELP_GAP}}{right}", spans=((0, len(left), "key"),)),))
    yield Line(("",))


def _in_two_columns(blocks: Sequence[Sequence[Line]]) -> Iterator[Line]:
    """The lines in two columns that are as long as each other, but for a section that is never divided."""
    ends = list(accumulate(map(len, blocks)))
    cut = min(range(1, len(blocks) + 1), key=lambda number: max(ends[number - 1], ends[-1] - ends[number - 1]))
    left, right = (list(chain.from_iterable(part)) for part in (blocks[:cut], blocks[cut:]))
    for one, other in zip_longest(left, right, fillvalue=Line(("",))):
        yield Line((*one.cells, *other.cells))
