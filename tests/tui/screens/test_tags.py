"""The list of tags: one is found by a part of it, in the browser and where two are compared."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.tui.app import BrowserApp
from cachetui.tui.rows.layout import text_in
from cachetui.tui.widgets.table import Table
from tests.support import rows
from tests.support.drive import Drive
from tests.support.screens import screen_lines

TAGS = ["develop", *(f"develop-2025-04-{day:02}" for day in range(28, 0, -1)), "v1.0.0"]

KNOWN = ("all", *TAGS)


def here(pilot: Pilot[Any]) -> str:
    *_, line = (line for line in screen_lines(pilot.app) if line.startswith(">"))  # behind the box stands a list
    return line[1:].split()[0]


async def pressed(pilot: Pilot[Any], *keys: str) -> None:
    await pilot.app.workers.wait_for_complete()
    await pilot.press(*keys)
    await pilot.pause()


def test_a_tag_is_found_by_a_part_of_it(drive: Drive, tmp_path: Any) -> None:
    content = rows.write(tmp_path / "content", [rows.row(tag=tag) for tag in TAGS])
    app = BrowserApp(Catalogue(str(content), {}, snapshot=False), Query(), Host("linux", "rhel9", "zen3"))

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "t", "slash", *"4-17")
        assert here(pilot) == "develop-2025-04-17"
        await pressed(pilot, "enter")
        assert app.browse.view.tag == "develop-2025-04-17"
        assert screen_lines(pilot.app)[-1].endswith("in develop-2025-04-17 now; u goes back")
        await pressed(pilot, "t", "enter")
        assert "goes back" not in screen_lines(pilot.app)[-1]
        await pressed(pilot, "t", "slash", *"4-1")
        assert here(pilot) == "develop-2025-04-17"
        await pressed(pilot, "slash", *"x")
        assert "no such tag" in "".join(screen_lines(pilot.app))
        await pressed(pilot, "enter")
        assert here(pilot) == "develop-2025-04-17"
        assert "no such tag; " in screen_lines(pilot.app)[-1]
        await pressed(pilot, "slash", *"develop-2025-04-31")
        assert "no such tag; nearest:" in screen_lines(pilot.app)[-1]
        nearest = [line for line in screen_lines(pilot.app) if "develop-2025-04-" in line]
        assert 0 < len(nearest) < 10
        await pressed(pilot, "enter")
        assert "no such tag; here is the nearest" in screen_lines(pilot.app)[-1]
        before = here(pilot)
        await pressed(pilot, "slash", *"V1")
        assert here(pilot) == "v1.0.0"
        await pressed(pilot, "escape")
        assert here(pilot) == before
        assert len([line for line in screen_lines(pilot.app) if "develop-2025" in line]) > 10
        await pressed(pilot, "escape", "d", "T", "slash", *"04-0", "down", "enter")
        assert "Drift  develop-2025-04-08 -> develop-2025-04-17" in screen_lines(pilot.app)[0]

    drive(app, scenario)


def test_a_hash_in_two_tags_is_one_spec(drive: Drive, tmp_path: Any) -> None:
    twice = [rows.row(tag=tag, hash="a" * 32) for tag in TAGS[:2]]
    content = rows.write(tmp_path / "content", [*twice, rows.row(tag=TAGS[0], hash="b" * 32)])
    app = BrowserApp(Catalogue(str(content), {}, snapshot=False), Query(), Host("linux", "rhel9", "zen3"))

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "t")
        lines = [line[1:].partition("│")[0].split() for line in screen_lines(pilot.app)]
        counts = {tag: line[-1] for tag in ("all", *TAGS[:2]) for line in lines if line[:1] == [tag]}
        assert counts == {"all": "2", TAGS[0]: "2", TAGS[1]: "1"}

    drive(app, scenario)


def counts_of(pilot: Pilot[Any]) -> dict[str, list[str]]:
    """For each tag in the list the numbers beside it."""
    lines = [line[1:].split() for line in screen_lines(pilot.app)]
    return {line[0]: [word for word in line[1:] if word.isdecimal()] for line in lines if line[:1] and line[0] in KNOWN}


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 20)])
def test_beside_each_tag_stands_how_many_specs_the_filters_take_of_it(
    drive: Drive, tmp_path: Any, size: tuple[int, int]
) -> None:
    twice = [rows.row(tag=tag, hash="a" * 32, stacks=["e4s"]) for tag in TAGS[:2]]
    others = [rows.row("zlib", tag=tag) for tag in TAGS[:3]]
    more = [rows.row(tag=TAGS[0], stacks=["e4s"]), rows.row(tag=TAGS[1], stacks=["hep"])]
    content = rows.write(tmp_path / "content", [*twice, *others, *more])
    query = Query.parse(f"hdf5 stack=e4s tag={TAGS[1]}")
    app = BrowserApp(Catalogue(str(content), {}, snapshot=False), query, Host("linux", "rhel9", "zen3"))

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "t")
        heads = next(line for line in screen_lines(pilot.app) if "matching" in line)
        assert heads.partition("matching")[2].split()[0] == "specs"
        assert counts_of(pilot) == {"all": ["2", "6"], TAGS[0]: ["2", "3"], TAGS[1]: ["1", "3"], TAGS[2]: ["0", "1"]}
        tones = {text: tone for line, tone in toned_lines(pilot) for text in line if text in TAGS}
        assert (tones[TAGS[0]], tones[TAGS[2]]) == ("", "dim")
        for tag, (matching, specs) in counts_of(pilot).items():
            await pressed(pilot, "home", *["down"] * KNOWN.index(tag), "enter")
            assert f"{matching} of {specs}" in screen_lines(pilot.app)[0].replace("/", " of ")
            await pressed(pilot, "t")
        await pressed(pilot, "escape", "x", "t")
        assert not any("matching" in line for line in screen_lines(pilot.app))
        assert counts_of(pilot)["all"] == ["6"]

    drive(app, scenario, size)


def toned_lines(pilot: Pilot[Any]) -> list[tuple[list[str], str]]:
    """The words of each tag's line, and its tone."""
    table = pilot.app.screen.query_one(Table)
    lines = [table.rows.row(k) for k in range(len(table.rows))]
    return [([text_in(cell) for cell in line.cells], line.tone) for line in lines]


def test_within_a_package_the_tags_are_counted_for_it_and_in_a_drift_for_its_filters(
    drive: Drive, tmp_path: Any
) -> None:
    made = [rows.row(name, tag=tag) for tag in TAGS[:3] for name in ("hdf5", "hdf5", "zlib")]
    content = rows.write(tmp_path / "content", made)
    app = BrowserApp(Catalogue(str(content), {}, snapshot=False), Query(), Host("linux", "rhel9", "zen3"))

    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "t")
        assert counts_of(pilot)[TAGS[0]] == ["3"]
        await pressed(pilot, "escape", "enter", "t")
        assert counts_of(pilot)[TAGS[0]] == ["2", "3"]
        await pressed(pilot, "escape", "escape", "slash", *"zlib", "enter", "d", "t")
        assert counts_of(pilot)[TAGS[1]] == ["1", "3"]

    drive(app, scenario)
