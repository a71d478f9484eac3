"""The pane that shows a spec or a package in full: what it does where there is little room."""

from __future__ import annotations

import shlex
import subprocess
from typing import Any

import pytest
from textual.app import ComposeResult
from textual.pilot import Pilot

from cachetui.query.query import Query
from cachetui.report.detail import Field
from cachetui.tui.rows.layout import Cell
from cachetui.tui.widgets.detail import DetailPane
from tests.support.drive import Drive
from tests.support.screens import screen_lines
from tests.support.styled import StyledApp

FIELDS = [
    Field("package", ("hdf5",)),
    Field("oses", ("ubuntu22.04 (262)", "amzn2 (211)", "rhel8 (9)"), is_list=True),
    Field("stacks", ("e4s", "a-stack-with-a-name-beyond-all-room", "hep"), is_list=True),
    Field("install", ("spack install --cache-only /2feova4prghd2gkebr23if6bojkyydpt",), is_command=True),
]


class DetailApp(StyledApp):
    def __init__(self, *, brief: bool) -> None:
        super().__init__()
        self.pane = DetailPane(brief=brief)

    def compose(self) -> ComposeResult:
        yield self.pane


@pytest.mark.parametrize("brief", [False, True])
def test_where_all_of_it_has_room_all_of_it_is_shown(drive: Drive, brief: bool) -> None:
    app = DetailApp(brief=brief)

    async def scenario(pilot: Pilot[Any]) -> None:
        app.pane.show_fields(FIELDS)
        await pilot.pause()
        assert screen_lines(app)[:8] == [
            "  package hdf5",
            "     oses ubuntu22.04 (262)  amzn2 (211)",
            "          rhel8 (9)",
            "   stacks e4s  a-stack-with-a-name-beyon",
            "          d-all-room  hep",
            "  install spack install --cache-only \\",
            "          /2feova4prghd2gkebr23if6bo\\",
            "jkyydpt",
        ]

    drive(app, scenario, (41, 8))


@pytest.mark.parametrize("is_list", [False, True])
@pytest.mark.parametrize(("value", "shown"), [("root", "  (long one)"), ("a-stack-root", "  (short)"), ("s" * 20, "")])
def test_what_may_follow_a_value_does_where_it_has_room(drive: Drive, value: str, shown: str, is_list: bool) -> None:
    app = DetailApp(brief=False)

    async def scenario(pilot: Pilot[Any]) -> None:
        app.pane.show_fields([Field("stacks", (value,), is_list=is_list, asides=("(long one)", "(short)"))])
        await pilot.pause()
        assert [line for line in screen_lines(app) if line.strip()] == [f"   stacks {value}{shown}"]

    drive(app, scenario, (33, 10))


def test_a_command_goes_on_in_the_next_line_as_a_shell_has_it(drive: Drive) -> None:
    app = DetailApp(brief=False)
    words = ["spack", "find", "hdf5 cflags='-O2 -g'", "--deps", "/2feova4prghd2gkebr23if6bojkyydpt", "--json"]
    command = shlex.join(words)

    async def scenario(pilot: Pilot[Any]) -> None:
        app.pane.show_fields([Field("command", (command,), is_command=True)])
        await pilot.pause()
        shown = [line.strip().removeprefix("command ") for line in screen_lines(app)]
        assert len([*filter(None, shown)]) > 1
        told = subprocess.run(
            ["/bin/sh", "-c", "\n".join(["printf '%s\\n' \\", *shown])], capture_output=True, text=True
        )
        assert told.stdout.splitlines() == words

    drive(app, scenario, (60, 8))


@pytest.mark.parametrize("width", range(32, 60, 3))
@pytest.mark.parametrize(
    "long",
    [
        "https://binaries.spack.io/develop-2025-04-20/e4s-neoverse-v2/of/a/long/way/down/and/further",
        "hdf5@1.14.5%gcc@11.4.0+cxx+fortran+hl~java~map cflags='-O2 -g' ldflags=\"-L/a/folder\" it's",
        "back\\slashes\\\\and'quotes'" * 4,
    ],
    ids=["address", "quotes", "backslashes"],
)
def test_lines_of_a_long_word_that_are_selected_paste_as_one(drive: Drive, width: int, long: str) -> None:
    app = DetailApp(brief=False)
    words = ["mirror", "add", long, "--json"]

    async def scenario(pilot: Pilot[Any]) -> None:
        app.pane.show_fields([Field("command", (shlex.join(words),), is_command=True)])
        await pilot.pause()
        shown = [line.removeprefix("  command ") for line in screen_lines(app)]
        told = subprocess.run(
            ["/bin/sh", "-c", "\n".join(["printf '%s\\n' \\", *shown])], capture_output=True, text=True
        )
        assert told.stdout.splitlines() == words

    drive(app, scenario, (width, 24))


