"""The words for specs that look alike: what differs where that is recorded, that it is not where it is not."""

from __future__ import annotations

from cachetui.analysis.comparison import compare
from cachetui.report.comparison import NOT_RECORDED, NOT_RECORDED_BUT_ALIKE, Side, sides, twins_field
from cachetui.report.detail import ALIKE
from cachetui.search.index import Index
from tests.support.caches import CACHES, index_of_folder
from tests.support.rows import index_of, row


def lines_of_twins(index: Index, package: str) -> tuple[str, ...]:
    number = index.package_number(package)
    assert number is not None
    field = next(found for each in index.package_rows(number) if (found := twins_field(index, each)))
    return field.lines


def test_of_pages_it_is_said_that_the_difference_is_not_recorded() -> None:
    index = index_of([row(hash=letter * 32, package="zlib") for letter in "abcde"])
    assert lines_of_twins(index, "zlib") == (f"5 {ALIKE}", "= compares two marked")
    assert sides(compare(index, 0, 1))[-1] == Side("all fields", NOT_RECORDED_BUT_ALIKE, NOT_RECORDED_BUT_ALIKE)
    other = index_of([row(hash="a" * 32), row(hash="b" * 32, target="zen3")])
    assert sides(compare(other, 0, 1))[-1] == Side("dependencies", NOT_RECORDED, NOT_RECORDED)


def test_of_a_build_cache_it_is_said_which_dependencies_differ() -> None:
    first, *others = lines_of_twins(index_of_folder(CACHES / "v3/spack-1.1.0/develop/btest"), "py-bt-num")
    assert first.endswith("specs are alike but for dependencies")
    assert all(line.startswith("/") and ": other ^" in line for line in others)
