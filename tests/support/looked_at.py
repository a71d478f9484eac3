"""A build cache looked at in every way there is, whatever is in it: for tests of odd ones."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cachetui.analysis.deps import dependencies
from cachetui.query.query import Query
from cachetui.report.doctor import health_document
from cachetui.report.formats import FORMATS, json_text, written
from cachetui.report.paste import copies
from cachetui.sources.buildcache.examination import examine_caches, missing_dependencies
from tests.support.caches import index_of_folder

QUERIES = [Query.parse(text, has_graph=True) for text in ("^zlib", "%gcc", "^[virtuals=c] gcc@13", "complete=yes")]


def split(pieces: Iterable[str]) -> list[str]:
    return "".join(pieces).split("\n")


def look_everywhere(folder: Path) -> None:
    """Reads a cache and asks everything that is asked of one."""
    index = index_of_folder(folder)
    problems = [*index.problems, *examine_caches(index.graph), *missing_dependencies(index.graph)]
    report = health_document(problems)
    assert all(line.isprintable() for form in FORMATS for line in split(written(report, form, 80)))
    for row in range(len(index)):
        spec = index.spec(row)
        assert json_text(spec)
        assert copies([spec]) is not None
        if spec.hash:
            for dependents in (False, True):
                found = dependencies(index, spec.hash, dependents=dependents)
                assert len(list(found.walk(50))) <= 1 + sum(len(each.edges) for each in found.nodes)
    for query in QUERIES:
        assert len(index.rows(query)) <= len(index)
