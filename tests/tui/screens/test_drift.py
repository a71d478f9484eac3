"""The drift screen on the sample catalogue, which has two tags."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from cachetui.analysis.diff import Change
from cachetui.analysis.diff import TagDiff as Drift
from cachetui.analysis.diff import diff as drift
from cachetui.catalogue import Catalogue
from cachetui.cli.main import main
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.settings.views import ScreenLook
from cachetui.tui.app import BrowserApp
from cachetui.tui.rows.drift import LONG_SIDE, SIDE, DriftRows
from cachetui.tui.rows.drift_sections import Grouping, sections, summary
from cachetui.tui.screens import drift as drift_screen
from cachetui.tui.screens.drift import DriftScreen
from cachetui.tui.screens.drift_detail import item_detail
from tests.support.browsing import (
    LEAST,
    SMALL,
    WIDE,
    browser,
    comes_back,
    lacks,
    opened,
    pressed,
    settled,
    shown_meanwhile,
    shows,
)
from tests.support.drive import Drive
from tests.support.held_back import held_back
from tests.support.places import SAMPLE_CONTENT
from tests.support.rows import index_of, row, write
from tests.support.screens import screen_lines

OLD = "develop-2025-04-20"


@pytest.fixture(scope="module")
def found() -> Drift:
    index = Catalogue(SAMPLE_CONTENT, {}, snapshot=False).load()
    return drift(index, OLD, "develop")


def rows_of(pilot: Pilot[Any]) -> DriftRows:
    screen = pilot.app.screen
    assert isinstance(screen, DriftScreen)
    rows = screen._table.rows
    assert isinstance(rows, DriftRows)
    return rows


@pytest.mark.parametrize("by", ["kind", "package"])
def test_each_thing_that_changed_stands_in_one_section(found: Drift, by: Grouping) -> None:
    items = [item for section in sections(found, by) for item in section.items]
    changes = [item for item in items if isinstance(item, Change)]
    assert sorted(map(repr, changes)) == sorted(map(repr, found.changes))
    names = [item for item in items if isinstance(item, str)]
    assert names == [*found.packages_gone, *found.packages_new, *found.stacks_gained, *found.stacks_lost]


@pytest.mark.parametrize("by", ["kind", "package"])
def test_a_change_is_found_again_when_those_before_it_are_gone(by: Grouping) -> None:
    changes = tuple(
        Change(package, "target", old, "x86_64_v3", specs)
        for package in ("hdf5", "zlib")
        for old, specs in (("zen3", 1), ("zen4", 2), ("zen4", 3))
    )
    found = drift(index_of([]), OLD, "develop")
    rows, less = (
        DriftRows(replace(found, changes=some), by, frozenset({"target", "hdf5", "zlib"}))
        for some in (changes, changes[3:])
    )
    assert [rows.find(rows.key(k)) for k in range(len(rows))] == list(range(len(rows)))
    last = next(k for k in range(len(rows)) if rows.item(k) is changes[-1])
    at = less.find(rows.key(last))
    assert at is not None
    assert less.item(at) is changes[-1]


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_sections_are_folded_at_first_and_counted(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "d")
        shows(pilot, f"Drift  {OLD} -> develop", "▸ packages new", "▸ stacks gained", "? help  Esc back")
        shows(pilot, "▸ builds added", "2 changes in 1 package", "rebuilt", "unchanged")
        assert all(len(line) <= size[0] for line in screen_lines(pilot.app))
        await pressed(pilot, "enter")
        shows(pilot, "▾ packages new", "py-safetensors")

    drive(browser(), scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_builds_that_are_only_counted_say_so_and_list_their_packages(drive: Drive, size: tuple[int, int]) -> None:
    old, new = "develop-2023-08-13", "develop-2023-08-20"
    hashes = {"acts": ("ab", "cd"), "bzip2": ("e", "f"), "curl": ("ghi", "ghj")}
    tags = zip((old, new), zip(*hashes.values(), strict=True), strict=True)
    index = index_of(
        row(name, hash=letter * 32, tag=tag)
        for tag, of_tag in tags
        for name, letters in zip(hashes, of_tag, strict=True)
        for letter in letters
    )

    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, DriftScreen(index, Query.parse("%gcc"), "DIR", new))
        await pressed(pilot, "home")
        for keys, said, listed in (
            (("end",), "unchanged builds are only counted: nothing differs", ("2 builds of 1 package", "curl 2")),
            (("up",), "rebuilt builds are only counted: nothing but", ("4 builds of 3 packages", "acts 2  bzip2 1")),
        ):
            await pressed(pilot, *keys)
            shows(pilot, "Enter their packages  / find")
            for key in ("right", "space"):
                await pressed(pilot, key)
                shows(pilot, said)
                assert "differs; Enter lists their packages" in " ".join(" ".join(screen_lines(pilot.app)).split())
                await pressed(pilot, "left")
                lacks(pilot, said)
            before = screen_lines(pilot.app)
            await pressed(pilot, "enter")
            shows(pilot, *listed)
            await pressed(pilot, "escape")
            assert screen_lines(pilot.app) == before
        await pressed(pilot, "enter")
        shows(pilot, "Space marks each", "= compares them", "y copies the command")
        await pressed(pilot, "y")
        shows(pilot, f"cachetui diff DIR {old}..{new} --by=hash", "%gcc")

    drive(browser(), scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_where_no_build_was_only_rebuilt_there_is_nothing_to_list(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "d")
        shows(pilot, "Enter open")
        await pressed(pilot, "end", "up")
        lacks(pilot, "Enter")
        for key in ("enter", "right", "space"):
            await pressed(pilot, key)
            shows(pilot, "no build was rebuilt")
            await pressed(pilot, "left")
            lacks(pilot, "no build was rebuilt")
        await pressed(pilot, "home")
        shows(pilot, "Enter open")

    drive(browser(), scenario, size)


def test_filters_in_the_title_stand_apart_from_it_where_they_lack_room(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "d")
        assert screen_lines(pilot.app)[0].startswith(f"Drift  {OLD} -> develop")
        assert screen_lines(pilot.app)[0].endswith("…")

    query = "py-ml-dtypes %gcc os=ubuntu22.04,rhel8,amzn2 target=x86_64_v3,neoverse_v1,neoverse_v2"
    drive(browser(query), scenario, SMALL)


def test_sections_unfold_and_fold_by_every_key_for_it(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "d")
        folded = len(rows_of(pilot))
        for unfold, fold in (("right", "left"), ("space", "space"), ("enter", "enter"), ("l", "h")):
            await pressed(pilot, unfold)
            assert len(rows_of(pilot)) == folded + 3
            await pressed(pilot, fold)
            assert len(rows_of(pilot)) == folded
        await pressed(pilot, "right", "down", "down", "left")
        assert len(rows_of(pilot)) == folded
        assert pilot.app.screen._table.cursor_row == 0  # type: ignore[attr-defined]  # a list screen

    drive(browser(), scenario, SMALL)


def test_a_stack_that_a_tag_does_not_have_says_so(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "d", "down", "right")
        shows(pilot, f"not in {OLD} at all")
        await pressed(pilot, "down", "enter")
        shows(pilot, f"{OLD}: no such stack in this tag", "develop: 12 specs")

    drive(browser(), scenario, SMALL)


def test_a_change_opens_both_sides(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "d", "m")
        shows(pilot, "▸ py-ml-dtypes", "7 changes")
        await pressed(pilot, "down", "down", "right", "down")
        build = "@0.3.1 %gcc@11.4.0 arch=linux-ubuntu22.04-neoverse_v1"
        shows(pilot, f"py-ml-dtypes: builds added in e4s-neoverse_v1: {build}")
        assert [line.split()[-2:] for line in screen_lines(pilot.app) if line.count(build)][1] == [
            "e4s-neoverse_v1",
            "3",
        ]
        await pressed(pilot, "enter")
        shows(pilot, "package py-ml-dtypes", f"{OLD}: 0 specs", "develop: 3 specs", "py-ml-dtypes@0.3.1%gcc")
        await pressed(pilot, "escape")
        shows(pilot, "▾ py-ml-dtypes")

    drive(browser(), scenario, WIDE)


def test_a_package_that_is_new_opens(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "d", "enter", "down", "enter")
        shows(pilot, "py-mpi4py in develop: 91 specs", "versions 4.0.1 (86)")

    drive(browser(), scenario, SMALL)


def test_tags_are_stepped_through_and_chosen(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "d", "comma")
        shows(pilot, "no older tag to compare", f"{OLD} -> develop")
        await pressed(pilot, "full_stop")
        shows(pilot, "no newer tag")
        await pressed(pilot, "T")
        shows(pilot, "Compare with which tag?", OLD)
        await pressed(pilot, "enter")
        shows(pilot, f"{OLD} -> develop")

    drive(browser(), scenario, SMALL)


def test_the_oldest_tag_asks_what_to_compare_with(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "d")
        shows(pilot, "Compare with which tag?")
        await pressed(pilot, "enter")
        shows(pilot, f"develop -> {OLD}", "packages gone", "stacks lost")

    drive(browser(f"tag={OLD}"), scenario, SMALL)


def test_the_command_gives_the_same_changes(drive: Drive, capsys: pytest.CaptureFixture[str]) -> None:
    commands: list[str] = []
    changes: list[Change] = []

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "d")
        screen = pilot.app.screen
        assert isinstance(screen, DriftScreen)
        commands.append(screen.copies()[0][1])
        changes.extend(rows_of(pilot).found.changes)

    drive(browser("os=ubuntu22.04"), scenario, SMALL)
    main([*shlex.split(commands[0])[1:], "--no-snapshot", "--format=json"])
    printed = json.loads(capsys.readouterr().out)["changes"]
    assert changes
    hashes = [(len(each.pop("old_hashes")), len(each.pop("new_hashes"))) for each in printed]
    assert hashes == [(len(each.old_rows), len(each.new_rows)) for each in changes]
    fields = [{key: getattr(each, key) for key in printed[0]} for each in changes]
    assert printed == [each | {"stacks": [*each["stacks"]], "build": each["build"] or None} for each in fields]


def test_the_changes_are_exported(drive: Drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "d", "e", "down", "enter")
        shows(pilot, "written: diff-develop-2025-04-20-develop.json")

    drive(browser(), scenario, SMALL)
    document = json.loads((tmp_path / f"diff-{OLD}-develop.json").read_text())
    assert document["packages_new"] == ["py-mpi4py", "py-pdm-backend", "py-safetensors"]


def test_the_heading_says_how_far_the_tags_are_apart(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "d")
        assert screen_lines(pilot.app)[0].endswith("since 2025-04-20, the newest snapshot")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_with_one_tag_alone_it_says_what_can_be_compared(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, DriftScreen(index_of([row(tag="btest")]), Query(), None, "btest"))
        assert screen_lines(pilot.app)[0].split() == ["Drift", "btest"]
        shows(pilot, "btest is the only tag here. What can be compared instead:")
        shows(pilot, "cachetui OLDER NEWER", "mark both in the list with Space, then =", "tag: c, then mark")
        assert screen_lines(pilot.app)[-1] == "? help  Esc back"
        await pressed(pilot, "T")
        shows(pilot, "there is only one tag, so nothing to compare")

    drive(browser(), scenario, size)


def test_where_no_tag_is_before_this_one_the_key_that_chooses_another_is_named(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, DriftScreen(index_of([row(tag="v1.0"), row(tag="develop")]), Query(), None, "v1.0"))
        await pressed(pilot, "escape")
        shows(pilot, "There is no tag before this one in its series: T chooses the older tag.")
        assert screen_lines(pilot.app)[-1] == "T older tag  ? help  Esc back"

    drive(browser(), scenario, SMALL)


def test_two_contents_with_one_tag_each_can_be_compared(drive: Drive, tmp_path: Path) -> None:
    """As the screen says where there is one tag only."""
    older, newer = (
        str(write(tmp_path / name, [row(version, tag="site")])) for name, version in (("a", "1"), ("b", "2"))
    )

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "d")
        shows(pilot, "Drift  a/site -> b/site", "▸ packages new")

    catalogue = Catalogue([older, newer], {}, snapshot=False)
    drive(BrowserApp(catalogue, Query.parse(""), Host.parse("zen3")), scenario, SMALL)


def test_bars_of_packages_and_of_changes_are_on_one_scale() -> None:
    """Three specs are three specs, whether of a package that is new or of builds that are."""
    old = [row("zlib", hash="a" * 32, tag=OLD), row("cmake", hash="b" * 32, tag=OLD)]
    new = [row("zlib", hash="a" * 32, tag="develop"), row("cmake", hash="b" * 32, tag="develop")]
    new += [row("hdf5", f"1.{k}", hash=str(k + 2) * 32, tag="develop") for k in range(3)]
    new += [row("zlib", f"2.{k}", hash=f"{k + 2}" + "c" * 31, tag="develop") for k in range(3)]
    rows = DriftRows(drift(index_of(old + new), OLD, "develop"), "kind", frozenset({"packages new", "builds added"}))
    pictures = {str(rows.key(k)[0]): rows.row(k).cells[2].text for k in range(len(rows) - 2) if rows.item(k) is None}  # type: ignore[index, union-attr]
    assert pictures["packages new"] == pictures["builds added"]
    ones = [len(rows.row(k).cells[2].text.rstrip()) for k in range(len(rows)) if rows.item(k) is not None]  # type: ignore[union-attr]
    assert ones[0] > max(ones[1:])


def test_names_take_the_room_that_they_need(drive: Drive) -> None:
    stack = "aws-pcluster-neoverse_v1-with-a-name"
    tags = [row(hash="a" * 32, tag=OLD), row(hash="b" * 32, tag="develop", stacks=[stack])]

    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, DriftScreen(index_of(tags), Query(), None, "develop"))
        await pressed(pilot, "enter")
        shows(pilot, f"    {stack} ")

    drive(browser(), scenario, WIDE)


def test_nothing_that_matches_says_so(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "d")
        shows(pilot, "Neither tag has a spec that matches.")
        await pressed(pilot, "question_mark")
        shows(pilot, "unfold or fold a section")

    drive(browser("os=amzn2"), scenario, SMALL)


def test_where_only_hashes_are_others_their_number_is_said(drive: Drive) -> None:
    weeks = ("develop-2025-04-13", OLD)

    async def scenario(pilot: Pilot[Any]) -> None:
        for hashes, said in (("ab", "Nothing changed but hashes: 1 rebuilt"), ("aa", "Nothing changed.")):
            index = index_of([row(tag=tag, hash=letter * 32) for tag, letter in zip(weeks, hashes, strict=True)])
            await opened(pilot, DriftScreen(index, Query(), None, OLD))
            assert screen_lines(pilot.app)[1].strip() == said

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(("stack", "far"), [("e4s", "1 week apart"), ("a-stack-of-a-long-name", "")])
def test_how_far_the_tags_are_apart_is_said_whole_or_not_at_all(drive: Drive, stack: str, far: str) -> None:
    index = index_of([row(tag=tag, stacks=[stack]) for tag in ("develop-2025-04-13", OLD)])

    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, DriftScreen(index, Query.parse(f"stack={stack}"), None, OLD))
        assert screen_lines(pilot.app)[0].partition(f"stack={stack}")[2].strip() == far

    drive(browser(), scenario, SMALL)


def test_no_figures_stand_under_the_heading_of_others(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    tags = ("develop-2025-03-09", OLD, "develop")
    index = index_of([row(tag=tag, hash=str(k + 2) * 32, os=f"os{k}") for k, tag in enumerate(tags)])

    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, DriftScreen(index, Query(), None, "develop"))
        shows(pilot, f"Drift  develop-2025-03-09 -> {OLD}", "▸ os")
        may_go_on = held_back(monkeypatch, drift_screen, "drift")
        pilot.app.simulate_key("full_stop")  # which waits for no thread
        await shown_meanwhile(pilot, f"comparing {OLD} -> develop")
        shows(pilot, f"Drift  develop-2025-03-09 -> {OLD}")
        may_go_on.set()
        await settled(pilot)
        shows(pilot, f"Drift  {OLD} -> develop", "▸ os")

    drive(browser(), scenario, WIDE)


def test_what_was_and_is_stands_to_both_sides_of_a_line(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "d")
        found = rows_of(pilot).found
        more = [change for change in found.changes if change.kind == "count"]
        old, new = (sum(len(getattr(each, side)) for each in more) for side in ("old_rows", "new_rows"))
        lines = {line[3:10]: line.split("│") for line in screen_lines(pilot.app) if line[1:].startswith("▸ ")}
        left, right = lines["more bu"]
        assert left.split()[-2:] == [str(old), "▐"]
        assert right.split()[:2] == ["█▌", str(new)]
        left, right = lines["package"]
        # the specs of new packages, on the same scale as those of the changes
        specs = sum(found.package_builds.values())
        assert left.split() == [">▸", "packages", "new", "3", "packages"]
        assert right.split() == ["███", str(specs), str(specs)]

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(("size", "side"), [((210, 40), LONG_SIDE), (SMALL, SIDE), (LEAST, 0)])
def test_the_picture_is_as_wide_as_there_is_room(drive: Drive, size: tuple[int, int], side: int) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "d")
        heads = next(line for line in screen_lines(pilot.app) if "change" in line and "what" in line)
        assert ("│new" in heads) is bool(side)
        assert f"{'old':>{side}}│new" in heads or not side

    drive(browser(), scenario, size)


THREE = ("develop", OLD, "develop-2025-03-09")


def three() -> Index:
    return index_of([row(tag=tag, hash=str(k + 2) * 32, os=f"os{k}") for k, tag in enumerate(THREE)])


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (WIDE, "the two newest weeks, 6 weeks apart"),
        (SMALL, "newest two, 6 weeks"),
        (LEAST, "develop is no weekly tag"),
    ],
)
def test_where_develop_is_looked_at_it_is_said_that_the_two_newest_weeks_are_compared(
    drive: Drive, size: tuple[int, int], said: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, DriftScreen(three(), Query(), None, "develop"))
        await pressed(pilot)
        shows(pilot, f"Drift  develop-2025-03-09 -> {OLD}", said)
        *_, message, keys = screen_lines(pilot.app)
        assert message.startswith("develop is no weekly tag: compared are the two newest weeks")
        assert keys.startswith("Enter open  / find  , . step  t newer tag")
        assert keys.endswith("? help  Esc back")
        await pressed(pilot, "full_stop")
        assert screen_lines(pilot.app)[-2:] == ["", keys]
        shows(pilot, f"Drift  {OLD} -> develop")
        lacks(pilot, "newest two")
        lacks(pilot, "two newest")

    drive(browser(), scenario, size)


def test_tags_that_were_chosen_are_part_of_how_it_is_looked_at(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = DriftScreen(three(), Query(), None, "develop")
        await opened(pilot, screen)
        await pressed(pilot)
        assert screen.look == ScreenLook()
        await pressed(pilot, "full_stop")
        look = screen.look
        assert look == ScreenLook(old=OLD, new="develop")
        await pressed(pilot, "escape")
        again = DriftScreen(three(), Query(), None, "develop", look)
        await opened(pilot, again)
        shows(pilot, f"Drift  {OLD} -> develop", "since 2025-04-20")
        assert again.look == look

    drive(browser(), scenario, WIDE)


def test_the_tags_are_kept_while_the_same_tag_is_looked_at(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "d")
        shows(pilot, "Compare with which tag?")
        await pressed(pilot, "enter", "m", "escape", "slash", *"dtypes", "enter", "d")
        shows(pilot, f"Drift  develop -> {OLD}", "▸ py-ml-dtypes")
        await pressed(pilot, "t", "up", "enter")
        shows(pilot, f"Drift  develop -> {OLD}", "develop is the older tag already")
        await pressed(pilot, "escape", "t", "up", "enter", "d")
        shows(pilot, f"Drift  {OLD} -> develop")

    drive(browser(f"tag={OLD}"), scenario, SMALL)


def test_the_list_of_tags_says_which_is_on_the_other_side(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "d")
        shows(pilot, "t newer tag  T older tag")
        await pressed(pilot, "t")
        shows(pilot, f"{OLD} older")
        await pressed(pilot, "escape", "T")
        shows(pilot, "develop newer")

    drive(browser(), scenario, SMALL)


def test_under_a_stack_it_says_which_stacks_share_builds_with_it() -> None:
    one = [row(hash="a" * 32, tag=OLD, stacks=["e4s", "hep"]), row(hash="a" * 32, tag="develop", stacks=["e4s"])]
    found = drift(index_of(one), OLD, "develop", Query.parse("stack=e4s"))
    rows = DriftRows(found, "kind", frozenset())
    assert [cell if isinstance(cell, str) else cell.text for cell in rows.row(0).cells[:2]] == [
        "▸ stacks parted",
        "1 stack no longer sharing builds with e4s",
    ]


def test_packages_that_came_and_went_are_counted() -> None:
    rows = [row(name, hash=sign * 32, tag=tag) for name, sign, tag in (("a", "a", OLD), ("b", "b", "develop"))]
    assert summary(drift(index_of(rows), OLD, "develop")) == (
        "0 changes in packages that both have, 1 package new, 1 package gone"
    )


def test_the_hash_of_a_build_that_is_gone_is_copied(drive: Drive) -> None:
    rows = [row(hash="a" * 32, tag=OLD), row(version="1.0", hash="b" * 32, tag=OLD)]
    rows += [row(hash="a" * 32, tag="develop")]

    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, DriftScreen(index_of(rows), Query(), None, "develop"))
        await pressed(pilot, "enter", "down", "enter")
        shows(pilot, "y copy")
        await pressed(pilot, "y")
        shows(pilot, "hash", "b" * 32, "Enter copy")
        await pressed(pilot, "escape", "escape")
        shows(pilot, "builds removed")

    drive(browser(), scenario, SMALL)


def test_both_sides_of_a_change_are_copied_apart() -> None:
    rows = [row(target="zen3", hash="a" * 32, tag=OLD), row(target="zen4", hash="b" * 32, tag="develop")]
    index = index_of(rows)
    found = drift(index, OLD, "develop")
    section = sections(found, "kind")[0]
    detail = item_detail(index, found, section, section.items[0])
    assert detail is not None
    texts = dict(detail.texts)
    assert (texts["old hash"], texts["new hash"]) == ("a" * 32, "b" * 32)


def test_what_is_typed_is_found_in_folded_sections_too(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "d")
        shows(pilot, "Enter open  / find")
        folded = len(rows_of(pilot))
        await pressed(pilot, "slash", *"oneapi")
        shows(pilot, "▾ stacks gained", ">    e4s-oneapi")
        await pressed(pilot, *["backspace"] * 6, *"safet", "enter")
        shows(pilot, "▸ stacks gained", "▾ packages new", ">    py-safetensors")
        assert len(rows_of(pilot)) == folded + 3
        await pressed(pilot, "slash", "q", "q", "q")
        shows(pilot, "nothing here is called like qqq", ">    py-safetensors")
        await pressed(pilot, "escape", "down")
        shows(pilot, ">▸ stacks gained", "Enter open")
        await comes_back(pilot, "slash", *"e4s-one", "escape")
        await comes_back(pilot, "slash", *"safet", "escape")

    drive(browser(), scenario, SMALL)


def test_a_kind_of_change_is_found_and_stays_folded(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "d", "slash", *"builds a", "enter")
        shows(pilot, ">▸ builds added")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_a_heading_with_the_stack_it_is_of_is_not_cut(drive: Drive, size: tuple[int, int]) -> None:
    both = [row("cmake", tag=tag, stacks=["e4s"]) for tag in (OLD, "develop")]
    left = [row(tag=OLD, stacks=["e4s"]), row(tag="develop", stacks=["hep"])]
    index = index_of([*both, *left, row("hep", tag=OLD, stacks=["hep"])])

    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, DriftScreen(index, Query.parse("stack=e4s"), None, "develop"))
        await pressed(pilot, "T")
        await pressed(pilot, "escape")
        shows(pilot, "packages gone from e4s ", "old│new")

    drive(browser(), scenario, size)


def test_other_tags_are_compared_from_their_first_change(drive: Drive) -> None:
    hashes = {"develop-2025-04-06": "a", "develop-2025-04-13": "a", OLD: "b"}
    made = [row(tag=tag, hash=letter * 32) for tag, letter in hashes.items()]
    index = index_of([*made, row("cmake", tag="develop-2025-04-06")])

    async def scenario(pilot: Pilot[Any]) -> None:
        await opened(pilot, DriftScreen(index, Query(), None, OLD))
        screen = pilot.app.screen
        assert isinstance(screen, DriftScreen)
        await pressed(pilot, "end")
        assert rows_of(pilot).places[screen._table.cursor_row or 0] == (None, 1)
        await pressed(pilot, "comma")
        shows(pilot, "develop-2025-04-06 -> develop-2025-04-13")
        section, at = rows_of(pilot).places[screen._table.cursor_row or 0]
        assert section is not None
        assert (section.name, at, screen._table.cursor_row) == ("packages gone", -1, 0)

    drive(browser(), scenario, SMALL)
