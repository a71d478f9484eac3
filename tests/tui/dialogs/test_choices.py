"""The rows and answers of dialogs, without a screen."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.tui.dialogs.choices import reasons_of, without_filter
from cachetui.tui.dialogs.export import completed, paths_of, write_whole
from cachetui.tui.dialogs.lookup import found_by, found_in_log, opened
from cachetui.tui.view.rows import IndexViews
from cachetui.tui.view.view import View
from tests.support.drive import HOST
from tests.support.random_rows import CATALOGUES, build
from tests.support.rows import VARIED, index_of, row

BOTH = "a" * 32
"""A hash in two tags."""

ROWS = [*VARIED, *(row("zlib", hash=BOTH, tag=tag) for tag in ("develop", "v0.20.0", "v1.0.0"))]


def view_of(query: str = "", tag: str | None = "develop") -> View:
    view = View(index=index_of(ROWS), host=HOST, tag=tag)
    return view.ask(view.parsed(query))


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", []),
        ("2feova4", [("prefix", "2feova4prghd2gkebr23if6bojkyydpt")]),
        (" /2FEOVA4 ", [("prefix", "2feova4prghd2gkebr23if6bojkyydpt")]),
        ("2feovaa", [("near", "2feova4prghd2gkebr23if6bojkyydpt")]),
        ("hdf5-vol/2feo", [("prefix", "2feova4prghd2gkebr23if6bojkyydpt")]),
        ("hdf5-vol-1.0-2feova4prghd2gkebr23if6bojkyydpt", [("exact", "2feova4prghd2gkebr23if6bojkyydpt")]),
        (BOTH, [("exact", BOTH)]),
    ],
)
def test_lookup_finds_hash_in_any_pasted_form(typed: str, found: list[tuple[str, str]]) -> None:
    assert [(match.kind, match.hash) for match in found_by(IndexViews(index_of(ROWS)), typed).hashes] == found


def test_lookup_shows_typing_errors_and_tags_of_each_match() -> None:
    index = index_of(ROWS)
    near, exact = found_by(IndexViews(index), "2feovaa").row[0], found_by(IndexViews(index), BOTH).row[0]
    assert near.cells[1] == "1 typo"
    assert exact.cells[1] == "exact"
    assert exact.cells[-1] == "develop, v1.0.0, v0.20.0"
    rows = found_by(IndexViews(index), "hdf5")
    assert [rows.key(k) for k in range(len(rows))] == [("package", "hdf5"), ("package", "hdf5-vol")]


def test_lookup_lists_hashes_of_pasted_log() -> None:
    rows = found_in_log(index_of(ROWS), f"==> Installing zlib/{BOTH}\n{'b' * 32}\n")
    assert [(rows.row[k].symbol, rows.row[k].cells[:2]) for k in range(2)] == [
        ("✓", ("1", BOTH)),
        ("✗", ("2", "b" * 32)),
    ]


@pytest.mark.parametrize(
    ("tag", "key", "expected"),
    [
        ("v0.20.0", BOTH, ("v0.20.0", "zlib", ("v0.20.0", "zlib", BOTH))),
        (None, BOTH, ("develop", "zlib", ("develop", "zlib", BOTH))),
        ("v1.0.0", "2feova4prghd2gkebr23if6bojkyydpt", ("develop", "hdf5-vol", None)),
        ("v0.20.0", ("package", "hdf5"), ("v0.20.0", "hdf5", None)),
        ("v1.0.0", ("package", "hdf5"), (None, "hdf5", None)),
    ],
)
def test_hash_from_lookup_opens_in_current_or_newest_tag(tag: str | None, key: object, expected: object) -> None:
    view = opened(view_of("os=rhel7", tag), key)
    assert not view.query.terms_of("os")
    spec = view.current_spec if isinstance(expected, tuple) and expected[2] else None
    assert (view.shown_tag, view.package, spec) == expected


@given(CATALOGUES)
def test_tag_counts_in_dialog_equal_naive_count(rows: list[dict[str, Any]]) -> None:
    index = index_of(rows)
    for tag in ("", *index.tags):
        taken = [(number, each) for number, each in enumerate(rows) if tag in ("", each["tag"])]
        of_os = [(number, each) for number, each in taken if each["os"] == "rhel8"]
        is_one = tag or len(index.tags) < 2  # in one tag each row is a spec
        naive = [len(some if is_one else {build(each, number) for number, each in some}) for some in (of_os, taken)]
        assert IndexViews(index).tag_counts[tag, Query.parse("os=rhel8")] == naive
        assert IndexViews(index).tag_counts[tag, Query()] == naive[1:]


def test_dialog_explains_and_removes_filter_without_matches() -> None:
    view = view_of("hdf5 os=rhel9 target=zen4")
    assert {each.text: each.specs for each in view.results.without_each} == {
        "hdf5": 0, "os=rhel9": 1, "target=zen4": 0, "tag=develop": 0
    }  # fmt: skip
    assert reasons_of(view) == {"os=rhel9": "matches nothing; nearest: rhel8"}
    assert reasons_of(view_of("hdf5 fits=zen3")) == {"fits=zen3": "= 2 run + 1 zen4"}
    assert without_filter(view, "os=rhel9").query.line == "hdf5 target=zen4"
    assert without_filter(view, "tag=develop").tag is None
    assert without_filter(view, "os=rhel9").undo().query == view.query


def test_host_dialog_lists_hosts_for_which_specs_were_built() -> None:
    index = index_of([*VARIED, row(os="a b"), row(target="nothing known")])
    found = IndexViews(index).hosts
    assert found[Host("linux", "rhel8", "zen4")] == 1
    assert next(iter(found)) == Host("linux", "ubuntu22.04", "x86_64_v3")
    assert all(Host.parse(str(host)) == host for host in found)


def test_export_uses_typed_or_unused_file_name(tmp_path: Path) -> None:
    (tmp_path / "hdf5.csv").touch()
    assert paths_of(f"{tmp_path}", "hdf5", ["csv", "md"]) == {
        "csv": tmp_path / "hdf5-2.csv", "md": tmp_path / "hdf5.md"
    }  # fmt: skip
    assert paths_of(f"{tmp_path}/", "a/b c", ["md"]) == {"md": tmp_path / "a-b-c.md"}
    assert paths_of("x/1.14", "hdf5", ["csv", "md"]) == {"csv": Path("x/1.14.csv"), "md": Path("x/1.14.md")}
    assert paths_of("x/y.md", "hdf5", ["csv", "md"]) == {"md": Path("x/y.md")}
    # the system will refuse this name
    assert paths_of("x" * 300, "hdf5", ["md"]) == {"md": Path(f"{'x' * 300}.md")}


def test_failed_export_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with pytest.raises(ZeroDivisionError):
        write_whole(path, (str(1 // each) for each in (1, 0)))
    assert os.listdir(tmp_path) == []
    write_whole(path, (f"{path.exists()}\n" for _ in range(2)))
    with pytest.raises(FileExistsError):
        write_whole(path, ["c\n"])
    assert (os.listdir(tmp_path), path.read_text()) == (["a.csv"], "False\nFalse\n")
    (tmp_path / "other").touch()
    assert path.stat().st_mode == (tmp_path / "other").stat().st_mode


def test_path_is_completed_to_common_prefix_of_files(tmp_path: Path) -> None:
    (tmp_path / "spack").mkdir()
    for name in ("spack.lock", "spack.yaml", ".hidden", "odd\x1b"):
        (tmp_path / name).touch()
    for typed, expected in {"sp": "spack", "spack.l": "spack.lock", "o": "o", "x": "x", ".h": ".hidden"}.items():
        assert completed(f"hdf5 {tmp_path}/{typed}") == f"hdf5 {tmp_path}/{expected}"
