"""`find --sort`: one total order for each field, which the browser has too, and backwards the same turned round."""

from __future__ import annotations

import pytest

from cachetui.catalogue import Catalogue
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.search.results import Results
from cachetui.tui.rows.packages import PackageRows
from cachetui.tui.rows.spec_columns import DIFFERS, SPEC_COLUMNS, sorted_specs
from cachetui.tui.state.order import SortOrder, sort_of_packages, sort_of_specs
from tests.support.commands import answered
from tests.support.places import SAMPLE_CONTENT


@pytest.fixture(scope="module")
def sample() -> Index:
    return Catalogue(SAMPLE_CONTENT, {}, snapshot=False).load()


@pytest.mark.parametrize("query", ["py-mpi4py", "py-mpi4py tag=develop", "py-ml-dtypes fits=linux-ubuntu22.04-zen3"])
@pytest.mark.parametrize("title", [title for title in SPEC_COLUMNS if title != DIFFERS])
def test_specs_stand_in_the_order_of_the_browser_both_ways(
    title: str, query: str, sample: Index, capsys: pytest.CaptureFixture[str]
) -> None:
    results = Results.of(sample, Query.parse(query))
    (package,) = results.packages
    for reverse in (False, True):
        rows = sorted_specs(results, list(results.package_rows(package.number)), title, reverse)
        sort = sort_of_specs(SortOrder(title, reverse), by_host="fits" in query)
        assert sort is not None
        words = ["find", SAMPLE_CONTENT, query, f"--sort={sort}", "--format={hash} {tag}"]
        _, out, _ = answered(capsys, *words)
        assert out.splitlines() == [f"{spec.hash} {spec.tag}" for spec in map(sample.spec, rows)], sort


@pytest.mark.parametrize("title", ["package", "specs", "newest"])
@pytest.mark.parametrize("query", ["", "os=ubuntu22.04 stack=e4s", "tag=develop-2025-04-20"])
def test_packages_stand_in_the_order_of_the_browser_both_ways(
    title: str, query: str, sample: Index, capsys: pytest.CaptureFixture[str]
) -> None:
    results = Results.of(sample, Query.parse(query))
    for reverse in (False, True):
        order = SortOrder(None if title == "package" else title, reverse)
        rows = PackageRows(results, order.column, reverse)
        sort = [f"--sort={word}"] if (word := sort_of_packages(order)) else []
        _, out, _ = answered(capsys, "find", SAMPLE_CONTENT, *query.split(), "--packages", "--format=csv", *sort)
        names = [line.split(",")[0] for line in out.splitlines()[1:]]
        assert names == [package.name for package in rows.packages], sort


@pytest.mark.parametrize("field", ["package", "hash", "tag", "version", "compiler", "target", "stacks"])
def test_the_order_over_several_packages_is_turned_round(field: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["find", SAMPLE_CONTENT, "--format={package} {hash} {tag}"]
    lines = [answered(capsys, *words, f"--sort={sign}{field}")[1].splitlines() for sign in ("", "-")]
    assert lines[0] == lines[1][::-1]
