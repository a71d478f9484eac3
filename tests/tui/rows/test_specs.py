"""Which specs are alike, and where a spec is found."""

from __future__ import annotations

from typing import Any

import pytest

from cachetui.query.query import Query
from cachetui.tui.rows.layout import Cell
from cachetui.tui.rows.specs import FoldedRows
from cachetui.tui.state.view import View
from tests.support.browsing import HOST
from tests.support.rows import index_of, row


@pytest.mark.parametrize("field", ["versions", "compiler", "os", "platform", "target", "hash"])
def test_specs_are_alike_if_only_the_hash_differs(field: str) -> None:
    other = {"versions": ["2"], "compiler": "gcc@9", "os": "rhel8", "platform": "darwin", "target": "zen3"}
    rows: list[dict[str, Any]] = [row(hash="a" * 32, os=None), row(hash="b" * 32, os=None)]
    rows[1] |= {key: value for key, value in other.items() if key == field}
    view = View(index_of(rows), Query(), HOST)
    folded = FoldedRows(view.lists.specs("hdf5"))
    assert [folded.row(k).cells[-1] for k in range(len(folded))] == (["2"] if field == "hash" else ["1", "1"])


@pytest.mark.parametrize("marked", ["", "a", "c", "ac", "abc", "d"])
@pytest.mark.parametrize("kept", ["a", "b", "c", None])
def test_a_row_for_specs_that_are_alike_has_the_sign_of_the_one_that_it_shows(marked: str, kept: str | None) -> None:
    view = View(index_of([row(hash=letter * 32) for letter in "abc"] + [row(hash="d" * 32, os="rhel8")]), Query(), HOST)
    keys = {specs.key(k)[2][0]: specs.key(k) for specs in [view.lists.specs("hdf5")] for k in range(4)}
    view.marks = frozenset(keys[letter] for letter in marked)
    folded = FoldedRows(view.lists.specs("hdf5"), [keys.get(kept or "")])
    lines = {folded.key(k)[2][0]: folded.row(k) for k in range(2)}
    shown = kept or min(set(marked) & set("abc"), default="a")
    assert {letter: line.marked for letter, line in lines.items()} == {shown: shown in marked, "d": "d" in marked}
    number = len(set(marked) - {"d"})
    assert lines[shown].cells[-1] == (f"*{number}/3" if number else "3")
    assert lines["d"].cells[-1] == ("*1/1" if "d" in marked else "1")


def test_a_spec_that_is_marked_in_two_tags_is_one_of_those_alike() -> None:
    rows = [row(hash="a" * 32, tag=tag) for tag in ("develop", "v1")]
    view = View(index_of(rows), Query.parse("tag=develop,v1"), HOST)
    view.marks = frozenset(view.lists.specs("hdf5").key(k) for k in range(2))
    assert (len(view.marks), FoldedRows(view.lists.specs("hdf5")).row(0).cells[-1]) == (2, "*1/1")


def test_spellings_of_a_compiler_are_alike() -> None:
    view = View(index_of([row(compiler="gcc@=11.4.0", hash="a" * 32), row(hash="b" * 32)]), Query(), HOST)
    folded = FoldedRows(view.lists.specs("hdf5"))
    assert [folded.row(k).cells[2:] for k in range(len(folded))] == [("gcc@11.4.0", "ubuntu22.04", "x86_64_v3", "2")]


def test_a_spec_twice_in_a_tag_is_found_where_it_is_shown() -> None:
    view = View(index_of([row(hash="a" * 32, os="rhel8"), row(hash="a" * 32)]), Query.parse("os=ubuntu22.04"), HOST)
    specs = view.lists.specs("hdf5")
    assert specs.find(specs.key(0)) == 0


def test_specs_without_a_hash_are_found_by_their_place() -> None:
    view = View(index_of([row(hash=None), row(hash=None, os="rhel8")]), Query(), HOST)
    specs = view.lists.specs("hdf5")
    assert [specs.find(specs.key(k)) for k in range(2)] == [0, 1]
    assert specs.find(("develop", "hdf5", "row 2")) is None


def test_a_compiler_is_spelt_as_the_facets_do() -> None:
    view = View(index_of([row(compiler="oneapi@=2024.2.1")]), Query(), HOST)
    specs = view.lists.specs("hdf5")
    assert specs.row(0).cells[2] == "intel-oneapi-compilers@2024.2.1"
    assert specs.index.spec(0).compiler == "oneapi@=2024.2.1"


@pytest.mark.parametrize("is_folded", [False, True])
@pytest.mark.parametrize(
    ("target", "sign", "tone"),
    [
        ("x86_64_v3", "", ""),
        ("zen3", "", ""),
        ("zen4", "!", "fails"),
        ("aarch64", "!", "fails"),
        ("new", "?", "unknown"),
    ],
)
def test_what_does_not_run_on_the_host_has_a_sign_and_a_colour(
    target: str, sign: str, tone: str, is_folded: bool
) -> None:
    specs = View(index_of([row(target=target)]), Query(), HOST).lists.specs("hdf5")
    line = (FoldedRows(specs) if is_folded else specs).row(0)
    shown = line.cells[4]
    assert line.sign == sign
    assert shown == (Cell(target, tone) if tone else target)  # type: ignore[arg-type]  # one of the tones


@pytest.mark.parametrize("is_folded", [False, True])
def test_a_row_is_made_when_it_is_first_painted_and_kept(is_folded: bool) -> None:
    specs = View(index_of([row(os="rhel8"), row(os="rhel9")]), Query(), HOST).lists.specs("hdf5")
    rows = FoldedRows(specs) if is_folded else specs
    second = rows.row(1)
    assert rows.row(1) is second
    assert list(rows._lines) == [1]
