"""`doctor`: errors that only the whole content shows, and errors found while reading."""

import os
from pathlib import Path
from typing import Any

from cachetui.analysis.doctor import health
from cachetui.catalogue import Catalogue
from cachetui.search.index import Index
from cachetui.settings.settings import Settings
from tests.support.rows import index_of, row, write


def index_at(folder: Path) -> Index:
    return Catalogue(str(folder), Settings(os.environ), index_cache=False).load()


def problems_of(index: Index, tags: tuple[str, ...] = ()) -> list[tuple[str, str, str]]:
    return [(problem.level, problem.kind, problem.message) for problem in health(index, tags)]


def test_doctor_reports_hash_that_occurs_twice_in_tag() -> None:
    rows = [
        row(hash="a" * 32, version="1"),
        row(hash="a" * 32, version="2"),
        row("zlib", hash="a" * 32),
        row("zlib", hash="b" * 32),
        row(hash="b" * 32),
        row(tag="v1.0.0", hash="a" * 32),
        row(hash=None),
        row(hash=None, version="2"),
    ]
    assert problems_of(index_of(rows)) == [
        ("fault", "duplicate_hash", f"1 hash listed twice on this page: {'a' * 32}"),
        ("fault", "duplicate_hash", f"2 hashes also listed on 0.md, in the same tag: {'a' * 32}, ..."),
    ]


def test_doctor_reports_missing_weeks_between_tags() -> None:
    days = ("2025-03-02", "2025-03-09", "2025-03-17", "2025-04-06", "2025-13-01")
    index = index_of([row(tag=f"develop-{day}") for day in days])
    assert problems_of(index) == [
        ("note", "week", "2 weekly tags missing between develop-2025-03-17 and develop-2025-04-06"),
    ]


def test_doctor_sorts_errors_by_path_and_line(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [row("b", hash="short"), row("b", tag="v1.0.0", hash="short"), row("c", target="odd")]
    write(tmp_path, rows)
    (tmp_path / "00.md").write_text("---\nlayout: cache\n---\n")
    index = index_at(tmp_path)
    found = health(index)
    assert [(problem.path, problem.line, problem.kind) for problem in found] == [
        ("0.md", 5, "hash"),
        ("00.md", 2, "unreadable"),
        ("1.md", 5, "hash"),
        ("2.md", None, "target"),
    ]
    assert [problem.path for problem in health(index, ("v1.0.0",))] == ["00.md", "1.md"]
