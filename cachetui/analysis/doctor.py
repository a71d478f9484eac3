"""The errors and warnings of the content: those found while reading, and those found by comparing pages and tags.

An error means that a part of the content is wrong or unreadable. A warning has no effect on results.
Input: an index. Messages quote pages, so they must be escaped before they are shown.
"""

from collections.abc import Collection, Iterator
from itertools import chain, pairwise, repeat

from cachetui.model.problem import Problem
from cachetui.model.tags import weekly_date
from cachetui.model.targets import ancestors, nearest_targets
from cachetui.query.query import Query
from cachetui.safe_text import plural
from cachetui.search.availability import Files, caches_of
from cachetui.search.index import Index


def health(index: Index, tags: Collection[str] = ()) -> tuple[Problem, ...]:
    """Return all errors and warnings of the content, or of some of its tags, sorted by path and line.

    `tags`: the tags to report; empty for all. Errors in files without a known tag are always included.
    """
    found = [
        *index.problems,
        *_repeated_hashes(index),
        *_unknown_targets(index),
        *_missing_weeks(index),
    ]
    if tags:
        columns = index.columns
        others = {columns.page_path[page] for page, tag in enumerate(columns.page_tag) if index.tags[tag] not in tags}
        found = [problem for problem in found if problem.path not in others]
    return tuple(sorted(found, key=lambda problem: (problem.path, problem.line or 0, problem.kind, problem.message)))


def verified(index: Index, query: Query, files: Files) -> Iterator[Problem]:
    """Yield an error for each cache with binaries whose files are missing, damaged or unreadable."""
    for mirror, own in caches_of(index, query):
        cache = index.graph.mirror(mirror.tag, (mirror.stack,))
        if cache is None or files.confirmed(cache) is None:
            continue  # a folder without an index
        specs = list({spec.hash: spec for spec in map(index.spec, index.rows(own) - index.tree_rows)}.values())
        found = dict[bool | None, list[str]]()
        for spec, each in zip(specs, files.look(mirror, cache, specs), strict=True):
            found.setdefault(each.there, []).append(spec.hash or "")
        for there, kind, said in (
            (False, "binary", "are missing or differ from the manifest"),
            (None, "unreadable", "could not be read"),
        ):
            if hashes := sorted(found.get(there, ())):
                message = f"the files of {plural(len(hashes), 'spec')} in the index {said}; the first is /{hashes[0]}"
                yield Problem.of(cache, kind, message, hashes=hashes)


def _repeated_hashes(index: Index) -> Iterator[Problem]:
    """Yield an error for each pair of pages of one tag that share a hash.

    A page that repeats a hash is also an error.
    """
    columns = index.columns
    lengths = (end - start for start, end in pairwise(columns.page_start))
    pages = list(chain.from_iterable(repeat(page, length) for page, length in enumerate(lengths)))
    places = list(zip(map(columns.page_tag.__getitem__, pages), columns.hash, strict=True))
    first: dict[tuple[int, int], int] = {}
    repeats: dict[tuple[int, int], list[int]] = {}
    for place, page in zip(places, pages, strict=True):
        before = first.get(place)
        if before is None:
            first[place] = page
        elif columns.hashes.raw(place[1]):
            repeats.setdefault((page, before), []).append(place[1])
    for (page, before), numbers in repeats.items():
        where = (
            "listed twice on this page"
            if page == before
            else f"also listed on {columns.page_path[before]}, in the same tag"
        )
        message = f"{plural(len(numbers), 'hash')} {where}: {columns.hashes[numbers[0]]}"
        more = ", ..." if len(numbers) > 1 else ""
        yield Problem.of(
            columns.page_path[page], "duplicate_hash", message + more, hashes=map(columns.hashes.__getitem__, numbers)
        )


def _unknown_targets(index: Index) -> Iterator[Problem]:
    """Yield a warning for each unknown target, with the path of the first page that has this target."""
    for target in index.values("target"):
        if ancestors(target) is None:
            rows = index.value_rows("target", target)
            near = nearest_targets(target)
            hint = f"; nearest: {', '.join(near)}" if near else ""
            message = f"the target {target} of {plural(len(rows), 'spec')} is unknown{hint}"
            yield Problem(
                path=index.columns.page_path[index.columns.page(rows[0])], level="note", kind="target", message=message
            )


def _missing_weeks(index: Index) -> Iterator[Problem]:
    """Yield a warning for each gap of one or more weeks between weekly tags."""
    for week, following in pairwise(sorted(week for tag in index.tags if (week := weekly_date(tag)))):
        missing = round((following - week).days / 7) - 1
        if missing > 0:
            message = f"{plural(missing, 'weekly tag')} missing between develop-{week} and develop-{following}"
            # the path means the whole content
            yield Problem(path=".", level="note", kind="week", message=message)
