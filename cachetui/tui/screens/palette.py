"""What the command palette offers: every key of the screen that is open, the saved views, and what has no key."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from rich.segment import Segment
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding
from textual.command import CommandInput, CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.markup import escape
from textual.screen import Screen
from textual.strip import Strip
from textual.style import Style
from textual.widgets import LoadingIndicator

from cachetui.safe_text import visible
from cachetui.tui.painter.backdrop import OverScreen
from cachetui.tui.rows.spec_columns import TAG
from cachetui.tui.screens.browse import BrowseScreen
from cachetui.tui.screens.hints import Hint, hint_cells
from cachetui.tui.screens.list_screens import ListScreen
from cachetui.tui.screens.survey_base import SurveyScreen
from cachetui.tui.widgets.bar import Bar

WIDTH = 17
"""Cells of a command's name."""


CURSOR = ">"
"""Stands before the command that Enter runs."""

LEAST_SPELLING = 75.0
"""How like a command what was typed must be, from 0 to 100, where no command has the words."""


KEYS = (
    Hint("palette.run", "Enter", "run"),
    Hint("palette.choose", "Up Down", "choose"),
    Hint("palette.close", "Esc", "close"),
)


class CommandLines(CommandList):
    """The commands, one a line; a sign stands before the one under the cursor, for who sees no colours."""

    def render_line(self, y: int) -> Strip:
        strip, at = super().render_line(y), self.scroll_offset.y + y
        option = self.highlighted_option
        if option is None or option.disabled or at >= len(self._lines) or self._lines[at] != (self.highlighted, 0):
            return strip
        first, rest = strip.divide([1, strip.cell_length])
        return Strip.join([Strip([Segment(CURSOR, segment.style) for segment in first]), rest])


class Palette(CommandPalette, OverScreen[None]):
    """The commands of a screen, over it; its keys in the last line."""

    DEFAULT_CSS = ""
    VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-high")]  # noqa: RUF012  # Screen has it as no ClassVar

    def __init__(self) -> None:
        # Textual's own words have signs beyond ASCII
        super().__init__(placeholder="type a part of a command", id="--command-palette")

    def on_mount(self) -> None:
        # Each time that it blinks a line would be sent, over SSH too.
        self.query_one(CommandInput).cursor_blink = False

    def compose(self) -> ComposeResult:
        """As Textual's own, but for its list."""
        with Vertical(id="--container"):
            with Horizontal(id="--input"):
                yield CommandInput(placeholder=self._placeholder, select_on_focus=False)
            with Vertical(id="--results"):
                yield CommandLines()
                yield LoadingIndicator()
        hints = Bar(id="hints")
        hints.show(hint_cells(KEYS, {}))
        yield hints


class Commands(Provider):
    """The commands that have each of the typed words, those first that have them in their names.

    Where no command has them, those that are spelled nearly so.
    """

    async def search(self, query: str) -> Hits:
        words = query.lower().split()
        commands = self._commands()
        found = [(scored(content.plain, words), content, command) for content, command in commands]
        found = [each for each in found if each[0]]
        if not found:
            found = [(_likeness(content.plain, query.lower()), content, command) for content, command in commands]
            found = [each for each in found if each[0] >= LEAST_SPELLING]
        for score, content, command in found:
            yield Hit(score, _highlighted(content, words, self.match_style), command.callback)

    async def discover(self) -> Hits:
        for content, command in self._commands():
            yield DiscoveryHit(content, command.callback)

    def _commands(self) -> list[tuple[Content, SystemCommand]]:
        commands = sorted(self.app.get_system_commands(self.screen), key=lambda command: command.title)
        return [(Content.from_markup(command.title), command) for command in commands]


def scored(command: str, words: Sequence[str]) -> float:
    """How well a command (its name, padded, then what it does) matches the typed words; 0 where it lacks one of them.

    A name that begins as typed counts more than a word that does, a name more than what the command does, and the
    beginning of a word more than its inside, which counts from two letters on.
    """
    name, what = command[:WIDTH].rstrip().lower(), command[WIDTH:].lower()
    points = [_points(word, name, what) for word in words]
    if not points or not all(points):
        return 0.0
    return sum(points) / len(points) + name.startswith(" ".join(words))


