"""Every key of `KEYS` has an action on each of its screens, and mypy checks the names of keys and screens."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, get_args

import pytest
from textual.binding import Binding

from cachetui.tui.app import DIALOGS, SCREENS, BrowserApp, class_of
from cachetui.tui.browse.screen import FOOTERS
from cachetui.tui.frame import DialogName, StateScreen
from cachetui.tui.keymap import ALL_KEYS, Keyed, KeyId
from cachetui.tui.view.view import ScreenName
from tests.support.drive import Drive, browser


def keyed(app: BrowserApp, below: StateScreen[Any]) -> Iterator[Keyed]:
    """Yield the app, all screens and dialogs, and their widgets with keys."""
    screens: list[Keyed] = [
        class_of(SCREENS[name])(below.current_view() or below.state.view) for name in get_args(ScreenName)
    ]
    dialogs: list[Keyed] = [class_of(DIALOGS[name])(below) for name in get_args(DialogName)]
    yield app
    for each in (*screens, *dialogs):
        yield each
        yield from (own for own in vars(each).values() if isinstance(own, Keyed))


def test_every_key_has_an_action_on_its_screen(drive: Drive) -> None:
    app, found = browser("py-mpi4py"), set[str]()
    drive(app)
    for each in keyed(app, app._first):
        bindings = (own for kind in type(each).__mro__ for own in vars(kind).get("BINDINGS", ()))
        ids = {str(own.id) for own in bindings if isinstance(own, Binding) and own.id in ALL_KEYS}
        assert ids <= {*each.actions(), *app._first.actions()}, type(each)
        found |= ids
    assert found == ALL_KEYS.keys() == {*get_args(KeyId)}


@pytest.mark.parametrize("screen", get_args(ScreenName))
def test_every_screen_accepts_common_keys_without_crash(drive: Drive, screen: ScreenName) -> None:
    app = browser("py-mpi4py")
    pilot = drive(app)
    app._first.ask(screen, app._first.current_view())
    pilot.settle()
    for key in ("u", "U", "x", "H", "comma", "full_stop", "s", "S", "space", "o", "z", "m", "M", "escape"):
        pilot.press(key)
        assert app.is_running, key


@pytest.mark.parametrize(
    ("screen", "line"),
    [
        ("stacks", "only linux-ubuntu22.04-zen3"),
        ("timeline", "fits=linux-"),
        ("deps", "only linux-ubuntu22.04-zen3"),
        ("check", "for any host"),
    ],
)
def test_host_key_limits_every_screen_to_runnable_specs(drive: Drive, screen: ScreenName, line: str) -> None:
    app = browser("py-mpi4py")
    pilot = drive(app)
    app._first.ask(screen, app._first.current_view())
    pilot.press("H")
    assert line in pilot.text


def test_footer_uses_same_labels_as_help_and_command_palette() -> None:
    screens = (class_of(SCREENS[name])(browser("py-mpi4py")._first.state.view) for name in get_args(ScreenName))
    for id, label in {*chain.from_iterable((*FOOTERS.values(), *(screen.FOOTER for screen in screens)))}:
        assert label == ALL_KEYS[id].label or id == "table.choose", id


@pytest.mark.parametrize(
    ("clicks", "shown"),
    [
        (["specs  newest"], "specs ▼"),
        (["coverage"], "━ Coverage"),
        (["coverage", "e4s "], "▼"),
        (["coverage", "Esc q"], "━ Packages 4"),
        (["develop ▾"], "━ Tag ━"),
        (["develop ▾", "Esc back"], "━ Packages 4"),
        (["develop ▾", "Enter select"], "━ Packages 4"),
        (["95 of 413 run"], "━ Host ━"),
        (["type to filter"], "Enter keep"),
        (["? help"], "━ Keys ━"),
        (["? help", "coverage"], "━ Coverage"),
        (["Enter specs"], "━ py-ml-dtypes"),
        (["py-mpi4py  ", "py-mpi4py  "], "━ py-mpi4py"),
        (["Enter specs", "compiler"], "compiler ▲"),
    ],
)
def test_click_on_key_or_heading_runs_its_action(drive: Drive, clicks: Sequence[str], shown: str) -> None:
    pilot = drive(browser())
    for text in clicks:
        pilot.click(text)
    assert shown in pilot.text