def test_a_word_that_is_longer_than_a_line_ends_before_a_sign(drive: Drive) -> None:
    app = DetailApp(brief=False)

    async def scenario(pilot: Pilot[Any]) -> None:
        app.pane.show_fields([Field("spec", ("adiak@2021-09-18~doc+hl~nccl~plugin~pthreads+pugixml~vtk",), True)])
        await pilot.pause()
        shown = [line.strip().removeprefix("spec ") for line in screen_lines(app)]
        assert [*filter(None, shown)] == ["adiak@2021-09-18~doc+hl~nccl~plugin\\", "~pthreads+pugixml~vtk"]

    drive(app, scenario, (52, 8))


@pytest.mark.parametrize("width", [60, 72, 80, 100])
def test_the_lines_of_a_spec_after_the_first_are_indented_alike(drive: Drive, width: int) -> None:
    app = DetailApp(brief=False)
    first = "hdf5@1.14.6%gcc@11.4.0+cxx~fortran+hl~ipo~java~map+mpi+shared~subfiling~szip~threadsafe+tools"
    rest = ["api=default", "build_system=cmake", "build_type=Release", "generator=make"]
    rest += ["arch=linux-ubuntu22.04-x86_64_v3", "/2beehyljrxtpyiufyjz2je6fhwtdwbt2"]

    async def scenario(pilot: Pilot[Any]) -> None:
        app.pane.show_fields([Field("as a spec", (" ".join([first, *rest]),), is_command=True, is_spec=True)])
        await pilot.pause()
        lines = [line.rstrip() for line in screen_lines(app) if line.strip()]
        assert lines[0].startswith("as a spec hdf5@1.14.6%gcc@11.4.0+cxx")
        assert len(lines) > 2
        assert {len(line) - len(line.lstrip()) for line in lines[1:]} == {len("as a spec ")}
        assert all(len(line) <= width for line in lines)
        shown = [line.strip().removeprefix("as a spec ") for line in lines]
        assert not any(line.startswith("~") for line in shown)
        told = subprocess.run(
            ["/bin/sh", "-c", "\n".join(["printf '%s\\n' \\", *shown])], capture_output=True, text=True
        )
        words = told.stdout.splitlines()
        assert words[-len(rest) :] == rest
        assert str(Query.parse(" ".join(words))) == str(Query.parse(" ".join([first, *rest])))

    drive(app, scenario, (width, 24))


@pytest.mark.parametrize("word", ["a" * 90, f"hdf5@1.14{'~v' * 50}+mpi", "cflags='-O2 +x'" * 9, "patches=a+b" * 12])
def test_a_spec_that_cannot_be_parted_is_still_one_to_a_shell(drive: Drive, word: str) -> None:
    app = DetailApp(brief=False)

    async def scenario(pilot: Pilot[Any]) -> None:
        app.pane.show_fields([Field("as a spec", (f"{word} x=y",), is_command=True, is_spec=True)])
        await pilot.pause()
        shown = [line.removeprefix("as a spec ") for line in screen_lines(app)]
        told = subprocess.run(
            ["/bin/sh", "-c", "\n".join(["printf '%s\\n' \\", *shown])], capture_output=True, text=True
        )
        assert told.stdout.splitlines() == shlex.split(f"{word} x=y")

    drive(app, scenario, (60, 24))


def test_where_there_is_none_a_list_takes_a_line_and_counts_what_is_cut(drive: Drive) -> None:
    app = DetailApp(brief=True)

    async def scenario(pilot: Pilot[Any]) -> None:
        app.pane.show_fields(FIELDS)
        await pilot.pause()
        assert screen_lines(app) == [
            "  package hdf5                          ┃",
            "     oses ubuntu22.04 (262)  +2 more    ┃",
            "   stacks e4s  +2 more",
            "  install spack install --cache-only \\",
        ]

    drive(app, scenario, (41, 4))


@pytest.mark.parametrize(("first", "tone"), [(0, "title"), (1, ""), (3, "")])
def test_what_names_it_stands_out_and_a_list_or_a_command_does_not(drive: Drive, first: int, tone: str) -> None:
    app = DetailApp(brief=False)

    async def scenario(_: Pilot[None]) -> None:
        app.pane.show_fields(FIELDS[first:])
        tones = [
            cell.tone for k in range(len(app.pane.rows)) if isinstance(cell := app.pane.rows.row(k).cells[1], Cell)
        ]
        assert tones == [tone] + [""] * (len(tones) - 1)

    drive(app, scenario, (100, 20))


def test_a_spec_that_is_longer_than_a_line_ends_before_a_variant(drive: Drive) -> None:
    app = DetailApp(brief=False)
    spec = "hdf5@1.14.5%gcc@11.4.0+cxx+fortran+hl~java~map+mpi+shared~subfiling+szip+threadsafe+tools"

    async def scenario(pilot: Pilot[Any]) -> None:
        app.pane.show_fields([Field("old", ("develop: 1 spec", f"- {spec}"))])
        await pilot.pause()
        lines = [line.strip() for line in screen_lines(app) if line.strip()][1:]
        assert "".join(lines).replace(" ", "") == f"-{spec}".replace(" ", "")
        assert lines[0].startswith("- hdf5@1.14.5")
        assert all(line[0] in "+~%@" for line in lines[1:])

    drive(app, scenario, (60, 24))