def _points(word: str, name: str, what: str) -> float:
    if _begins(word, name):
        return 1.0
    if f"({word})" in what or f"({word}," in what:  # its key
        return 0.9
    if len(word) > 1 and word in name:
        return 0.8
    if _begins(word, what):
        return 0.6 if len(word) > 1 else 0.0
    return 0.4 if len(word) > 2 and word in what else 0.0


def _begins(word: str, text: str) -> re.Match[str] | None:
    """Where a word of the text begins so."""
    return re.search(rf"(?<!\w){re.escape(word)}", text)


def _likeness(command: str, typed: str) -> float:
    """How like what was typed a command's name, what it does or a word of these is, from 0 to 100."""
    from rapidfuzz import fuzz  # late, as most of what is typed is spelled well

    name, what = command[:WIDTH].rstrip().lower(), command[WIDTH:].partition("(")[0].strip().lower()
    return max(fuzz.ratio(typed, text) for text in (name, what, *name.split(), *what.split()))


def _highlighted(content: Content, words: Sequence[str], style: Style | None) -> Content:
    """The command, what was typed of it standing out."""
    lowered = content.plain.lower()
    if style is None or len(lowered) != len(content.plain):
        return content
    for word in words:
        found = _begins(word, lowered)
        at = found.start() if found else lowered.find(word)
        content = content.stylize(style, at, at + len(word)) if at >= 0 else content
    return content


def palette_commands(app: App[Any], browse: BrowseScreen, screen: Screen[object]) -> Iterator[SystemCommand]:
    """The commands for the screen that is open."""
    if screen is browse:
        yield _command("Choose the host", "Which machine specs have to run on", browse.action_choose_host)
        expect = "What there is of a list of names or a spack.yaml"
        yield _command("Expectations", expect, browse.surveys.open_expectations)
        check = "Would a spack.lock, a spack.yaml or a list install?"
        yield _command("Check environment", check, browse.surveys.open_install_of_file)
        if TAG in browse.view.lists.sort_steps:
            by_date = "Sort by date: newest tag of each spec"
            yield _command("Newest first", by_date, browse.sort_newest_first)
    elif isinstance(screen, ListScreen):
        yield from (_command(*command) for command in screen.commands())
    yield from _of_keys(app, screen)
    if screen is browse or isinstance(screen, SurveyScreen):
        views = browse.views
        yield _command("Save this view", "Query, tag, host, order and screen, under a name", views.ask_for_name)
        for name in views.names():
            yield _command(f"View {visible(name)}", "Open this saved view", partial(views.open, name))
    yield _command("Repaint", "Paint the screen again (ctrl+l)", partial(app.run_action, "repaint"))
    if screen is not browse:
        yield _command("Quit", "End the browser", app.action_quit)


def _of_keys(app: App[Any], screen: Screen[object]) -> Iterator[SystemCommand]:
    """What the keys of a screen do."""
    keys: dict[Binding, list[str]] = {}
    for active in screen.active_bindings.values():
        if active.node is screen and active.binding.show:
            keys.setdefault(replace(active.binding, key=""), []).append(_key_word(app, active.binding))
    for binding, words in keys.items():
        run = partial(app.run_action, binding.action, default_namespace=screen)
        yield _command(binding.description, f"{binding.tooltip} ({', '.join(words)})", run)


def _key_word(app: App[Any], binding: Binding) -> str:
    """The key in ASCII: some of Textual's signs for keys are in no font of a console."""
    sign = app.get_key_display(binding)
    return sign if sign.isascii() else binding.key


def _command(name: str, what: str, run: Callable[[], object]) -> SystemCommand:
    """A command in one line; what it does is found too, when it is typed."""
    return SystemCommand(escape(f"{name:<{WIDTH}} {what}"), "", run)
