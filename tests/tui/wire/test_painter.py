"""Cell by cell or as Textual does it: the same screen; few bytes, no stale frames, no harm where it cannot work."""

from __future__ import annotations

import asyncio
import io
import pty
import re
import shlex
import shutil
import subprocess
import sys
import termios
import time
import tty
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import ColorSystem
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.strip import Strip

from cachetui.tui.wire import flow, painter, questions
from cachetui.tui.wire.cells import (
    NOWHERE,
    PLAIN,
    Area,
    Canvas,
    Frame,
    Signs,
    blank_row,
    change_of_look,
    characters,
    look_of,
    text_of,
)
from cachetui.tui.wire.flow import PAINT, Output
from cachetui.tui.wire.pen import beginning, difference
from cachetui.tui.wire.questions import ASK, IN_FLIGHT
from tests.support.places import SAMPLE
from tests.support.twin import COLORS, SIZES, Emulator, TwinApp, difference_of, walk
from tests.support.wire_bytes import Metered

COLOR_NAMES = ["default", "red", "bright_blue", "color(200)", "#204060"]

LOOKS = st.builds(
    Style,
    color=st.sampled_from([None, *COLOR_NAMES]),
    bgcolor=st.sampled_from([None, *COLOR_NAMES]),
    bold=st.booleans(),
    dim=st.booleans(),
    italic=st.booleans(),
    underline=st.booleans(),
    reverse=st.booleans(),
    strike=st.booleans(),
)

TEXTS = st.text(st.sampled_from("ab  │é漢한"), max_size=12) | st.sampled_from(
    ["e\u0301x", " " * 20, "n\u0303漢字", "漢\u0301xy"]
)

WIDTH, HEIGHT = 24, 3

DRAWN = st.tuples(st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1), TEXTS, LOOKS)


def rows(*lines: str) -> Frame:
    canvas = Canvas(cell_len(lines[0]), len(lines))
    for y, line in enumerate(lines):
        canvas.draw(0, y, [(line, PLAIN)])
    return canvas.frame((0, 0))


def draw_on(canvas: Canvas, x: int, y: int, text: str, codes: str) -> None:
    canvas.draw(x, y, [(text, look_of(codes))])


@pytest.mark.parametrize("colors", COLORS)
@settings(max_examples=60)
@given(frames=st.lists(st.lists(DRAWN, max_size=6), min_size=1, max_size=4))
def test_a_terminal_shows_what_was_drawn(colors: ColorSystem, frames: list[list[tuple[int, int, str, Style]]]) -> None:
    """The difference to the last frame leads to the same screen as the whole of the new one."""
    canvas, shown = Canvas(WIDTH, HEIGHT), None
    followed = Emulator(WIDTH, HEIGHT)
    for drawn in frames:
        for x, y, text, style in drawn:
            draw_on(canvas, x, y, text, Strip.render_ansi(style, colors))
        frame = canvas.frame((0, 0))
        followed.feed(difference(shown, frame))
        shown = frame
        afresh = Emulator(WIDTH, HEIGHT)
        for y, row in enumerate(frame.rows):
            for x, (text, look) in enumerate(row.cells()):
                codes = ";".join(("0", *look.attributes, *filter(None, look[1:])))
                afresh.feed(f"\x1b[{y + 1};{x + 1}H\x1b[{codes}m{text}" if text else "")
        assert followed.cells() == afresh.cells()


