"""How the room of a screen is used: widths follow what there is, nothing moves with each step, words stay whole."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.sources.kinds import sample_contents
from cachetui.tui.app import BrowserApp
from tests.support.browsing import (
    HOST,
    LEAST,
    SMALL,
    WIDE,
    browse_of,
    browser,
    cache_browser,
    lacks,
    pressed,
    resized,
    settled,
    shows,
    sought,
    typed,
)
from tests.support.caches import CACHES
from tests.support.drive import Drive
from tests.support.rows import in_tags, row, write
from tests.support.screens import screen_lines

LARGE = (200, 60)

CACHE = str(CACHES / "v3/spack-1.1.0/develop/btest")

LONG = "py-a-package-whose-name-is-as-long-as-some-are"


def names(lines: list[str]) -> list[str]:
    return [line.split("│")[0] for line in lines]


def pages(folder: Path) -> BrowserApp:
    rows = [row(name, versions=[version]) for name, version in ((LONG, "2021.09.18-beta"), ("zlib", "1"))]
    content = str(write(folder / "a-folder-with-a-name" / "another-one" / "pages", rows))
    return BrowserApp(Catalogue(content, {}, snapshot=False), Query(), HOST, content=content)


def test_a_long_name_is_whole_where_there_is_room(drive: Drive, tmp_path: Path) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, f">{LONG}      1 2021.09.18-beta")

    drive(pages(tmp_path), scenario, SMALL)


@pytest.mark.parametrize("size", [SMALL, WIDE, LARGE])
def test_columns_stay_where_they_are_from_one_row_to_the_next_and_while_one_types(
    drive: Drive, size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        heads = []
        for key in ("down", "down", "down", "slash", *"os=ubuntu20.04"):
            await pilot.press(key)
            await pilot.pause()
            heads.append(next(line for line in screen_lines(pilot.app) if "package▲" in line or "package " in line))
        assert len({head.replace("▲", " ").replace("▼", " ") for head in heads}) == 1

    drive(browser(), scenario, size)


def test_packages_take_the_room_of_their_rows_and_specs_the_rest(drive: Drive, tmp_path: Path) -> None:
    compilers = ("intel-oneapi-compilers@2024.0", "gcc@13.2.0")
    rows = [row("hdf5", compiler=compiler) for compiler in compilers]
    rows += [row(f"{LONG}-{k}", versions=["2021.09.18"]) for k in range(3)]
    content = str(write(tmp_path / "pages", rows))

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        shows(pilot, " 2021.09.18 ")
        widest = browse.panes.packages.size.width
        await pilot.press("slash", *"hdf5")
        await pilot.pause()
        assert browse.panes.packages.size.width == widest
        await pressed(pilot, "enter")
        kept = browse.panes.packages.size.width
        assert kept < widest - 8
        shows(pilot, " intel-oneapi-compilers@2024.0 ", "│>hdf5          2 1.14.3")
        await pressed(pilot, "slash", "at", "9", "escape")
        assert browse.panes.packages.size.width == kept, "nothing jumps where what was typed is left again"
        await pressed(pilot, "H", "u", "u", "U")
        assert browse.panes.packages.size.width == kept, "nor is it another one for who comes another way"
        await pilot.press("x")
        await pilot.pause()
        assert browse.panes.packages.size.width == widest

    drive(BrowserApp(Catalogue(content, {}, snapshot=False), Query(), HOST, content=content), scenario, WIDE)


def test_within_a_package_the_others_have_no_more_room_than_they_need(drive: Drive, tmp_path: Path) -> None:
    rows = [row("zlib", versions=["2021.09.18"], hash=letter * 32) for letter in "ab"]
    content = str(write(tmp_path / "pages", [*rows, row("zfp"), row(LONG)]))

    async def scenario(pilot: Pilot[Any]) -> None:
        packages = browse_of(pilot).panes.packages
        await settled(pilot)
        widest = packages.size.width
        await sought(pilot, "zlib")
        await pressed(pilot, "enter")
        narrow = packages.size.width
        assert narrow < widest - 8
        shows(pilot, "│ package   specs │", "│>zlib          2 │")
        await sought(pilot, " %gcc")
        await pressed(pilot, "x")
        assert packages.size.width == narrow, "as long as the user stays in it"
        await pressed(pilot, "escape")
        assert packages.size.width == widest
        shows(pilot, " newest ")

    drive(BrowserApp(Catalogue(content, {}, snapshot=False), Query(), HOST, content=content), scenario, WIDE)


@pytest.mark.parametrize(("width", "bars"), [(180, True), (140, True), (120, False), (80, True)])
def test_stacks_are_whole_before_their_counts_have_bars(drive: Drive, width: int, bars: bool) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, *(["f"] if width < 120 else []))
        for _ in range(100 if bars else 1):  # a pane that has just been opened learns its width a message later
            lines = screen_lines(pilot.app)
            if is_drawn := any(sign in line[:60] for line in lines for sign in "\u258e\u258c\u258a\u2588"):
                break
            await pilot.pause()
        shows(pilot, "ml-linux-x86_64-cpu ", "ml-linux-aarch64-cuda ")
        assert is_drawn is bars

    drive(browser(), scenario, (width, 40))


@pytest.mark.parametrize("width", [120, 130, 140])
def test_no_head_of_a_list_is_cut(drive: Drive, width: int) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        assert "\u2026" not in screen_lines(pilot.app)[2]
        assert screen_lines(pilot.app)[2].count("specs") == 3
        shows(pilot, " py-pdm-backend ")

    drive(browser(), scenario, (width, 40))


def beside_facets(pilot: Pilot[Any]) -> list[str]:
    """The lines without the facets, one of which is counted only after a while."""
    return [line.partition("│")[2] for line in screen_lines(pilot.app)]


def test_on_a_large_screen_what_a_spec_needs_stands_beside_its_detail(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, " facets ", " package ", " hash ", "versions", "needs ")
        await pilot.press("enter")
        await pilot.pause()
        shows(pilot, "spec py-bt-num@1.26.4", "│bt-py@3.12.1", "│  bt-core@1.1.4", "external")
        panes = browse_of(pilot).panes
        lines = screen_lines(pilot.app)
        assert any("install spack install --cache-only /" in line for line in lines), "the tree leaves it its room"
        before = beside_facets(pilot)
        await pilot.press("right", "right")
        assert panes.needs.has_focus
        await pilot.press("down", "escape")
        assert panes.specs.has_focus
        assert beside_facets(pilot)[3:20] == before[3:20]
        await resized(pilot, WIDE)
        assert not panes.below.has_class("-with-needs")

    drive(cache_browser("py-bt-num", CACHE), scenario, LARGE)


def test_pages_have_no_tree_and_the_detail_its_room(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        assert not browse_of(pilot).panes.needs.is_on_screen
        lacks(pilot, "needs ")

    content = sample_contents()[0]
    drive(BrowserApp(Catalogue(content, {}, snapshot=False), Query(), HOST, content=content), scenario, LARGE)


@pytest.mark.parametrize("width", [60, 70, 80, 90, 100, 119, 120, 140, 200])
def test_no_word_of_the_header_is_cut(drive: Drive, tmp_path: Path, width: int) -> None:
    app = pages(tmp_path)
    words = {*re.split(r"[ /]+", f"cachetui {app.browse.view.host.name} host develop ▾ · … of specs packages")}
    words |= {*str(tmp_path).split("/"), "a-folder-with-a-name", "another-one", "pages", "1", "2"}

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        first, second = screen_lines(pilot.app)[:2]
        assert set(re.split(r"[ /]+", first)) <= words | {"all", "tags"}
        assert "pages" in first
        assert f"host {HOST.name}" in (first if width >= 120 else second)

    drive(app, scenario, (width, 24))


@pytest.mark.parametrize("end", ["", "/", "//"])
def test_a_folder_has_no_slash_behind_it_in_the_header_however_it_is_spelled(
    drive: Drive, tmp_path: Path, end: str
) -> None:
    folders = [str(write(tmp_path / name, [row()])) for name in ("one", "two")]

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, f"cachetui  {' '.join(folders)} · ")

    catalogue = Catalogue([f"{folder}{end}" for folder in folders], {}, snapshot=False)
    drive(BrowserApp(catalogue, Query(), HOST, content=catalogue.content), scenario, (2 * len(folders[0]) + 140, 24))


@pytest.mark.parametrize("width", [60, 70, 80, 90, 100, 120, 140])
def test_marks_take_neither_the_package_from_the_header_nor_its_room_for_the_path(drive: Drive, width: int) -> None:
    place = "/some/folders/of/a/catalogue"
    app = BrowserApp(Catalogue(sample_contents()[0], {}, snapshot=False), Query(), HOST, content=place)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "down", "enter")
        before = screen_lines(pilot.app)[0]
        assert before.endswith(" · py-mpi4py")
        await pressed(pilot, "space", "down", "space")
        marked = screen_lines(pilot.app)[0]
        assert marked.endswith(" · py-mpi4py")
        assert ("2 marked · 91" in marked) == (width > 60), "the last line counts them too"
        assert len(marked.partition(" · ")[0]) <= len(before.partition(" · ")[0])

    drive(app, scenario, (width, 24))


@pytest.mark.parametrize("width", [70, 80, 90, 100, 120, 140])
def test_content_and_counts_look_the_same_inside_a_package(drive: Drive, width: int) -> None:
    place = "/some/folders/of/a/catalogue"
    app = BrowserApp(Catalogue(sample_contents()[0], {}, snapshot=False), Query(), HOST, content=place)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        before = screen_lines(pilot.app)[0]
        await pressed(pilot, "enter")
        inside = screen_lines(pilot.app)[0]
        assert inside != before
        assert inside.partition(" · ")[0] == before.partition(" · ")[0]
        assert (" of " in inside) == (" of " in before)

    drive(app, scenario, (width, 24))


def test_the_host_is_named_once(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, f"host {HOST.name}")
        await pilot.press("H")
        await pilot.pause()
        shows(pilot, f"fits={HOST.name}")
        lacks(pilot, f"host {HOST.name}")

    drive(browser(), scenario, SMALL)


def last(pilot: Pilot[Any]) -> str:
    return screen_lines(pilot.app)[-1]


@pytest.mark.parametrize(("keys", "marked"), [([], ""), (["space"], "m 1 marked  e export  ")])
def test_among_specs_that_run_on_a_host_the_last_line_says_how_all_are_shown(
    keys: list[str], marked: str, drive: Drive
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "H", "enter", *keys, "down")
        assert last(pilot).startswith(f"Enter in full  {marked}u undo  H all hosts  ")
        assert last(pilot).endswith("  Esc packages  ? help")
        await resized(pilot, (180, 40))
        assert last(pilot).endswith("  Esc packages  ? help  q quit")
        await resized(pilot, SMALL)
        await pressed(pilot, "escape", "down")
        assert "  u undo  H all hosts  x clear" in last(pilot)
        await pressed(pilot, "H", "down")
        lacks(pilot, "H all hosts")

    drive(browser(), scenario, SMALL)


def test_the_last_line_says_what_is_useful_now(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        assert last(pilot) == "Enter specs  / filter  # hash  H runs here  f facets  c coverage  ? help  q quit"
        await pilot.press("H", "j")
        await pilot.pause()
        assert last(pilot).startswith("Enter specs  / filter  u undo  H all hosts  x clear  w take out")
        await pilot.press("u", "k")
        await pilot.pause()
        assert last(pilot).startswith("Enter specs  / filter  # hash  U redo  H runs here")
        await pilot.press("f")
        await pilot.pause()
        assert last(pilot).startswith("Space shows all 14  / find value  U redo  f hide  Esc packages")
        await pilot.press("escape", "U", "x", "k")
        await pilot.pause()
        assert last(pilot).startswith("Enter specs  / filter  # hash  u undo  H runs here")
        await pilot.press("slash", *"nothing", "enter")
        await pilot.pause()
        assert last(pilot).startswith("w take out  u undo  x clear  / filter")
        await pilot.press("u", "slash", *"stack=e4z", "enter")
        await pilot.pause()
        assert last(pilot).startswith("w mend  u undo")
        await pilot.press("u", "slash", *"nothing", "enter")
        await pilot.pause()
        await pilot.press("x", "enter")
        await pilot.pause()
        assert last(pilot).startswith("Enter in full  Space mark  y copy  ")
        await pilot.press("space", "down", "space")
        await pilot.pause()
        assert last(pilot).startswith("Enter in full  m 2 marked  = compare  e export  y copy  Esc packages")
        await typed(pilot, "/@0:\rk")
        assert last(pilot).startswith("Enter in full  m 2 marked  = compare  e export  u undo  Esc packages")
        await pilot.press("escape", "f")
        await pilot.pause()
        assert last(pilot).startswith("Space shows all 14  / find value")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_the_way_back_to_the_packages_is_always_said(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter")
        for text in ("/ %gcc\r", "/ os=ubuntu22.04\r", "u", "f"):
            await typed(pilot, text)
            await pressed(pilot, "down", "up")
            assert f"  Esc {'specs' if text == 'f' else 'packages'}  ? help" in last(pilot)
            assert "  U redo  " in last(pilot) or text != "u"
        await pressed(pilot, "escape")
        assert browse_of(pilot).focused == browse_of(pilot).panes.specs
        await pressed(pilot, "space", "down", "space", "down")
        assert last(pilot).endswith(f"  Esc packages  ? help{'  q quit' if size == WIDE else ''}")

    drive(browser(), scenario, size)


@pytest.mark.parametrize("size", [SMALL, LEAST])
def test_the_way_back_is_said_in_a_build_cache_too(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter")
        assert last(pilot).endswith("  Esc packages  ? help  q quit")

    drive(cache_browser("py-bt-num", CACHE), scenario, size)


def test_in_a_build_cache_it_says_how_to_see_what_a_spec_needs(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert "n needs  i install" in last(pilot)

    drive(cache_browser("py-bt-num", CACHE), scenario, WIDE)


@pytest.mark.parametrize("size", [SMALL, WIDE, LEAST])
@pytest.mark.parametrize(
    ("keys", "first"),
    [((), "the package"), (("enter",), "the spec in full"), (("f",), "this value too")],
    ids=["packages", "specs", "facets"],
)
def test_the_help_begins_with_the_keys_of_the_pane(
    drive: Drive, size: tuple[int, int], keys: tuple[str, ...], first: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press(*keys, "question_mark")
        await pilot.pause()
        lines = screen_lines(pilot.app)
        head = next(k for k, line in enumerate(lines) if line.startswith("Help"))
        assert first.split()[-1] in lines[head + 2]

    drive(browser(), scenario, size)


def test_a_host_of_hostile_text_is_only_shown(drive: Drive) -> None:
    host = Host("linux", "\x1b[31mos", "zen3")
    content = sample_contents()[0]

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, "\\x1b[31mos")

    drive(BrowserApp(Catalogue(content, {}, snapshot=False), Query(), host, content=content), scenario, SMALL)


@pytest.mark.parametrize("width", [60, 80, 110, 120, 140])
def test_why_nothing_matches_begins_with_the_reason_and_the_way_out_in_whole_words(drive: Drive, width: int) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        panes = browse_of(pilot).panes
        table = panes.specs if panes.specs.is_on_screen else panes.packages
        lines = [(table, y) for y in range(1, table.size.height)] + [(panes.detail, y) for y in range(9)]
        said = "\n".join("".join(text for text, _ in pane.pieces(y)).strip() for pane, y in lines)
        advice = "w puts the right word in or takes a part out"
        flat = " ".join(said.split())
        assert flat.index("Nothing matches.") < flat.index("ubunut22.04") < flat.index(advice) < flat.index("without")
        counts = " ".join(text for field in panes.below.instead for text in (field.label, *field.lines))
        assert set(flat.split()) <= {*table.placeholder.split(), *counts.split()}

    drive(browser("py-mpi4py os=ubunut22.04 stack=e4s"), scenario, (width, 30))


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_no_pane_moves_where_what_is_typed_begins_or_ceases_to_match(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        panes = browse_of(pilot).panes
        places = {}
        for key in ("slash", "q", "backspace"):
            await pressed(pilot, key)
            places[key] = [pane.region for pane in (panes.facets, panes.packages, panes.specs, panes.detail)]
            shows(pilot, "Nothing matches." if key == "q" else "py-mpi4py")
        assert places["slash"] == places["q"] == places["backspace"]

    drive(browser(), scenario, size)


def test_why_nothing_matches_is_told_in_the_list_that_is_there_at_another_width(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        for size in (WIDE, SMALL, WIDE):
            await resized(pilot, size)
            shows(pilot, "Nothing matches.", "91 without os=amzn2")

    drive(browser("py-mpi4py os=amzn2"), scenario, WIDE)


def test_from_why_nothing_matches_no_key_goes_to_an_empty_pane(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        panes = browse_of(pilot).panes
        visited = []
        for key in ("l", "l", "h"):
            await pressed(pilot, key)
            visited.append(browse_of(pilot).focused)
        assert visited == [panes.facets, panes.packages, panes.facets]

    drive(browser("py-mpi4py os=amzn2"), scenario, WIDE)


def test_bars_of_facets_grow_into_the_room_that_names_leave(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "f")
        await pilot.pause()  # the bars follow the width that the layout gave
        bars = [
            line.count("\u2588")
            for line in screen_lines(pilot.app)
            if line.lstrip(" >").startswith(("linux", "darwin"))
        ]
        assert bars[0] >= 9
        assert 1 <= bars[1] <= 3

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_only_values_of_facets_are_whole_and_stand_below_each_other(
    drive: Drive, size: tuple[int, int], tmp_path: Path
) -> None:
    only = {"os": "ubuntu22.04", "platform": "linux", "target": "x86_64_v3", "compiler": "gcc@11.4.0"}

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "f")
        lines = [line.split("\u2502")[0] for line in screen_lines(pilot.app)]
        found = {facet: line for line in lines for facet in only if line.lstrip(" >").startswith(f"{facet} ")}
        assert len({line.index(only[facet]) for facet, line in found.items()}) == 1
        assert found.keys() == only.keys()

    drive(pages(tmp_path), scenario, size)


@pytest.mark.parametrize("size", [WIDE, (110, 30)])
def test_where_nothing_matches_no_titles_of_an_empty_list_stand_above_the_reason(
    drive: Drive, size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        lacks(pilot, "version▼")
        lacks(pilot, "compiler  os")
        await pressed(pilot, "x")
        shows(pilot, "hash", "version▼")

    drive(browser("py-mpi4py %gcc@12"), scenario, size)


def test_the_help_begins_what_keys_do_beside_the_keys(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "question_mark")
        shows(pilot, "what is this hash? over all tags; typing errors are forgiven")
        lines = screen_lines(pilot.app)
        at = {line.index(what) for line in lines for what in ("the specs of the package", "clear all") if what in line}
        assert len(at) == 1

    drive(browser(), scenario, SMALL)


def test_counts_that_have_no_room_beside_what_is_fetched_are_left_out(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        browse.bars.activity = "fetching 66.3 of 117.3 MB, 2.9 MB/s"
        browse.bars.show_header()
        await pilot.pause()
        assert screen_lines(pilot.app)[0].endswith(" fetching 66.3 of 117.3 MB, 2.9 MB/s")

    drive(browser(), scenario, (80, 24))


def test_within_a_package_its_specs_have_the_room_of_the_newest_versions_of_all_others(
    drive: Drive, tmp_path: Path
) -> None:
    plain = row(target="neoverse_n1", stacks=["developer-tools-manylinux2014"])
    days = {"a": "2025-04-13", "b": "2025-04-20", "c": "2025-04-06", "d": "2025-04-27"}
    builds = {
        letter: (plain | {"variants": ["~hl", "~mpi"] if letter < "c" else ["+hl", "+mpi"]}, [f"develop-{day}"])
        for letter, day in days.items()
    }
    others = [row("ca-certificates-mozilla", "2025-07-15"), row("perl-module-build-tiny", "2.26-t9b_3")]
    others += [row(version="1.14.3-5", compiler="apple-clang@15.0.0", variants=["+mpi", "+szip"])]
    content = str(write(tmp_path, [*in_tags(builds), *others]))

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "down")
        shows(pilot, "2025-07-15")
        before = screen_lines(pilot.app)
        await pressed(pilot, "enter")
        for letter, day in days.items():
            variants = "~mpi ~hl" if letter < "c" else "+mpi +hl"
            line = next(line for line in screen_lines(pilot.app) if letter * 7 in line)
            assert f"{day} {variants}" in line
        lacks(pilot, "2025-07-15")
        await pressed(pilot, "escape")
        assert screen_lines(pilot.app) == before

    drive(cache_browser("tag=develop", content), scenario, (140, 40))
