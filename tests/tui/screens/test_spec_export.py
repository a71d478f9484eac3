"""What a file of marked specs says of itself."""

from __future__ import annotations

import json

import pytest

from cachetui.model.host import Host
from cachetui.model.spec import UNTAGGED
from cachetui.query.query import Query
from cachetui.tui.rows.specs import spec_key
from cachetui.tui.screens.spec_export import spec_writers
from cachetui.tui.state.view import View
from tests.support.rows import index_of, row


def test_the_command_of_marked_specs_asks_for_no_tag_where_one_of_them_has_none() -> None:
    index = index_of([row(hash="a" * 32), row(tag=UNTAGGED, hash="b" * 32)])
    view = View(index, Query(), Host("linux", "rhel8", "zen3"), all_tags=True)

    def command(*rows: int) -> str:
        view.marks = frozenset(spec_key(index, number) for number in rows)
        document = json.loads("".join(spec_writers(view, None, "./pages", "made by")["json"]()))
        return str(document["context"]["command"])

    by_tag = {index.spec(number).tag: number for number in range(len(index))}
    assert command(by_tag["develop"]) == f"cachetui which ./pages --tag=develop /{'a' * 32}"
    assert command(by_tag[UNTAGGED]) == f"cachetui which ./pages /{'b' * 32}"
    assert "--tag" not in command(0, 1)


@pytest.mark.parametrize("package", [None, "hdf5"])
def test_of_a_spec_in_two_tags_a_file_of_marked_ones_counts_one_spec_in_two_rows(package: str | None) -> None:
    index = index_of([row("hdf5", hash="a" * 32, tag=tag) for tag in ("v1.0.0", "v1.1.0")])
    view = View(index, Query(), Host("linux", "rhel8", "zen3"), all_tags=True)
    view.marks = frozenset([spec_key(index, 0)])
    document = json.loads("".join(spec_writers(view, package, "./pages", "made by")["json"]()))
    assert document["context"]["shows"] == "1 marked of 1 spec in 2 rows"


@pytest.mark.parametrize("ending", ["md", "json"])
def test_a_file_says_its_query_as_a_command_takes_it(ending: str) -> None:
    index = index_of([row("hdf5", hash="a" * 32), row("zlib", hash="b" * 32)])
    view = View(index, Query.parse("hdf5 os=rhel8").spelled_for(fuzzy_name=True), Host("linux", "rhel8", "zen3"))
    written = "".join(spec_writers(view, "hdf5", "./pages", "made by")[ending]())
    assert "hdf5 os=" in written
