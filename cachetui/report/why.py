"""Notes for the user: why a query matches nothing, and why specs do not run on the host of the query."""

from collections.abc import Iterator

from cachetui.model.problem import UNREAD
from cachetui.query.query import Query
from cachetui.report.specs import hash_word, hidden_notes, spec_name
from cachetui.safe_text import plural
from cachetui.search.index import Index
from cachetui.suggest.nearest_build import NearestBuild, nearest_builds
from cachetui.suggest.no_match import CONFLICT, host_fit, unmatched, without_each


def nothing_found(index: Index, query: Query) -> Iterator[str]:
    """Yield notes on the reasons why a query finds nothing. If no file of the content was read, yield nothing."""
    if not index.columns.page_path:
        return
    if index.hidden(query):
        yield from (f"nothing found, but {note}" for note in hidden_notes(index, query))
        return
    unknown = unmatched(index, query)
    said = "; ".join(each.phrase for each in unknown)
    yield f"nothing found: {said or 'no spec matches all terms of the query'}"
    if len(query.spelled) > 1:
        helpful = [each for each in without_each(index, query) if each.specs]
        yield from (f"  {plural(each.specs, 'spec')} without {each.text}" for each in helpful)
        if not helpful:
            yield f"  {CONFLICT}"
    for build in () if any(each.tags for each in unknown) else nearest_builds(index, query):
        yield f"  nearest: {nearest_text(index, build)}"
    if damaged := len({problem.path for problem in index.problems if problem.kind in ("unreadable", UNREAD)}):
        yield f"  {plural(damaged, 'page')} cannot be read completely: to list the errors, run cachetui doctor"


def host_notes(index: Index, query: Query) -> Iterator[str]:
    """Yield a note on the host of the query: how many specs run on this host, and why the others do not."""
    found = host_fit(index, query)
    if found is not None and found.counts[1:]:
        yield f"on {found.host}: {found.sum}"


def nearest_text(index: Index, build: NearestBuild) -> str:
    """Return text with the name, the short hash, and the differences between this build and the requested spec."""
    spec = index.spec(build.row)
    word = hash_word(spec)
    # a different name is obvious, because the text begins with it
    differences = "; ".join(each.phrase for each in build.differences if each.term.key != "name")
    return " ".join(filter(None, (spec_name(spec), word and word[:8], differences and f"({differences})")))
