"""What the command palette offers: every key of the screen that is open, the saved views, and what has no key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from textual.app import App, SystemCommand
from textual.binding import Binding
from textual.markup import escape
from textual.screen import Screen

from cachetui.text import visible
from cachetui.tui.screens.browse import BrowseScreen
from cachetui.tui.screens.survey import SurveyScreen

WIDTH = 17
"""Cells of a command's name."""


def palette_commands(app: App[Any], browse: BrowseScreen, screen: Screen[object]) -> Iterator[SystemCommand]:
    """The commands for the screen that is open."""
    if screen is browse:
        yield _command("Choose the host", "Which machine specs have to run on", browse.action_choose_host)
        expect = "What there is of a list of names or a spack.yaml"
        yield _command("Expectations", expect, browse.action_expect)
        check = "Would a spack.lock, a spack.yaml or a list install?"
        yield _command("Check environment", check, browse.surveys.open_install_of_file)
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
