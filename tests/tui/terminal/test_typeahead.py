"""Keys that come all at once, or before there is a screen: none is lost, none overtakes another."""

from __future__ import annotations

import asyncio
import gc
import sys

import pytest
from textual._compositor import Compositor, LayoutUpdate
from textual._xterm_parser import XTermParser

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.tui.app import BrowserApp
from cachetui.tui.screens import coverage as coverage_screen
from cachetui.tui.terminal import typeahead
from cachetui.tui.terminal.typeahead import QUIET, UNPAINTED, UNTIDY
from tests.support.browsing import WIDE, browser, settled, shown_meanwhile, shows
from tests.support.held_back import held_back
from tests.support.places import ROOT, SAMPLE_CONTENT
from tests.support.screens import Terminal, screen_lines

BURSTS = [
    ("/mpi4py @4: %gcc", "1 of 4 packages"),
    ("/mpi4py\rj", "91 of 413 specs"),
    ("#2feova4\r", "2feova4prghd2gkebr23if6bojkyydpt"),
    ("/zlib\r/\x7f\x7f\x7f\x7fsafetens\r\r", "py-safetensors@"),
    ("/x\rux/mpi\r#3wag\r", "3wag7gg"),
    ("jjj\r", "py-safetensors@"),
    ("?q!q/pdm", "77 of 413 specs"),
]
"""Keys, and what is on the screen once they are dealt with."""


@pytest.mark.parametrize(("keys", "shown"), BURSTS)
def test_keys_in_one_go_do_what_they_do_one_by_one(keys: str, shown: str) -> None:
    """Each key is posted before the app has seen the first one."""

    async def session() -> None:
        app = BrowserApp(Catalogue(SAMPLE_CONTENT, {}, snapshot=False), Query(), Host("linux", "ubuntu22.04", "zen3"))
        async with app.run_test(size=(140, 40)) as pilot:
            await app.workers.wait_for_complete()
            await pilot.pause()
            for key in XTermParser().feed(keys):
                app.post_message(key)
            screen = ""
            for _ in range(50):
                await pilot.pause()
                screen = "\n".join(screen_lines(app))
                if shown in screen:
                    return
            raise AssertionError(screen)

    asyncio.run(session())


