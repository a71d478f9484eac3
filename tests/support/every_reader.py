"""A call of every function that reads a build cache, for tests with odd caches."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from cachetui.analysis.deps import dependencies
from cachetui.analysis.prune import plan
from cachetui.model.problem import UserError
from cachetui.query.query import Query
from cachetui.report.doctor import HealthReport, SignerReport
from cachetui.report.formats import format_names, json_text, written
from cachetui.report.prune import prune_document
from cachetui.report.specs import Places, copies
from cachetui.sources.buildcache.binaries import CacheFiles
from cachetui.sources.buildcache.examination import examine_caches, signers
from tests.support.caches import index_of_folder
from tests.support.environments import read_wanted

QUERIES = [Query.parse(text, has_graph=True) for text in ("^zlib", "%gcc", "^[virtuals=c] gcc@13", "complete=yes")]


def split(pieces: Iterable[str]) -> list[str]:
    return "".join(pieces).split("\n")


def call_every_reader(folder: Path) -> None:
    """Read a cache, and call each function that takes an index on it; check that all texts are printable."""
    index = index_of_folder(folder)
    problems = [*index.problems, *examine_caches(index.graph)]
    report = HealthReport(items=problems)
    assert all(line.isprintable() for form in format_names("cases") for line in split(written(report, form, 80)))
    for row in range(len(index)):
        spec = index.spec(row)
        assert json_text(spec)
        assert copies([spec]) is not None
        if spec.hash:
            for dependents in (False, True):
                found = dependencies(index, spec.hash, dependents=dependents)
                assert len(list(found.walk(50))) <= 1 + sum(len(each.edges) for each in found.nodes)
    for spec_hash in sorted({index.hash_of(row) or "" for row in range(len(index))} - {""})[:2]:
        with suppress(UserError):
            files = CacheFiles(str(folder))
            planned = plan(index, {spec_hash: read_wanted([f"/{spec_hash}"])}, {files.folder: files.of})
            paths: dict[str, list[str]] = {}
            for each, path in files.freed(planned.going):
                assert os.path.normpath(path).startswith(f"{folder}/")
                paths.setdefault(each, []).append(path)
            pruning = prune_document(planned, paths, lambda _: None)
            assert all(line.isprintable() for form in format_names() for line in split(written(pruning, form, 80)))
    with suppress(UserError):
        who = SignerReport(items=signers(index.graph), places=Places())
        assert all(line.isprintable() for form in format_names("cases") for line in split(written(who, form, 80)))
    for query in QUERIES:
        assert len(index.rows(query)) <= len(index)