@given(LOOKS, LOOKS, st.sampled_from(list(COLORS)))
def test_a_change_of_look_ends_in_the_new_one(old: Style, new: Style, colors: ColorSystem) -> None:
    changed, anew = Emulator(2, 1), Emulator(2, 1)
    before, after = (look_of(Strip.render_ansi(style, colors)) for style in (old, new))
    changed.feed(change_of_look(PLAIN, before) + change_of_look(before, after) + "x")
    anew.feed(change_of_look(PLAIN, after) + "x")
    assert changed.screen.buffer[0][0] == anew.screen.buffer[0][0]
    assert len(change_of_look(before, after)) <= len(change_of_look(PLAIN, after)) + 1 or after == PLAIN


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        ("1;31", "1;31", ""),
        ("", "1;31;49", "\x1b[1;31m"),
        ("1;31", "", "\x1b[m"),
        ("31", "1;31", "\x1b[1m"),
        ("1;31", "31", "\x1b[22m"),
        ("1", "2", "\x1b[;2m"),
        ("2;38;5;200;44", "1;2;38;5;200;44", "\x1b[1;2m"),
        ("1;2;38;5;200;44", "1;38;5;200;44", "\x1b[22;1m"),
        ("38;2;1;2;3;48;2;4;5;6", "48;2;4;5;6", "\x1b[39m"),
        ("53;48;2;4;5;6", "48;2;4;5;6", "\x1b[;48;2;4;5;6m"),
    ],
)
def test_a_look_changes_by_the_fewest_codes(old: str, new: str, written: str) -> None:
    assert change_of_look(look_of(old), look_of(new)) == written


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        (["same", "same"], ["same", "same"], ""),
        (["abcd", "abcd"], ["abcd", "abXd"], "\x1b[2;3HX\x1b[H"),
        (["abcdefghijkl"], ["Xbcdefghijkl"], "\x1b[HX\x1b[H"),
        (["abcdefghijkl"], ["aXcXefghijkl"], "\x1b[1;2HXcX\x1b[H"),
        (["abcdefghijkl"], ["aXcdefghijXl"], "\x1b[1;2HX\x1b[8CX\x1b[H"),
        (["abcdefghijkl"], ["aécdefghijXl"], "\x1b[1;2Hé\r\x1b[10CX\x1b[H"),
        (["abcdefghijkl"], ["ab          "], "\x1b[1;3H\x1b[K\x1b[H"),
        (["abcdefghijklmnop", "x" * 16], [" " * 15 + "p", "y" + "x" * 15], "\x1b[1;15H\x1b[1K\r\ny\x1b[H"),
        (["abcdefghijklmnop"], ["ab          mnop"], "\x1b[1;3H\x1b[10X\x1b[H"),
        (["abcdefghijklmnop"], ["ab        XXmnop"], "\x1b[1;3H        XX\x1b[H"),
        (["a23456   0123456z"], ["a               z"], "\x1b[1;2H\x1b[15X\x1b[H"),
        (["abc", "abc", "abc"], ["aXc", "aXc", "aXc"], "\x1b[1;2HX\n\x08X\n\x08X\x1b[H"),
        (["abcd", "abcd", "abcd"], ["abcX", "abcd", "aXcd"], "\x1b[1;4HX\x1b[3;2HX\x1b[H"),
        (["漢b"], ["a b"], "\x1b[Ha \x1b[H"),
        (["漢字"], ["字字"], "\x1b[H字\x1b[H"),
        (["abcd"], ["a\u0301bcX"], "\x1b[Ha\u0301\r\x1b[3CX\x1b[H"),
    ],
)
def test_a_difference_is_short(old: Sequence[str], new: Sequence[str], written: str) -> None:
    assert difference(rows(*old), rows(*new)) == written


LINES = st.sampled_from(
    ["", "ab", "漢字 and more", "é" * 12, "a line that is long", "another line", "one more of them"]
)


