"""The browse screen on the sample catalogue: what a user does there, at three sizes of the terminal."""

from __future__ import annotations

import pathlib
from collections import Counter
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.catalogue import Catalogue, sample_content
from cachetui.model.host import Host
from cachetui.model.spec import Spec, normal_compiler
from cachetui.query.query import Query
from cachetui.tui.app import BrowserApp
from cachetui.tui.rows.packages import PackageRows
from cachetui.tui.rows.specs import FOLDED_COLUMNS, FoldedRows
from cachetui.tui.screens import output
from cachetui.tui.screens.browse import BrowseScreen
from cachetui.tui.state.view import SortOrder, View, with_order
from cachetui.tui.widgets.facets import FacetSidebar
from tests.support.drive import Drive
from tests.support.rows import index_of, row
from tests.support.screens import screen_lines

HOST = Host("linux", "ubuntu22.04", "zen3")

WIDE, SMALL, LEAST = (140, 40), (80, 24), (60, 20)


def browser(query: str = "") -> BrowserApp:
    catalogue = Catalogue(sample_content(), {}, snapshot=False)
    return BrowserApp(catalogue, Query.parse(query).spelled_for(fuzzy_name=True), HOST)


async def settled(pilot: Pilot[Any]) -> None:
    """Waits until the pages are read and the screen shows them."""
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def typed(pilot: Pilot[Any], text: str) -> None:
    await pilot.press(*(_KEYS.get(letter, letter) for letter in text))
    await pilot.pause()


_KEYS = {" ": "space", "=": "equals_sign", "@": "at", "%": "percent_sign", "#": "number_sign", "/": "slash"} | {
    ",": "comma",
    ".": "full_stop",
    "+": "plus",
    "-": "minus",
    "_": "underscore",
    ":": "colon",
    "?": "question_mark",
    "!": "exclamation_mark",
    "\r": "enter",
}


def browse_of(pilot: Pilot[Any]) -> BrowseScreen:
    assert isinstance(pilot.app, BrowserApp)
    return pilot.app.browse


def spec_of(browse: BrowseScreen) -> Spec:
    assert browse.panes.spec_row is not None
    return browse.view.index.spec(browse.panes.spec_row)


def package_rows(browse: BrowseScreen) -> PackageRows:
    assert isinstance(browse.panes.packages.rows, PackageRows)
    return browse.panes.packages.rows


def package_here(browse: BrowseScreen) -> object:
    return browse.panes.packages.cursor_key


def shows(pilot: Pilot[Any], *texts: str) -> None:
    screen = "\n".join(screen_lines(pilot.app))
    for text in texts:
        assert text in screen, f"{text!r} is not on screen:\n{screen}"


