"""The benchmark catalogue made small: the same bytes each time, no problem in it, of the size that was asked for."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from cachetui.search.index import Index
from cachetui.sources.pages.reader import segments
from cachetui.store.merge import merge
from tests.support.full_catalogue import KINDS, Counts, Kind, main, write_catalogue

SCALE, SEED = 0.01, 0


def digest(folder: Path) -> str:
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*.md")):
        whole.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return whole.hexdigest()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Counts]:
    folder = tmp_path_factory.mktemp("catalogue")
    return folder, write_catalogue(folder, SCALE, SEED)


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name, seed in (("first", SEED), ("again", SEED), ("other", SEED + 1)):
        write_catalogue(tmp_path / name, SCALE / 5, seed)
    assert digest(tmp_path / "again") == digest(tmp_path / "first")
    assert digest(tmp_path / "other") != digest(tmp_path / "first")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_rows_of_a_kind_are_read_without_a_problem(kind: Kind, tmp_path: Path) -> None:
    counts = write_catalogue(tmp_path, SCALE / 5, SEED, kind)
    columns = merge(None, [segment for segment, _ in segments(str(tmp_path)) if segment])
    assert (len(columns), columns.problems) == (counts.rows, ())
    index = Index(columns)
    rows = range(0, len(index), 23)
    assert all((spec.hash or "-") in (spec.tarball or "") for spec in map(index.spec, rows)) == kind.tarballs
    own = sum(any(variant.startswith("patches=") for variant in index.spec(row).variants) for row in rows)
    assert own == pytest.approx(kind.own * len(rows), abs=0.1 * len(rows))


def test_the_size_is_counted(written: tuple[Path, Counts]) -> None:
    files = list(written[0].rglob("*.md"))
    rows = [len(json.loads(path.read_text().splitlines()[5].partition(" ")[2])) for path in files]
    tags = len({path.parts[-3] for path in files})
    assert written[1] == Counts(tags, len(files), sum(rows), sum(path.stat().st_size for path in files))


def test_the_size_goes_by_the_scale(written: tuple[Path, Counts], tmp_path: Path) -> None:
    half = write_catalogue(tmp_path, SCALE / 2, SEED)
    for name in ("pages", "rows", "bytes"):
        assert 1.6 < getattr(written[1], name) / getattr(half, name) < 2.4


def test_a_catalogue_is_never_written_over(written: tuple[Path, Counts], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([str(written[0]), "--scale", str(SCALE)])
    assert "is there already" in capsys.readouterr().err


def test_the_command_says_how_large_it_became(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "new"), "--scale", "0.001"]) == 0
    assert re.fullmatch(r"108 tags, [\d,]+ pages, [\d,]+ rows, [\d,]+ bytes\n", capsys.readouterr().out)