@given(
    old=st.lists(LINES, min_size=9, max_size=9),
    come=st.lists(LINES, min_size=4, max_size=4),
    region=st.tuples(st.integers(0, 8), st.integers(0, 9)).map(sorted),
    lines=st.integers(-4, 4),
)
def test_rows_that_went_up_or_down_are_where_they_are_wanted(
    old: list[str], come: list[str], region: list[int], lines: int
) -> None:
    top, bottom = region
    moving = old[top:bottom]
    moved = [*moving[lines:], *come[:lines]] if lines > 0 else [*come[:-lines], *moving[: len(moving) + lines]]
    new = [*old[:top], *moved[: len(moving)], *old[bottom:]]
    new += old[len(new) :]
    frames = [Canvas(WIDTH, 9) for _ in range(2)]
    for canvas, texts in zip(frames, (old, new), strict=True):
        for y, text in enumerate(texts):
            canvas.draw(0, y, [(text, look_of("7" if y == 4 else ""))])
    before, after = (canvas.frame((0, 0)) for canvas in frames)
    followed, afresh = Emulator(WIDTH, 9), Emulator(WIDTH, 9)
    followed.feed(difference(None, before) + difference(before, after))
    afresh.feed(difference(None, after))
    assert followed.cells() == afresh.cells()


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        ("abcdefg", "acdefyg", "\x1b[2;6r\x1b[6H\n\x1b[r\x1b[6Hyyyyyyyyyyyyyyyyyyyy\x1b[H"),
        ("abcdefg", "axbcdeg", "\x1b[2;6r\x1b[2H\x1bM\x1b[r\x1b[2Hxxxxxxxxxxxxxxxxxxxx\x1b[H"),
        ("abcdefg", "defg   ", "\x1b[1;7r\x1b[7H\n\n\n\x1b[r\x1b[H"),
        ("abcdefg", "abdefgc", "\x1b[3;7r\x1b[7H\n\x1b[r\x1b[7Hcccccccccccccccccccc\x1b[H"),
        ("ab", "ba", "\x1b[Hbbbbbbbbbbbbbbbbbbbb\r\naaaaaaaaaaaaaaaaaaaa\x1b[H"),
    ],
)
def test_rows_that_only_moved_are_not_written_again(old: str, new: str, written: str) -> None:
    assert difference(rows(*(20 * sign for sign in old)), rows(*(20 * sign for sign in new))) == written


def test_a_row_that_all_but_moved_too_is_moved_and_mended() -> None:
    """As those that a mark at the end of its row stays behind."""
    old, new = [[*(20 * sign for sign in text)] for text in ("abcdefg", "bcdefgx")]
    old[0], new[0] = old[0][:19] + "|", new[0][:19] + "|"
    assert difference(rows(*old), rows(*new)) == f"\x1b[1;7r\x1b[7H\n\x1b[r\x1b[1;20H|\x1b[7H{20 * 'x'}\x1b[H"


def test_the_last_row_that_all_but_moved_too_is_moved_and_mended() -> None:
    old, new = [[*(20 * sign for sign in text)] for text in ("abcdefg", "xabcdef")]
    old[6], new[6] = old[6][:19] + "|", new[6][:19] + "|"
    assert difference(rows(*old), rows(*new)) == f"\x1b[1;7r\x1b[1H\x1bM\x1b[r\x1b[H{20 * 'x'}\x1b[7;20H|\x1b[H"


def test_where_nobody_types_the_cursor_stays_where_it_is() -> None:
    before, after = rows("abc"), rows("abX")
    assert difference(before, after._replace(cursor=NOWHERE)) == "\x1b[1;3HX"
    assert difference(before, before._replace(cursor=NOWHERE)) == ""
    assert difference(before._replace(cursor=NOWHERE), before) == "\x1b[H"


def test_a_gap_with_a_look_of_its_own_is_jumped_over() -> None:
    canvas = Canvas(8, 1)
    canvas.draw(0, 0, [("abc", PLAIN), ("de", look_of("1")), ("fgh", PLAIN)])
    before = canvas.frame((0, 0))
    draw_on(canvas, 2, 0, "X", "")
    draw_on(canvas, 5, 0, "X", "")
    assert difference(before, canvas.frame((0, 0))) == "\x1b[1;3HX\x1b[2CX\x1b[H"


def test_a_screen_that_may_show_anything_is_cleared_first() -> None:
    assert difference(None, rows("ab  ", "    ")) == "\x1b[m\x1b[H\x1b[2Jab\x1b[H"


def test_a_half_of_a_wide_character_is_a_blank() -> None:
    canvas = Canvas(6, 1)
    draw_on(canvas, 0, 0, "漢字漢", "")
    draw_on(canvas, 1, 0, "xx", "")
    assert text_of(canvas.frame((0, 0)).rows[0].text) == " xx 漢"
    assert text_of(canvas.resized(5, 1).frame((0, 0)).rows[0].text) == " xx  "
    assert text_of(canvas.resized(9, 2).frame((0, 0)).rows[0].text) == " xx 漢   "


