"""The benchmark catalogue at a hundredth of its size: the same bytes each time, the shape of the real one."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from cachetui.search.index import Index
from cachetui.sources.pages.reader import segments
from cachetui.store.merge import merge
from tests.support.full_catalogue import KINDS, Counts, Kind, main, write_catalogue

SCALE, SEED = 0.01, 0

Rows = list[dict[str, Any]]
Pages = dict[tuple[str, str], tuple[dict[str, Any], Rows]]


def digest(folder: Path) -> str:
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*.md")):
        whole.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return whole.hexdigest()


def front_matter(page: str) -> tuple[str, str, dict[str, Any], Rows]:
    """The package, the tag, the meta and the rows; fails on any page that has not the form of 2025."""
    start, title, layout, categories, meta, details, end = page.split("\n")
    assert (start, layout, end) == ("---", "layout: cache", "---")
    package = re.fullmatch(r'title: "([a-z0-9-]+)"', title)
    tag = re.fullmatch(r"categories: \[package, ([a-z0-9.-]+)\]", categories)
    assert package
    assert tag
    assert meta.startswith("meta: ")
    assert details.startswith("spec_details: ")
    figures, rows = json.loads(meta.partition(" ")[2]), json.loads(details.partition(" ")[2])
    assert meta == f"meta: {json.dumps(figures, sort_keys=True)}"
    assert details == f"spec_details: {json.dumps(rows, sort_keys=True)}"
    return package[1], tag[1], figures, rows


def signature(row: dict[str, Any]) -> str:
    return json.dumps({key: value for key, value in row.items() if key != "hash"})


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Counts]:
    folder = tmp_path_factory.mktemp("catalogue")
    return folder, write_catalogue(folder, SCALE, SEED)


@pytest.fixture(scope="module")
def pages(written: tuple[Path, Counts]) -> Pages:
    found = {}
    for path in written[0].rglob("specs.md"):
        package, tag, meta, rows = front_matter(path.read_text())
        assert path.parts[-4:] == ("_cache", tag, package, "specs.md")
        found[tag, package] = meta, rows
    return found


@pytest.fixture(scope="module")
def by_tag(pages: Pages) -> dict[str, Rows]:
    found: dict[str, Rows] = {}
    for (tag, package), (_, rows) in pages.items():
        found.setdefault(tag, []).extend({"package": package, **row} for row in rows)
    return found


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name, seed in (("first", SEED), ("again", SEED), ("other", SEED + 1)):
        write_catalogue(tmp_path / name, SCALE / 5, seed)
    assert digest(tmp_path / "again") == digest(tmp_path / "first")
    assert digest(tmp_path / "other") != digest(tmp_path / "first")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_rows_of_a_kind_are_read_without_a_problem(kind: Kind, tmp_path: Path) -> None:
    counts = write_catalogue(tmp_path, SCALE / 4, SEED, kind)
    columns = merge(None, [segment for segment, _ in segments(str(tmp_path)) if segment])
    assert (len(columns), columns.problems) == (counts.rows, ())
    index = Index(columns)
    rows = range(0, len(index), 23)
    assert all((spec.hash or "-") in (spec.tarball or "") for spec in map(index.spec, rows)) == kind.tarballs
    own = sum(any(variant.startswith("patches=") for variant in index.spec(row).variants) for row in rows)
    assert own == pytest.approx(kind.own * len(rows), abs=0.1 * len(rows))


def test_the_size_is_counted(written: tuple[Path, Counts], pages: Pages) -> None:
    files = list(written[0].rglob("*.md"))
    assert written[1] == Counts(
        tags=len({tag for tag, _ in pages}),
        pages=len(files),
        rows=sum(len(rows) for _, rows in pages.values()),
        bytes=sum(path.stat().st_size for path in files),
    )


def test_the_size_goes_by_the_scale(written: tuple[Path, Counts], tmp_path: Path) -> None:
    half = write_catalogue(tmp_path, SCALE / 2, SEED)
    for name in ("pages", "rows", "bytes"):
        assert 1.6 < getattr(written[1], name) / getattr(half, name) < 2.4


def test_meta_agrees_with_the_rows(pages: Pages) -> None:
    for meta, rows in pages.values():
        stacks = Counter(stack for row in rows for stack in row["stacks"])
        assert meta == {
            "compilers": sorted({row["compiler"] for row in rows}),
            "num_specs": len(rows),
            "num_specs_by_stack": stacks,
            "oss": sorted({row["os"] for row in rows}),
            "platforms": sorted({row["platform"] for row in rows}),
            "stacks": sorted(stacks),
            "targets": sorted({row["target"] for row in rows}),
            "versions": sorted({row["versions"][0] for row in rows}),
        }


def test_rows_are_whole_and_in_order(pages: Pages) -> None:
    for _, rows in pages.values():
        hashes = [row["hash"] for row in rows]
        assert hashes == sorted(set(hashes))
        assert all(re.fullmatch("[a-z2-7]{32}", text) for text in hashes)
        assert all(row["stacks"] == sorted(set(row["stacks"])) for row in rows)
        for row in rows:
            names = [re.split("[:=]", variant.lstrip("+~"))[0] for variant in row["variants"]]
            assert names == sorted(set(names))
            assert 1 <= len(names) <= 25


def test_tags(by_tag: dict[str, Rows]) -> None:
    assert len(by_tag) == 108
    assert sum(tag.startswith("v") for tag in by_tag) == 17
    assert {"develop", "develop-2025-04-20", "v0.18.0", "v1.0.0"} <= set(by_tag)
    assert len(by_tag["develop"]) > 10 * len(by_tag["develop-2025-04-20"])


def test_pages_have_a_long_tail(pages: Pages) -> None:
    sizes = sorted(len(rows) for (tag, _), (_, rows) in pages.items() if tag == "develop")
    assert sizes[-1] <= 1500
    assert sizes[-1] > 10 * sizes[len(sizes) // 2]


def test_stacks_come_and_go(by_tag: dict[str, Rows]) -> None:
    stacks = {tag: {stack for row in rows for stack in row["stacks"]} for tag, rows in by_tag.items()}
    assert "e4s" in stacks["v0.18.0"] & stacks["v1.0.0"]
    assert "e4s-mac" in stacks["v0.18.0"] - stacks["v1.0.0"]
    assert "deprecated" in stacks["v1.0.0"] - stacks["v0.18.0"]


def test_every_row_of_a_newer_tag_is_in_root(by_tag: dict[str, Rows]) -> None:
    assert all("root" in row["stacks"] for row in by_tag["develop-2025-04-20"])
    assert not any("root" in row["stacks"] for row in by_tag["v0.18.0"])


def test_compilers_change_their_spelling(by_tag: dict[str, Rows]) -> None:
    old = {row["compiler"] for row in by_tag["develop-2024-02-04"]}
    new = {row["compiler"] for row in by_tag["develop-2025-04-20"]}
    assert {"gcc@=11.1.0", "oneapi@=2024.0.0"} <= old
    assert {"gcc@11.4.0", "intel-oneapi-compilers@2025.1.0"} <= new
    assert all("@=" in compiler for compiler in old)
    assert not any("@=" in compiler or compiler.startswith("oneapi") for compiler in new)


def test_weeks_are_rebuilt_with_the_same_signatures(by_tag: dict[str, Rows]) -> None:
    weeks = sorted(tag for tag in by_tag if tag.startswith("develop-"))[-7:]
    same_hash = same_signature = rows = 0
    for old, new in pairwise(by_tag[week] for week in weeks):
        same_hash += len({row["hash"] for row in old} & {row["hash"] for row in new})
        same_signature += (Counter(map(signature, old)) & Counter(map(signature, new))).total()
        rows += len(new)
    assert 0 < same_hash < 0.1 * rows
    assert 0.85 * rows < same_signature < rows


def test_hdf5_has_what_the_examples_ask_for(
    pages: Pages,
) -> None:
    _, rows = pages["develop", "hdf5"]
    wanted = [row for row in rows if row["compiler"].startswith("gcc@11.") and row["target"] == "x86_64_v3"]
    assert any("+mpi" in row["variants"] for row in wanted)
    assert any("~mpi" in row["variants"] for row in wanted)
    assert {"zlib", "py-mpi4py"} <= {package for tag, package in pages if tag == "develop"}


def test_develop_has_twins(pages: Pages) -> None:
    _, rows = pages["develop", "hdf5"]
    assert max(Counter(map(signature, rows)).values()) > 1


def test_a_catalogue_is_never_written_over(written: tuple[Path, Counts], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([str(written[0]), "--scale", str(SCALE)])
    assert "is there already" in capsys.readouterr().err


def test_the_command_says_how_large_it_became(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "new"), "--scale", "0.001"]) == 0
    assert re.fullmatch(r"108 tags, [\d,]+ pages, [\d,]+ rows, [\d,]+ bytes\n", capsys.readouterr().out)
