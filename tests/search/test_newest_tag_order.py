"""The newest tag of each spec, compared with all tags of its hash."""

from hypothesis import given

from cachetui.model.host import Host
from cachetui.model.spec import Page
from cachetui.model.tags import weekly_date
from cachetui.model.version import sort_key
from cachetui.query.query import Query
from cachetui.search.index import Index, newest_tag_order
from cachetui.search.results import Results
from tests.support.random_catalogues import columns_of, pages
from tests.support.rows import index_of, row


def newest_first(tags: tuple[str, ...]) -> list[str]:
    """Return the weekly tags, newest first, then the other tags."""
    return sorted(tags, key=lambda tag: weekly_date(tag) is None)


def test_dated_tags_come_first_from_newest_to_oldest() -> None:
    tags = ["develop", "develop-2025-04-13", "v0.10.1", "develop-2025-04-20", "v0.9.2", "mine"]
    index = index_of(row(tag=tag) for tag in tags)
    rows = sorted(range(len(index)), key=newest_tag_order(index))
    expected = ["develop-2025-04-20", "develop-2025-04-13", "develop", "v0.10.1", "v0.9.2", "mine"]
    assert list(map(index.tag_of, rows)) == expected


@given(pages())
def test_spec_in_several_tags_is_sorted_by_its_newest_tag(some: list[Page]) -> None:
    index = Index(columns_of(some))
    order, tags = newest_tag_order(index), newest_first(index.tags)
    for number in range(len(index)):
        own = index.tag_of(number)
        having = set(index.tags_of(index.columns.hash[number])) | {own}
        counted = [place for place, tag in enumerate(tags) if tag in having and (tag != own or weekly_date(own))]
        assert order(number) == (tags.index(own), min(counted, default=len(tags)))


@given(pages())
def test_builds_of_same_version_are_sorted_by_tag_before_hash(some: list[Page]) -> None:
    index = Index(columns_of(some))
    order = newest_tag_order(index)
    host = Host.parse("linux-ubuntu22.04-zen4")
    results = Results.of(index, Query.parse(f"fits={host}"))
    for number in results.packages:
        rows = list(results.package_rows(number))
        specs = {row: index.spec(row) for row in rows}
        expected = sorted(rows, key=lambda row: (order(row), specs[row].hash or "", row))
        expected.sort(key=lambda row: sort_key(specs[row].version or ""), reverse=True)
        expected.sort(key=lambda row: host.distance(specs[row].platform, specs[row].target) or 0)
        assert rows == expected