def test_what_finds_no_sign_any_more_is_told_by_another_one() -> None:
    signs = Signs(range(ord("a"), ord("c")), "first", "?")
    assert [signs[text] for text in ("first", "second", "third", "second")] == ["a", "b", "?", "b"]
    assert "a?b".translate(signs.values_of) == "first?second"


def test_frames_stay_as_they_were_taken() -> None:
    canvas = Canvas(4, 1)
    frame = canvas.frame((0, 0))
    draw_on(canvas, 0, 0, "abcdef", "")
    assert frame.rows[0] == blank_row(4)


def test_characters_have_what_combines_with_them() -> None:
    assert characters("\u0301ae\u0301漢\u2764\ufe0f") == (("a", 1), ("e\u0301", 1), ("漢", 2), ("\u2764\ufe0f", 2))


class Line:
    """An output whose queue is seen, and the bytes that went through it."""

    def __init__(self) -> None:
        self.file = io.StringIO()
        self.queue: list[str] = []
        self.output = Output(self.file, self.queue.append)

    def take(self) -> str:
        """Lets the terminal take one text of the queue; what it was."""
        before = self.file.tell()
        self.output.write(self.queue.pop(0))
        return self.file.getvalue()[before:]


def test_a_frame_that_was_overtaken_is_never_written() -> None:
    line = Line()
    for text in "abc":
        line.output.show(rows(text * 3))
    assert line.queue == [PAINT]
    assert "ccc" in line.take()
    assert "a" not in line.file.getvalue()
    assert line.queue == []


def test_a_terminal_that_answers_gets_no_more_than_it_takes() -> None:
    line = Line()
    line.output.show(rows("a" * 3000))
    assert line.take().endswith(ASK)
    line.output.show(rows("b" * 3000))
    assert not line.take().endswith(ASK)  # who does not answer is asked once
    line.output.answered()
    for text in "cd":
        line.output.show(rows(text * 3000))
        assert line.take().endswith(ASK) is (text == "c")
    line.output.show(rows("e" * 3000))
    assert line.queue == [PAINT]
    assert line.take() == ""
    line.output.answered()
    assert "e" * 3000 in line.take()
    assert "d" not in line.file.getvalue()


class Split(Line):
    """A line to a terminal that answers, its screen ten rows, of which the first comes before all else."""

    def __init__(self) -> None:
        super().__init__()
        self.show("start", "start")
        self.take()
        self.output.answered()

    def show(self, first: str, rest: str) -> None:
        frame = rows(*[f"{text:300}" for text in (first, *[rest] * 9)])
        self.output.show(frame._replace(first=[Area(0, 0, 300, 1)]))


def test_what_is_short_is_written_in_one_go() -> None:
    line = Split()
    line.show("one", "two")
    text = line.take()
    assert "one" in text
    assert "two" in text
    assert line.queue == []


def test_what_answers_comes_first_and_the_rest_when_the_terminal_has_taken_it() -> None:
    line = Split()
    line.show("a" * 300, "b" * 300)
    assert "b" not in (text := line.take())
    assert "a" * 300 in text
    assert line.queue == []
    line.output.answered()
    assert "b" * 300 in line.take()
    assert line.queue == []


def test_the_rest_is_overtaken_by_another_key() -> None:
    line = Split()
    for first, rest in ("ab", "cd", "ef"):
        line.show(first * 300, rest * 300)
        line.take()
    for _ in range(3):
        line.output.answered()
    line.take()
    assert {letter: letter in line.file.getvalue() for letter in "abcdef"} == dict.fromkeys("acef", True) | {
        "b": False,
        "d": False,
    }


def test_the_rest_comes_without_an_answer_when_nothing_has_changed_for_a_moment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = Split()
    line.show("a" * 300, "b" * 300)
    line.take()
    monkeypatch.setattr(flow, "REST", 0)
    line.output.show_rest()
    assert "b" * 300 in line.take()
    line.output.show_rest()
    assert line.queue == []


