"""A damaged page is an error. A README is skipped."""

import os
from pathlib import Path

import pytest

from cachetui.model.problem import Problem
from cachetui.sources.pages.page_forms import read

WHOLE = '---\ntitle: "zlib"\nlayout: cache\ncategories: [package, develop]\nspec_details: []\n---\n'


def write(root: Path, path: str, text: str | bytes = WHOLE) -> str:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def problems(root: Path, path: str) -> list[tuple[str, str, str]]:
    reading = read(str(root), path)
    found: tuple[Problem, ...] = reading.problems
    return [(problem.level, problem.kind, problem.message) for problem in found]


NO_FENCE = ("fault", "unreadable", "should be a page, but it does not begin with `---`")
EMPTY = ("fault", "unreadable", "should be a page, but it is empty")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", EMPTY),
        (os.urandom(1000), NO_FENCE),
        (f"<<<<<<< HEAD\n{WHOLE}", NO_FENCE),
        (WHOLE.removeprefix("---\n"), NO_FENCE),
        (
            WHOLE.replace("layout: cache\n", ""),
            ("fault", "unreadable", "should be a page, but it has no `layout: cache`"),
        ),
    ],
    ids=["emptied", "random", "conflict", "no-fence", "no-layout"],
)
def test_destroyed_page_is_reported(tmp_path: Path, text: str | bytes, expected: tuple[str, str, str]) -> None:
    for path in ("_cache/develop/zlib/specs.md", "000_1922a38d614f6ffb.txt"):
        assert problems(tmp_path, write(tmp_path, path, text)) == [expected]


@pytest.mark.parametrize("path", ["any.md", "develop/notes.txt"])
def test_damaged_page_with_any_name_is_reported(tmp_path: Path, path: str) -> None:
    assert problems(tmp_path, write(tmp_path, path, f"<<<<<<< HEAD\n{WHOLE}")) == [NO_FENCE]


@pytest.mark.parametrize("path", ["README.md", "develop/README.md", "develop/zlib/README.md", "1.md", "docs/index.md"])
@pytest.mark.parametrize(
    "text", ["", "layout: cache is the line that a page has", "---\nlayout: post\ntitle: x\n---\n"]
)
def test_file_that_is_not_a_page_is_skipped(tmp_path: Path, path: str, text: str) -> None:
    for page in ("develop/zlib/specs.md", "develop/hdf5/specs.md", "page.md"):
        write(tmp_path, page)
    (tmp_path / "docs").mkdir()
    assert problems(tmp_path, write(tmp_path, path, text)) == []


def test_website_page_with_other_layout_is_skipped(tmp_path: Path) -> None:
    assert problems(tmp_path, write(tmp_path, "develop/zlib/specs.md", "---\ntitle: x\nlayout: post\n---\n")) == []
