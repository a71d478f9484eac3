"""A small benchmark catalogue: the same bytes each time, without problems, and of the requested size."""

from pathlib import Path

from cachetui.sources.pages.reader import segments
from cachetui.store.merge import built
from tests.support.full_catalogue import write_catalogue

SCALE = 0.002


def written(folder: Path, scale: float = SCALE, seed: int = 0) -> dict[str, str]:
    """Return the pages of a catalogue by path."""
    write_catalogue(folder, scale, seed)
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.md")}


def rows_in(pages: dict[str, str]) -> int:
    return sum(text.count('"hash": ') for text in pages.values())


def test_generated_pages_of_same_seed_are_identical(tmp_path: Path) -> None:
    first = written(tmp_path / "first")
    assert written(tmp_path / "again") == first
    assert written(tmp_path / "other", seed=1) != first


def test_generated_rows_are_read_without_problems(tmp_path: Path) -> None:
    pages = written(tmp_path)
    columns = built([segment for segment, _ in segments(str(tmp_path)) if segment])
    assert (len(columns), columns.problems) == (rows_in(pages), ())


def test_size_of_generated_pages_follows_scale(tmp_path: Path) -> None:
    half, whole = written(tmp_path / "half", 0.0025), written(tmp_path / "whole", 0.005)
    assert 1.6 < len(whole) / len(half) < 2.4
    assert 1.6 < rows_in(whole) / rows_in(half) < 2.4