def test_a_beginning_never_cuts_a_wide_character() -> None:
    shown, wanted = rows("abcd"), rows("漢字")._replace(first=[Area(0, 0, 1, 1)])
    assert beginning(shown, wanted) is wanted
    assert difference(shown, beginning(shown, rows("xbcy")._replace(first=[Area(0, 0, 2, 1)]))) == "\x1b[Hx\x1b[H"


def test_many_small_frames_are_under_way_together() -> None:
    line = Line()
    line.output.show(rows("start"))
    line.take()
    line.output.answered()
    written = ""
    for k in range(200):
        line.output.show(rows(f"{k:05}"))
        written += line.take()
    assert IN_FLIGHT < len(written) < IN_FLIGHT + 30


def test_a_terminal_that_answers_no_more_is_written_to_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line()
    line.output.show(rows("a" * 3000))
    line.take()
    line.output.answered()
    line.output.show(rows("b" * 3000))
    line.take()
    line.output.show(rows("c" * 3000))
    assert line.take() == ""
    line.output.give_up_waiting()
    assert line.queue == []
    monkeypatch.setattr(questions, "PATIENCE", 0)
    line.output.give_up_waiting()
    assert line.take().startswith("\x1b[Hccc")
    assert not line.output.in_flight


def test_a_restart_writes_all_of_it_again() -> None:
    line = Line()
    line.output.show(rows("abc"))
    line.take()
    line.output.show(rows("abd"))
    line.output.restart()  # what was in the queue is gone with its thread
    line.queue.clear()
    line.output.show(rows("abd"))
    assert "\x1b[2Jabd" in line.take()


def test_what_belongs_together_is_said_to() -> None:
    line = Line()
    line.output.synchronized = True
    line.output.show(rows("a" * 1000))
    assert line.take().startswith("\x1b[?2026h")
    line.output.show(rows("a" * 999 + "b"))
    assert "2026" not in line.take()


@pytest.mark.parametrize(("seed", "size", "colors"), list(zip(range(3), SIZES, COLORS, strict=True)))
def test_a_walk_shows_the_same_both_ways(seed: int, size: tuple[int, int], colors: ColorSystem) -> None:
    app = walk(SAMPLE, seed, size, colors, steps=12)
    assert app.written > 500
    assert not app.full_repaint


def test_a_terminal_that_was_resized_there_and_back_is_painted_again() -> None:
    """Textual sees the last size alone, and that nothing has changed."""
    app = TwinApp(SAMPLE, (80, 24), ColorSystem.STANDARD)

    async def session() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            app.paint()
            app.painted.feed("\x1b[2J\x1b[5;5Hgarbage")
            app.post_message(events.Resize(Size(80, 24), Size(80, 24)))
            await pilot.pause()
            app.paint()
            assert difference_of(app) == []

    asyncio.run(session())


def test_an_update_of_an_unknown_kind_is_left_to_textual(monkeypatch: pytest.MonkeyPatch) -> None:
    app = TwinApp(SAMPLE, (80, 24), ColorSystem.STANDARD)

    async def session() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            assert not app.full_repaint
            monkeypatch.setattr(painter, "_strips", lambda update: [(0, 0, None)])
            await pilot.press("down")
            await pilot.pause()
            assert app.full_repaint
            before = app.written
            app.paint()
            assert app.written == before

    asyncio.run(session())


def test_line_feeds_go_down_alone_or_the_painter_steps_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    (near, one), (far, other) = pty.openpty(), pty.openpty()
    with open(one, "w") as same, open(other, "w") as another, open(near), open(far):
        for stream, taken in ((another, False), (same, True)):
            monkeypatch.setattr(sys, "__stderr__", stream)
            assert painter._takes_line_feeds(one) is taken
        assert not termios.tcgetattr(one)[tty.OFLAG] & termios.OPOST
        assert termios.tcgetattr(other)[tty.OFLAG] & termios.OPOST