def lacks(pilot: Pilot[Any], text: str) -> None:
    screen = "\n".join(screen_lines(pilot.app))
    assert text not in screen, f"{text!r} is on screen:\n{screen}"


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_the_first_screen_names_the_catalogue_and_counts_it(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        assert (len(browse.view.results), len(browse.view.results.packages)) == (413, 4)
        shows(pilot, "develop", "py-ml-dtypes", "py-mpi4py", "py-pdm-backend", "py-safetensors", "? help  q quit")
        lines = screen_lines(pilot.app)
        assert len(lines) == size[1]
        assert all(len(line) <= size[0] for line in lines)

    drive(browser(), scenario, size)


def test_wide_all_panes_stand_beside_each_other(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, "413 of 413 specs · 4 of 4 packages", "install spack install --cache-only /24fngvd4f3yz7zj63")
        heads = [line.split("│")[0].strip("> ").split() for line in screen_lines(pilot.app)]
        facets = [
            words[0] for words in heads if words and words[0] in ("stack", "os", "platform", "target", "compiler")
        ]
        assert facets == ["stack", "os", "platform", "target", "compiler"]

    drive(browser(), scenario, WIDE)


def test_all_tags_count_every_tag_that_holds_a_hash(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("t", "home", "enter")
        await pilot.pause()
        shows(pilot, "all tags", "425 of 425 specs · 4 of 4 packages")
        await pilot.press("u")
        shows(pilot, "413 of 413 specs")

    drive(browser(), scenario, WIDE)


def test_stacks_are_counted_without_their_own_filter(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("f", "slash")
        await typed(pilot, "e4s")
        browse = browse_of(pilot)
        before = {value.value: value.specs for value in browse.view.results.facet("stack")}
        assert (before["e4s"], before["hep"]) == (23, 3)
        await pilot.press("enter", "space")
        await pilot.pause()
        assert len(browse.view.results) == 23
        assert {value.value: value.specs for value in browse.view.results.facet("stack")} == before
        await pilot.press("slash")
        await typed(pilot, "hep")
        await pilot.press("enter", "enter")
        await pilot.pause()
        assert len(browse.view.results) == 26
        shows(pilot, "26 of 413 specs", "stack=e4s,hep ✕")

    drive(browser("py-mpi4py"), scenario, WIDE)


def test_a_value_is_left_out_and_taken_back(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("f", "slash")
        await typed(pilot, "sequoia")
        await pilot.press("enter", "minus")
        await pilot.pause()
        shows(pilot, "os!=sequoia ✕", "345 of 413 specs", "- sequoia", "  68")
        await pilot.press("minus")
        await pilot.pause()
        shows(pilot, "413 of 413 specs", "no filter")

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_a_query_is_followed_while_it_is_typed_and_undone_as_one_step(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await typed(pilot, "/mpi4")
        assert [package.name for package in browse.view.results.packages] == ["py-mpi4py"]
        await typed(pilot, " %gcc@11 os=ubuntu22.04")
        await pilot.press("escape")
        await pilot.pause()
        shows(pilot, "mpi4 ✕  %gcc@11 ✕  os=ubuntu22.04 ✕")
        assert {value.value for value in browse.view.results.facet("compiler") if value.ticked} == {
            "gcc@11.1.0",
            "gcc@11.4.0",
        }
        await pilot.press("u")
        assert len(browse.view.results) == 413
        await pilot.press("U", "x")
        assert len(browse.view.results) == 413
        await pilot.press("backspace")
        assert str(browse.view.query) == "mpi4 %gcc@11 os=ubuntu22.04 tag=develop"

    drive(browser(), scenario, size)


def test_what_cannot_be_read_is_told_and_changes_nothing(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/mpi4 @1:2:3")
        shows(pilot, "column")
        assert str(browse_of(pilot).view.query) == "mpi4@1:2 tag=develop"

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (WIDE, "2feova4"),
        (SMALL, "2feova4"),
        (LEAST, "2feova4"),
        (SMALL, "2feovb4prghd2gkebr23if6bojkyydpt"),
        (LEAST, " /2FEOVA4"),
    ],
)
def test_a_hash_is_found_and_gone_to(drive: Drive, size: tuple[int, int], text: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("number_sign")
        await typed(pilot, text)
        shows(pilot, "2feova4prghd2gkebr23if6bojkyydpt"[: size[0] - 2])
        await pilot.press("enter")
        await pilot.pause()
        browse = browse_of(pilot)
        assert spec_of(browse).hash == "2feova4prghd2gkebr23if6bojkyydpt"
        shows(pilot, ">2feova4", "/2feova4prghd2gkebr23if6bojkyydpt")
        await pilot.press("escape")
        await pilot.pause()
        assert browse.focused is browse.panes.packages
        assert browse.panes.packages.cursor_key == "py-mpi4py"
        await pilot.press("q")

    drive(browser(), scenario, size)


def test_a_hash_that_filters_hide_is_shown_without_them(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("number_sign")
        await typed(pilot, "2feova4")
        await pilot.press("enter")
        await pilot.pause()
        browse = browse_of(pilot)
        assert spec_of(browse).package == "py-mpi4py"
        shows(pilot, "u brings them back")
        await pilot.press("u")
        assert len(browse.view.results) == 77

    drive(browser("py-pdm-backend"), scenario, WIDE)


@pytest.mark.parametrize("size", [SMALL, LEAST])
def test_small_one_list_is_gone_into_and_left_again(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, "versions 0.4.0  0.3.1")
        await pilot.press("j", "enter")
        await pilot.pause()
        shows(pilot, ">2feova4", "/2feova4prghd2gkebr23if6bojkyydpt")
        lacks(pilot, "py-safetensors")
        await pilot.press("enter")
        await pilot.pause()
        shows(pilot, "--cache-only")
        await pilot.press("end")
        shows(pilot, "page 004_95d4df9caf125ef9.txt")
        await pilot.press("q")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        shows(pilot, ">py-mpi4py", "py-safetensors")

    drive(browser(), scenario, size)


def test_marks_stay_with_their_specs(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("l", "space", "space")
        await pilot.pause()
        browse = browse_of(pilot)
        shows(pilot, "2 marked", "*24fngvd", "*2i24sur")
        browse.show_index(browse.view.index)
        await pilot.press("k", "space")
        await pilot.pause()
        shows(pilot, "1 marked")

    drive(browser(), scenario, WIDE)


def test_sorting_goes_through_the_columns_and_stays(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)

        def names() -> list[str]:
            return [package.name for package in package_rows(browse).packages]

        await pilot.press("s")
        assert names() == ["py-ml-dtypes", "py-safetensors", "py-mpi4py", "py-pdm-backend"]
        await pilot.press("S")
        assert names() == ["py-pdm-backend", "py-mpi4py", "py-safetensors", "py-ml-dtypes"]
        await typed(pilot, "/target=aarch64")
        await pilot.press("enter")
        counts = [package.specs for package in package_rows(browse).packages]
        assert counts == sorted(counts)

    drive(browser(), scenario, WIDE)


def test_the_cursor_stays_on_its_package_and_its_spec(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pilot.press("j", "l", "j", "j")
        before = browse.panes.specs.cursor_key
        browse.toggle_value(FacetSidebar.ValueToggled("os", "ubuntu22.04"))
        await pilot.pause()
        assert browse.panes.packages.cursor_key == "py-mpi4py"
        assert browse.panes.specs.cursor_key == before

    drive(browser(), scenario, WIDE)


def test_tags_are_stepped_through(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("comma")
        await pilot.pause()
        shows(pilot, "develop-2025-04-20 ▾", "12 of 12 specs · 1 of 1 packages")
        await pilot.press("comma")
        await pilot.pause()
        shows(pilot, "no older tag")
        await pilot.press("full_stop")
        await pilot.pause()
        shows(pilot, "413 of 413 specs")

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize(
    ("key", "text"), [("question_mark", "move; the detail follows the cursor"), ("exclamation_mark", "No problems")]
)
@pytest.mark.parametrize("close", ["q", "escape"])
def test_screens_open_and_close(drive: Drive, key: str, text: str, close: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press(key)
        await pilot.pause()
        shows(pilot, text)
        await pilot.press(close)
        await pilot.pause()
        assert pilot.app.is_running
        shows(pilot, "413 of 413 specs")

    drive(browser(), scenario, SMALL)


def test_medium_the_facets_come_over_the_packages(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, "package▲", "hash")
        lacks(pilot, "gcc@11.1.0")
        await pilot.press("f")
        await pilot.pause()
        shows(pilot, "ubuntu24.04", "24fngvd")
        lacks(pilot, "package▲")
        await pilot.press("escape")
        await pilot.pause()
        shows(pilot, "package▲")

    drive(browser(), scenario, (110, 30))


def test_the_cursor_comes_back_to_its_package_when_what_was_typed_is_deleted(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("down", "down", "down")
        assert package_here(browse_of(pilot)) == "py-safetensors"
        await typed(pilot, "/mpi4")
        assert package_here(browse_of(pilot)) == "py-mpi4py"
        await pilot.press(*["backspace"] * 4)
        await pilot.pause()
        assert package_here(browse_of(pilot)) == "py-safetensors"
        await typed(pilot, "py-\r")
        assert package_here(browse_of(pilot)) == package_rows(browse_of(pilot)).key(0)
        await pilot.press("end")
        last = package_here(browse_of(pilot))
        await typed(pilot, "/ os=ubuntu24.04")
        assert package_here(browse_of(pilot)) == last

    drive(browser(), scenario, SMALL)


def test_a_query_that_takes_nothing_says_what_to_do(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, "0 of 413 specs", "Nothing matches")
        await pilot.press("x")
        await pilot.pause()
        shows(pilot, "413 of 413 specs")

    drive(browser("py-mpi4py os=amzn2"), scenario, SMALL)


def test_a_line_that_cannot_be_read_is_not_done_with_enter_and_left_with_a_word(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        for text, told in (("os=", "column 4: "), ("py-mpi4py zlib", "column 11: a package name, 'zlib'")):
            await typed(pilot, "/")
            await pilot.press(*["backspace"] * 20)
            await typed(pilot, f"{text}\r")
            shows(pilot, f"/ {text}", told)
            await pilot.press("escape")
            await pilot.pause()
            shows(pilot, f"not applied: {told}")
        await typed(pilot, "/")
        await pilot.press(*["backspace"] * 20)
        await typed(pilot, "py-mpi4py\r")
        lacks(pilot, "not applied")
        assert len(browse_of(pilot).view.results) == 91

    drive(browser(), scenario, SMALL)


def test_of_a_line_that_cannot_be_read_its_beginning_holds(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        for text, read in (
            ("mpi4 os=ubuntu22.04 os=ub", "mpi4 os=ubuntu22.04"),
            ("mpi4@", "mpi4"),
            ("mpi4 os=", "mpi4"),
            ("os=", ""),
        ):
            await typed(pilot, f"/{text}")
            assert str(browse_of(pilot).view.query) == f"{read} tag=develop".strip()
            await pilot.press("escape", "x")

    drive(browser(), scenario, SMALL)


def test_the_way_on_is_told_for_the_line_and_for_the_list(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/nosuch")
        shows(pilot, "Enter, then: w says more")
        await pilot.press("enter")
        await pilot.pause()
        shows(pilot, "\n w says more")

    drive(browser(), scenario, SMALL)


def test_values_are_completed_from_the_tag_that_is_looked_at(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("t", "end", "enter")
        await typed(pilot, "/stack=")
        view = browse_of(pilot).view
        there = view.results.facet("stack")
        offers = [offer.text for offer in browse_of(pilot).filters.query_line.offers]
        assert sorted(offers) == sorted(each.value for each in there if each.specs)
        assert offers[-1] == "root"
        await pilot.press("tab")
        await pilot.pause()
        shows(pilot, f"/ stack={offers[0]}", f"Tab {offers[0]}  {offers[1]}")
        await pilot.press("tab")
        await pilot.pause()
        shows(pilot, f"/ stack={offers[1]}", f"Tab {offers[1]}  {offers[2]}")
        await pilot.press("escape", "x")
        await typed(pilot, "/tag=develop stack=")
        shows(pilot, "Tab ml-linux-x86_64-cpu")

    drive(browser(), scenario, SMALL)


def test_another_package_is_looked_at_from_its_first_spec(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("enter", *["down"] * 9)
        await pilot.press("escape", "down", "enter")
        await pilot.pause()
        assert browse_of(pilot).panes.specs.cursor_row == 0
        await pilot.press(*["down"] * 9)
        await typed(pilot, "/%no")
        assert package_here(browse_of(pilot)) is None
        await pilot.press(*["backspace"] * 3, "escape", "enter")
        await pilot.pause()
        assert (package_here(browse_of(pilot)), browse_of(pilot).panes.specs.cursor_row) == ("py-mpi4py", 9)

    drive(browser(), scenario, SMALL)


def test_within_a_package_columns_are_as_wide_as_its_specs_need(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("down", "enter")
        await pilot.pause()
        shows(pilot, "version\u25bc compiler", " intel-oneapi-compilers@2025.1.0 ubuntu22.04 ")
        lacks(pilot, "py-mpi4py@4.0.1 %")
        await pilot.press("escape")
        await pilot.pause()
        assert browse_of(pilot).panes.specs.columns == tuple(
            with_order(FOLDED_COLUMNS, SortOrder(), by_itself=1, falling=(1,))
        )

    drive(browser(), scenario, SMALL)


def test_where_a_row_is_cut_the_detail_names_the_spec(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("down", "enter")
        await pilot.pause()
        shows(pilot, "intel-o\u2026@2025.1.0", "py-mpi4py@4.0.1 %")

    drive(browser(), scenario, LEAST)


def test_specs_that_are_alike_are_one_row_until_one_goes_into_the_package(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("down")
        await pilot.pause()
        browse = browse_of(pilot)
        assert [" ".join(line.split("\u2502")[-1].split()) for line in screen_lines(pilot.app)[3:11]] == [
            ">2feova4 4.0.1 gcc@11.4.0 ubuntu22.04 x86_64_v3 30",
            "3wag7gg 4.0.1 intel-onea\u2026s@2025.1.0 ubuntu22.04 x86_64_v3 10",
            "4ae6wuu 4.0.1 gcc@13.2.0 ubuntu24.04 x86_64_v3 15",
            "4djpyep 4.0.1 gcc@13.2.0 ubuntu24.04 aarch64 15",
            "4wo4wu3 4.0.1 apple-clang@16.0.0 sequoia aarch64 4",
            "5di5kew 4.0.1 gcc@11.4.0 ubuntu22.04 neoverse_v2 12",
            "7sb75yd 3.1.6 gcc@11.1.0 ubuntu20.04 x86_64_v3 5",
            "",
        ]
        shows(pilot, "install spack install --cache-only /2feova4prghd2gkebr23if6bojkyydpt", "gcc@13.2.0 (30)")
        await pilot.press("enter", *["down"] * 3, "space")
        await pilot.pause()
        assert (len(browse.panes.specs.rows), browse.panes.specs.cursor_row) == (91, 4)
        await pilot.press("escape")
        await pilot.pause()
        lines = [line.split("\u2502")[-1] for line in screen_lines(pilot.app)[3:7]]
        assert [line[:8] for line in lines] == ["*3yg7mb3", " 3wag7gg", ">4ae6wuu", " 4djpyep"]
        await pilot.press("enter", "down", "down", "escape", "enter")
        await pilot.pause()
        assert browse.panes.specs.cursor_row == 6
        shows(pilot, " 2feova4", "hash 4t6mpqb")  # from the first row on, as far as there is room

    drive(browser(), scenario, WIDE)


def test_each_of_alike_specs_leads_to_their_row() -> None:
    index = Catalogue(sample_content(), {}, snapshot=False).load()
    view = View(index, Query.parse(""), HOST)
    for name in index.packages:
        specs = view.specs(name)
        folded = FoldedRows(specs)
        places = [folded.find(specs.key(k)) for k in range(len(specs))]
        counts = Counter(places)
        assert [str(counts[k]) for k in range(len(folded))] == [folded.row(k).cells[5] for k in range(len(folded))]
        assert list(dict.fromkeys(places)) == list(range(len(folded)))
        for k, place in enumerate(places):
            assert place is not None
            version, compiler, *rest = specs.row(k).cells[1:5]
            assert list(folded.row(place).cells[1:5]) == [version, normal_compiler(str(compiler)), *rest]
        last = specs.key(len(specs) - 1)
        kept = FoldedRows(specs, last)
        assert places[-1] is not None
        assert kept.key(places[-1]) == last
        assert folded.find(("develop", name, "no such hash")) is None


def test_the_column_that_sorts_is_always_there(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("down", "enter")
        await pilot.pause()
        lacks(pilot, "stacks  ")
        await pilot.press(*["s"] * 4)
        await pilot.pause()
        shows(pilot, "stacks\u25b2", "x86_64_v3   e4s,root")

    drive(browser(), scenario, SMALL)


def test_texts_are_shown_before_they_are_copied(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []

    def send(text: str, *_: object) -> str:
        sent.append(text)
        return "sent to the terminal (OSC 52)"

    monkeypatch.setattr(output, "send", send)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("y")
        await pilot.pause()
        shows(pilot, "hash", "name/hash", "install", "mirror", "this view")
        await pilot.press("end")
        await pilot.pause()
        shows(pilot, f"cachetui find {sample_content()} --tag"[:76])
        await pilot.press("enter")
        await pilot.pause()
        assert sent == [f"cachetui find {sample_content()} --tag develop --packages 'py-mpi4py %gcc@11'"]
        shows(pilot, "sent to the terminal (OSC 52)", "cachetui find ")
        await pilot.press("up")
        await pilot.pause()
        shows(pilot, "Enter copy")
        await pilot.press("escape", "enter", "y", "end", "enter")
        await pilot.pause()
        assert sent[1:] == [f"cachetui find {sample_content()} --tag develop 'py-mpi4py %gcc@11'"]

    drive(browser("py-mpi4py %gcc@11"), scenario, SMALL)


def test_marked_specs_are_written_to_a_file(
    drive: Drive, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    monkeypatch.chdir(tmp_path)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("l", "space", "space")
        for _ in range(2):
            await pilot.press("e", "end", "enter")
            await pilot.pause()
        shows(pilot, "written: cachetui-develop-2.yaml")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["cachetui-develop-2.yaml", "cachetui-develop.yaml"]
        text = (tmp_path / "cachetui-develop.yaml").read_text()
        assert text.splitlines() == [
            "spack:",
            "  specs:",
            '  - "py-ml-dtypes@0.4.0/24fngvd4f3yz7zj63yh4i2wjhfyscqp3"',
            '  - "py-ml-dtypes@0.4.0/2i24survziwdodvua4ny7xcx6bgc54qa"',
        ]

    drive(browser(), scenario, WIDE)


def test_why_nothing_is_told_by_itself_and_a_key_takes_a_part_out(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, "Nothing matches.", "91 without os=amzn2")
        await pilot.press("w")
        await pilot.pause()
        shows(pilot, "Why nothing?", "no os amzn2")
        await pilot.press("1")
        await pilot.pause()
        assert str(browse_of(pilot).view.query) == "=py-mpi4py tag=develop"

    drive(browser("py-mpi4py os=amzn2"), scenario, SMALL)


def test_only_what_runs_on_the_host_and_why_the_others_are_out(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("H")
        await pilot.pause()
        assert {spec.target for spec in map(browse_of(pilot).view.index.spec, browse_of(pilot).view.results.rows)} == {
            "x86_64_v3"
        }
        shows(pilot, "fits=linux-ubuntu22.04-zen3 ✕", "left out: ", "built for aarch64")
        await pilot.press("H")
        assert len(browse_of(pilot).view.results) == 413

    drive(browser(), scenario, WIDE)


def test_this_host_takes_the_place_of_another_that_was_asked_for(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, "fits=linux-ubuntu22.04-neoverse_v1 ✕")
        await pilot.press("H")
        await pilot.pause()
        assert screen_lines(pilot.app)[1].split() == ["fits=linux-ubuntu22.04-zen3", "✕"]

    drive(browser("fits=linux-ubuntu22.04-neoverse_v1"), scenario, SMALL)


def test_what_is_copied_is_named(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("y")
        shows(pilot, "Copy py-ml-dtypes@0.4.0 /24fngvd, one of 129")
        await pilot.press("escape", "enter", "down", "y")
        await pilot.pause()
        shows(pilot, "Copy py-ml-dtypes@0.4.0 /2i24sur\n")
        await pilot.press("escape", "space", "space", "y")
        await pilot.pause()
        shows(pilot, "Copy 2 marked specs\n")

    drive(browser(), scenario, WIDE)


def test_a_completion_is_taken_with_tab_and_a_line_recalled(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/py-mp")
        shows(pilot, "Tab py-mpi4py")
        await pilot.press("tab")
        await typed(pilot, " os=ub")
        shows(pilot, "Tab ubuntu22.04  ubuntu24.04  ubuntu20.04")
        await pilot.press("tab", "tab", "enter")
        await pilot.pause()
        shows(pilot, "os=ubuntu24.04 ✕")
        query = str(browse_of(pilot).view.query)
        await pilot.press("x", "slash", "up", "enter")
        await pilot.pause()
        assert str(browse_of(pilot).view.query) == query

    drive(browser(), scenario, SMALL)


def test_an_index_that_grows_keeps_the_cursor_at_the_top_until_it_is_moved(drive: Drive) -> None:
    whole = Catalogue(sample_content(), {}, snapshot=False).load()
    later = Catalogue(f"{sample_content()}/003_86cb41a0e667e9fb.txt", {}, snapshot=False).load()

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        browse.show_activity("reading")
        browse.show_index(later, "reading 50 %")
        await pilot.pause()
        assert package_here(browse) == "py-pdm-backend"
        browse.show_index(whole, "reading 99 %")
        await pilot.pause()
        assert package_here(browse) == "py-ml-dtypes"
        await pilot.press("j")
        browse.show_index(whole, "reading 99 %")
        await pilot.pause()
        assert package_here(browse) == "py-mpi4py"

    drive(browser(), scenario, SMALL)


def test_keys_without_a_meaning_do_nothing(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        before = screen_lines(pilot.app)
        for pane in (
            browse_of(pilot).panes.facets,
            browse_of(pilot).panes.specs,
            browse_of(pilot).panes.detail,
            browse_of(pilot).panes.packages,
        ):
            pane.focus()
            await pilot.press("at", "z", "percent_sign", "dollar_sign", "ampersand", "ctrl+a", "f5", "tilde", "1")
            await pilot.pause()
        assert screen_lines(pilot.app) == before

    drive(browser(), scenario, WIDE)


def test_what_is_copied_and_exported_is_what_is_on_screen(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("enter", "s", "S", "y", "end")
        await pilot.pause()
        shows(pilot, "--sort -compiler py-ml-dtypes")
        await pilot.press("q", "e")
        await pilot.pause()
        shows(pilot, "Export 129 specs")

    drive(browser(), scenario, (200, 30))


def test_a_value_stays_under_the_cursor_when_its_tick_goes(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("f", "slash")
        await typed(pilot, "hep")
        await pilot.press("enter", "space")
        browse_of(pilot).panes.facets._unfolded = frozenset()
        await pilot.press("space")
        await pilot.pause()
        assert browse_of(pilot).panes.facets.cursor_key == ("stack", "hep")
        await pilot.press("space")
        await pilot.pause()
        shows(pilot, "stack=hep ✕")

    drive(browser(), scenario, SMALL)


def test_folded_facets_show_the_values_that_give_something(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("f")
        await pilot.pause()
        lines = [line.split() for line in screen_lines(pilot.app)]
        assert any(line[:1] == ["e4s"] for line in lines)
        assert not any(line[:1] == ["ml-linux-x86_64-rocm"] for line in lines)

    drive(browser("py-mpi4py os=ubuntu22.04"), scenario, SMALL)


def test_many_filters_are_counted_and_one_text_is_one_chip(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        chips = screen_lines(pilot.app)[1]
        assert chips.count("arch=linux-ubuntu22.04-x86_64_v3") == 1
        assert chips.endswith("+3 more: w lists them")
        assert {"=py-mpi4py", "@4:"} < set(chips.split())

    query = "py-mpi4py arch=linux-ubuntu22.04-x86_64_v3 @4: %gcc@11 stack=e4s build_system=python_pip"
    drive(browser(query), scenario, SMALL)


@pytest.mark.parametrize(("size", "named"), [(WIDE, True), (SMALL, False)])
def test_the_detail_follows_the_cursor_within_a_package(drive: Drive, size: tuple[int, int], named: bool) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("down", "enter")
        for _ in range(2):
            await pilot.press("down")
            await pilot.pause()
            spec = spec_of(browse_of(pilot))
            shows(pilot, f"install spack install --cache-only /{spec.hash}", f"stacks {', '.join(spec.stacks)}")
            assert (f"     spec {spec.package}@" in "\n".join(screen_lines(pilot.app))) is named
            assert (f"     hash {spec.hash}" in "\n".join(screen_lines(pilot.app))) is named

    drive(browser(), scenario, size)


def test_the_detail_follows_the_width(drive: Drive) -> None:
    short, install, named = "compilers gcc@11.4.0  gcc@13.2.0 ", "install spack install", " spec py-mpi4py@4.0.1 %"

    async def scenario(pilot: Pilot[Any]) -> None:
        async def resized(width: int, height: int) -> None:
            await pilot.resize_terminal(width, height)
            while len(screen_lines(pilot.app)) != height:
                await pilot.pause()
            await pilot.pause()

        await settled(pilot)
        await pilot.press("down")
        await resized(*SMALL)
        shows(pilot, short)
        lacks(pilot, install)
        await resized(*WIDE)
        shows(pilot, install)
        lacks(pilot, short)
        await pilot.press("enter")
        await resized(*SMALL)
        lacks(pilot, named)
        await resized(*WIDE)
        shows(pilot, named)

    drive(browser(), scenario, WIDE)


def test_in_all_tags_each_spec_says_its_tag(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("t", "home", "enter", "enter")
        await pilot.pause()
        shows(pilot, " tag ")
        rows = browse_of(pilot).view.specs("py-ml-dtypes")
        browse_of(pilot).panes.specs.go(next(k for k in range(len(rows)) if rows.key(k)[0] == "develop-2025-04-20"))
        await pilot.pause()
        shows(pilot, " develop-2025-04-20 ")

    drive(browser("py-ml-dtypes"), scenario, WIDE)


def test_a_hash_that_stands_for_no_others_is_gone_to(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("number_sign")
        await typed(pilot, "3yg7mb3\r")
        assert spec_of(browse_of(pilot)).hash == "3yg7mb3joqfede6zmcyarzwv2cosa6f5"
        shows(pilot, " 2feova4", ">3yg7mb3")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("width", [100, 107, 119, 120, 124, 127, 128, 140])
def test_what_alike_specs_have_in_common_is_all_there(drive: Drive, width: int) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("down")
        await pilot.pause()
        head, *lines = (line.split("\u2502")[-1].split() for line in screen_lines(pilot.app)[2:10])
        assert head == ["hash", "version\u25bc", "compiler", "os", "target", "specs"]
        assert len(set(map(tuple, (line[1:5] for line in lines if line)))) == 7

    drive(browser(), scenario, (width, 30))


@pytest.mark.parametrize("field", ["versions", "compiler", "os", "platform", "target", "hash"])
def test_specs_are_alike_if_only_the_hash_differs(field: str) -> None:
    other = {"versions": ["2"], "compiler": "gcc@9", "os": "rhel8", "platform": "darwin", "target": "zen3"}
    rows: list[dict[str, Any]] = [row(hash="a" * 32, os=None), row(hash="b" * 32, os=None)]
    rows[1] |= {key: value for key, value in other.items() if key == field}
    view = View(index_of(rows), Query(), HOST)
    folded = FoldedRows(view.specs("hdf5"))
    assert [folded.row(k).cells[-1] for k in range(len(folded))] == (["2"] if field == "hash" else ["1", "1"])


def test_spellings_of_a_compiler_are_alike() -> None:
    view = View(index_of([row(compiler="gcc@=11.4.0", hash="a" * 32), row(hash="b" * 32)]), Query(), HOST)
    folded = FoldedRows(view.specs("hdf5"))
    assert [folded.row(k).cells[2:] for k in range(len(folded))] == [("gcc@11.4.0", "ubuntu22.04", "x86_64_v3", "2")]


def test_a_spec_twice_in_a_tag_is_found_where_it_is_shown() -> None:
    view = View(index_of([row(hash="a" * 32, os="rhel8"), row(hash="a" * 32)]), Query.parse("os=ubuntu22.04"), HOST)
    specs = view.specs("hdf5")
    assert specs.find(specs.key(0)) == 0


def test_specs_without_a_hash_are_found_by_their_place() -> None:
    view = View(index_of([row(hash=None), row(hash=None, os="rhel8")]), Query(), HOST)
    specs = view.specs("hdf5")
    assert [specs.find(specs.key(k)) for k in range(2)] == [0, 1]
    assert specs.find(("develop", "hdf5", "row 2")) is None


def test_a_sort_shows_its_sign_on_its_own_column_alone(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("down", "enter", *["s"] * 4)
        await pilot.pause()
        shows(pilot, "stacks\u25b2")
        await pilot.press("escape")
        await pilot.pause()
        shows(pilot, "package\u25b2")
        assert "".join(screen_lines(pilot.app)).count("\u25b2") == 1
        lacks(pilot, "\u25bc")

    drive(browser(), scenario, (140, 20))


def test_hashes_are_sorted_letter_by_letter(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("down", "enter", *["s"] * 5)
        await pilot.pause()
        browse = browse_of(pilot)
        shows(pilot, "hash\u25b2")
        rows = browse.view.specs("py-mpi4py")
        hashes = [rows.key(k)[2] for k in range(len(rows))]
        assert hashes == sorted(hashes)
        await pilot.press("y", "end")
        shows(pilot, "--sort hash")

    drive(browser(), scenario, WIDE)


def test_a_package_that_is_gone_is_left(drive: Drive) -> None:
    """Its specs would be those of another one."""

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pilot.press("down", "enter", "comma")
        await pilot.pause()
        assert (browse.panes.level, browse.focused) == ("packages", browse.panes.packages)
        shows(pilot, "no spec of py-mpi4py is left")
        await pilot.press("full_stop")
        await pilot.pause()
        assert (browse.panes.level, browse.focused) == ("packages", browse.panes.packages)

    drive(browser(), scenario, SMALL)


def test_a_line_typed_within_a_package_stays_in_it_unless_it_names_another(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pilot.press("down", "enter", "down")
        here = spec_of(browse)
        for keys, last in (("/", "escape"), ("/%gcc", "enter"), ("/", "enter")):
            await typed(pilot, keys)
            await pilot.press(last)
            await pilot.pause()
            assert (browse.panes.level, browse.focused, spec_of(browse)) == ("specs", browse.panes.specs, here), keys
        await pilot.press("slash", "home")
        await typed(pilot, "py-ml \r")
        await pilot.pause()
        assert (browse.panes.level, browse.focused, package_here(browse)) == (
            "packages",
            browse.panes.packages,
            "py-ml-dtypes",
        )

    drive(browser(), scenario, SMALL)


def test_the_mouse_goes_to_the_spec_that_stands_for_others(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pilot.press("down")
        for y, found in ((3, "4ae6wuu"), (1, "2feova4")):
            await pilot.click(browse.panes.specs, offset=(3, y))
            await pilot.pause()
            assert (browse.panes.level, browse.focused) == ("specs", browse.panes.specs)
            assert (spec_of(browse).hash or "")[:7] == found
            assert len(browse.panes.specs.rows) == 91
            await pilot.press("escape", "up", "down")

    drive(browser(), scenario, WIDE)