@pytest.mark.parametrize("opened", ["number_sign", "question_mark"])
def test_a_key_does_not_have_all_of_a_screen_painted_that_has_another_below(
    opened: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def session() -> None:
        app = browser()
        async with app.run_test(size=WIDE) as pilot:
            await settled(pilot)
            await pilot.press(opened)
            await settled(pilot)
            whole: list[Compositor] = []
            paint_all = Compositor.render_full_update

            def counted(compositor: Compositor, simplify: bool = False) -> LayoutUpdate:
                whole.append(compositor)
                return paint_all(compositor, simplify)

            monkeypatch.setattr(Compositor, "render_full_update", counted)
            for key in ("2", "down", "up", "backspace"):
                await pilot.press(key)
                await settled(pilot)
            assert len(whole) <= 1, "at most once, for what the screen below had still to show; not for each key"

    asyncio.run(session())


def test_garbage_is_collected_between_keys() -> None:
    async def session() -> None:
        app = browser()
        async with app.run_test(size=WIDE) as pilot:
            await settled(pilot)
            made = 0
            while made < UNTIDY:
                await pilot.press("s")
                made = gc.get_count()[0]
            for _ in range(100):
                await pilot.pause(QUIET)
                if gc.get_count()[0] < UNTIDY:
                    return
            raise AssertionError("nobody has collected it")

    gc.disable()
    try:
        asyncio.run(session())
    finally:
        gc.enable()


def test_what_a_key_changes_is_painted_once_all_is_done_or_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """The list of specs is at something else yet when the cursor of the packages has moved already."""

    async def session() -> None:
        app, loop = browser(), asyncio.get_running_loop()
        painted: list[float] = []
        async with app.run_test(size=WIDE) as pilot:
            await settled(pilot)
            monkeypatch.setattr(app, "post_display_hook", lambda: painted.append(loop.time()))
            done, started = asyncio.Event(), loop.time()
            app.browse.panes.specs.call_later(done.wait)
            for event in XTermParser().feed("j"):
                app.post_message(event)
            while not painted and loop.time() < started + 5:
                await asyncio.sleep(0)
            done.set()
            assert painted
            assert painted[0] - started >= UNPAINTED

    asyncio.run(session())


@pytest.mark.parametrize(
    ("key", "shown"), [("y", "Enter copy"), ("e", "Enter write the file"), ("enter", "Esc goes back to the coverage")]
)
def test_a_key_for_the_figures_of_a_screen_waits_until_they_stand(
    key: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not only one that comes together with the key that opens the screen."""
    monkeypatch.setattr(typeahead, "PATIENCE", 60)
    may_begin = held_back(monkeypatch, coverage_screen, "coverage")

    async def session() -> None:
        app = browser()
        async with app.run_test(size=WIDE) as pilot:
            await settled(pilot)
            app.simulate_key("c")  # a pilot would wait for the figures
            await shown_meanwhile(pilot, "counting")
            app.simulate_key(key)
            await asyncio.sleep(0.05)  # in so long a key is dealt with that does not wait
            may_begin.set()
            await settled(pilot)
            shows(pilot, shown)

    asyncio.run(session())


def test_a_screen_whose_figures_take_long_is_left_without_them(monkeypatch: pytest.MonkeyPatch) -> None:
    may_begin = held_back(monkeypatch, coverage_screen, "coverage")

    async def session() -> None:
        app = browser()
        async with app.run_test(size=WIDE) as pilot:
            await settled(pilot)
            app.simulate_key("c")
            while app.screen is app.browse:
                await asyncio.sleep(0)
            app.simulate_key("escape")
            while app.screen is not app.browse:
                await asyncio.sleep(0)
            may_begin.set()

    asyncio.run(session())


def test_no_key_waits_for_other_figures_of_a_screen_that_has_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typeahead, "PATIENCE", 60)

    async def session() -> None:
        app, loop = browser(), asyncio.get_running_loop()
        async with app.run_test(size=WIDE) as pilot:
            await settled(pilot)
            await pilot.press("c")
            await settled(pilot)
            may_begin = held_back(monkeypatch, coverage_screen, "coverage")
            begun = loop.time()
            for key in ("m", "escape"):
                app.simulate_key(key)
            while app.screen is not app.browse and loop.time() < begun + 10:
                await asyncio.sleep(0)
            may_begin.set()
            assert app.screen is app.browse

    asyncio.run(session())


def test_of_many_keys_before_such_figures_only_the_first_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    may_begin = held_back(monkeypatch, coverage_screen, "coverage")
    keys = 20

    async def session() -> None:
        app, loop = browser(), asyncio.get_running_loop()
        async with app.run_test(size=WIDE) as pilot:
            await settled(pilot)
            begun = loop.time()
            for key in ("c", *["down"] * keys, "escape"):
                app.simulate_key(key)
            while app.screen is app.browse:
                await asyncio.sleep(0)
            while app.screen is not app.browse:
                await asyncio.sleep(0)
            assert loop.time() - begun < keys / 2 * typeahead.PATIENCE
            may_begin.set()

    asyncio.run(session())


def test_keys_before_the_first_screen_are_kept() -> None:
    """Enter too, which the terminal has made a newline of by the time that somebody reads it."""
    with Terminal([sys.executable, "-m", "cachetui"], env={"PYTHONPATH": str(ROOT)}) as terminal:
        terminal.send("#2feova4\r")
        terminal.wait_for("2feova4prghd2gkebr23if6bojkyydpt")
        terminal.send("q")
        assert terminal.exitstatus() == 0