def test_a_real_terminal_shows_the_same_both_ways() -> None:
    """The program itself, its questions answered; pictures of it at the start, in a modal and behind it."""
    command = [sys.executable, "-m", "cachetui", str(SAMPLE)]
    with Metered(command) as cells, Metered([*command, "--full-repaint"]) as whole:
        for key, shown in (("", "py-ml-dtypes"), ("j", ">py-mpi4py"), ("?", "Help"), ("q", ">py-mpi4py")):
            for terminal in (cells, whole):
                terminal.send(key)
            for terminal in (cells, whole):
                terminal.wait_for(shown)
            settle(cells, whole)
            assert (cells.lines, picture_of(cells)) == (whole.lines, picture_of(whole))
        for terminal in (cells, whole):
            terminal.send("q")
            assert terminal.exitstatus() == 0
        assert ASK.encode() in cells.output
        assert ASK.encode() not in whole.output


@pytest.mark.parametrize("program", ["tmux", "screen"])
def test_lists_scroll_the_same_within_another_program(program: str, tmp_path: Path) -> None:
    """Rows that go up and down are moved by that program, as far as it can."""
    if shutil.which(program) is None:
        pytest.skip(f"needs {program}")
    (tmp_path / "tmux.conf").write_text("set -g status off\n")
    (tmp_path / "sockets").mkdir(mode=0o700)
    env = {"HOME": str(tmp_path), "SCREENDIR": str(tmp_path / "sockets"), "TMUX": "", "STY": ""}
    env |= {"PYTHONPATH": str(SAMPLE.parents[1]), "TERM": "vt220"}  # which scrolls by what pyte knows
    with ExitStack() as stack:
        terminals: list[Metered] = []
        for options in ([], ["--full-repaint"]):
            command = [sys.executable, "-m", "cachetui", *options, str(SAMPLE)]
            if program == "tmux":
                tmux = [
                    "tmux",
                    "-u",
                    "-S",
                    str(tmp_path / f"socket{len(terminals)}"),
                    "-f",
                    str(tmp_path / "tmux.conf"),
                ]
                stack.callback(subprocess.run, [*tmux, "kill-server"], capture_output=True, check=False)
                command = [*tmux, "new-session", shlex.join(command)]
            else:
                command = ["screen", "-U", "-c", "/dev/null", *command]
            terminals.append(stack.enter_context(Metered(command, env=env)))
        cells, whole = terminals
        for terminal in terminals:
            terminal.wait_for("129 0.4.0")
        for keys in ("\r", "j" * 12, "j", "jj", "\x1b[6~", "k" * 10, "k", "\x1b[5~", "G", "c", "jj", "q"):
            for terminal in terminals:
                terminal.send(keys)
            settle(cells, whole)
            assert (cells.lines, picture_of(cells)) == (whole.lines, picture_of(whole)), keys
        for terminal in terminals:
            terminal.send("q")
            terminal.exitstatus()


def settle(one: Metered, other: Metered) -> None:
    """Reads until neither says more; until both show the same, where one of them is only slow."""
    deadline = time.monotonic() + 10
    alike = False
    while not alike and time.monotonic() < deadline:
        one.settle(0.05)
        other.settle(0.05)
        alike = picture_of(one) == picture_of(other)


def picture_of(terminal: Metered) -> list[list[object]]:
    """Every cell with its look."""
    return [[terminal.screen.buffer[y][x] for x in range(80)] for y in range(24)]


def test_a_step_in_a_list_moves_no_cursor_and_a_letter_typed_does(monkeypatch: pytest.MonkeyPatch) -> None:
    app = TwinApp(SAMPLE, (80, 24), ColorSystem.STANDARD)
    written: list[str] = []

    async def session() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await app.workers.wait_for_complete()
            await pilot.press("slash", "h")
            await pilot.pause()
            app.paint()
            monkeypatch.setattr(app, "write", written.append)
            for key in ("p", "escape", "j", "k"):
                written.clear()
                await pilot.press(key)
                await pilot.pause()
                app.paint()
                moved = re.search(r"\x1b\[\d+;\d+H$", "".join(written).removesuffix(ASK))
                assert (moved is not None) is (key == "p"), key

    asyncio.run(session())
