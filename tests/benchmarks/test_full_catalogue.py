"""A small benchmark catalogue: the same bytes each time, and without problems."""

from pathlib import Path

from cachetui.sources.pages.reader import segments
from cachetui.store.merge import built
from tests.support.full_catalogue import write_catalogue


def written(folder: Path, seed: int = 0) -> dict[str, str]:
    """Return the pages of a catalogue by path."""
    write_catalogue(folder, 0.002, seed)
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.md")}


def test_generated_pages_are_identical_for_the_same_seed(tmp_path: Path) -> None:
    first = written(tmp_path / "first")
    assert written(tmp_path / "again") == first
    assert written(tmp_path / "other", seed=1) != first


def test_generated_rows_are_read_without_errors(tmp_path: Path) -> None:
    pages = written(tmp_path)
    columns = built([segment for segment, _ in segments(str(tmp_path)) if segment])
    assert (len(columns), columns.problems) == (sum(text.count('"hash": ') for text in pages.values()), ())
