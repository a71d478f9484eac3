"""What every command does: open the catalogue, read the query, answer from an index that is true of the files.

Input: the options of the command and the environment.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from pyroaring import BitMap

from cachetui.catalogue import Catalogue
from cachetui.cli.notes import TransferLine, note
from cachetui.cli.options import ContentOptions, QueryOptions, UsageError
from cachetui.model.problem import UNREAD, UNREAD_CACHE
from cachetui.model.spec import snapshot_day, tag_meant
from cachetui.query.parse import refuse
from cachetui.query.parts.facets import FacetPart, FitsPart, ValuePart
from cachetui.query.query import Query
from cachetui.safe_text import listed, plural, visible
from cachetui.search.index import Index
from cachetui.search.results import Results
from cachetui.sources.cache_folders import PREFIX
from cachetui.sources.opening import sample_contents
from cachetui.sources.source import Asking, ContentError

if TYPE_CHECKING:
    from cachetui.model.host import Host

Found = TypeVar("Found")

PATIENCE = 5.0
"""Seconds that a command waits for servers of which there is a local copy; `--fresh` waits for all that comes."""


def open_catalogue(options: ContentOptions, *, previews: bool = False) -> Catalogue:
    """The catalogue that a command is about; the sample has no saved index.

    `previews` says that somebody looks at what has come from a server before all is there.
    """
    if not options.content:
        return Catalogue(sample_contents(), os.environ, snapshot=False)
    return Catalogue(options.content, os.environ, snapshot=not options.no_snapshot, asking=asking_of(options, previews))


def asking_of(options: ContentOptions, previews: bool = False) -> Asking:
    """How servers are asked; see `open_catalogue`."""
    if options.offline and options.fresh:
        raise UsageError("--offline asks no server, --fresh asks it: give one of them")
    return Asking(
        offline=options.offline,
        insecure=options.insecure,
        all_tags=options.all_tags,
        tags=getattr(options, "tag", ()),
        previews=previews,
        until=math.inf if previews or options.fresh else time.monotonic() + PATIENCE,
    )


def query_of(options: QueryOptions, tags: Sequence[str] = ()) -> Query:
    """The query that the words and the options ask for together, in these tags."""
    query = Query.parse(options.query, fuzzy_name=options.fuzzy, has_graph=True)
    if options.fits is not None:
        if query.parts_of("fits"):
            raise UsageError("--fits and fits= both name a host: give it once")
        query = query.with_part(fits_part(options.fits))
    if tags:
        if any(not part.is_exclusion for part in query.facet_parts("tag")):
            raise UsageError("--tag and tag= both name the tag: give it once")
        query = query.with_part(ValuePart.of("tag", tags))
    return query


def query_notes(index: Index, query: Query) -> Iterator[str]:
    """Of a query that takes something: for what a fuzzy name was taken, and which values of a list nothing has."""
    named = query.package
    if named is not None and named.fuzzy and index.package_number(named.name) is None:
        packages = [package.name for package in Results.of(index, query).packages]
        yield f"no package {named.text}: taken for {listed(packages, 3)}"
    if any(isinstance(part, FacetPart) and part.unknown_words(index.values(part.key)) for part in query.parts):
        from cachetui.suggest.no_match import unmatched  # here, since most values are known

        yield from (each.phrase for each in unmatched(index, query) if not each.tags)


def host_notes(index: Index, query: Query) -> Iterator[str]:
    """What is odd about the host of a query, if it has one; every command that takes a host says it."""
    if query.fits:
        from cachetui.suggest import no_match  # here, since queries seldom name a host

        yield from no_match.host_notes(index, query)


def fits_part(text: str) -> FitsPart:
    """The part that asks for the host of this text; raises UsageError."""
    try:
        return FitsPart.of(text)
    except ValueError as error:
        raise UsageError(str(error)) from None


def host_of(text: str) -> Host:
    """The host of this text, `here` for the one that the environment or the machine names; raises UsageError."""
    return fits_part(text).host


def _check_content(catalogue: Catalogue, index: Index, *, judges: bool) -> None:
    """Raises ContentError where nothing of the content can be read, unless the command `judges` just that."""
    for content in catalogue.empty:
        raise ContentError(f"{visible(content)} holds nothing that can be read: {catalogue.remedy}")
    if index.columns.page_path:
        return
    if not index.problems and index.graph:
        return  # a build cache that nothing was pushed to yet
    if not index.problems:
        raise ContentError(f"{visible(catalogue.content)} holds nothing that can be read: {catalogue.remedy}")
    if not judges:
        raise ContentError(f"{visible(catalogue.content)} cannot be read: {index.problems[0].message}")


def _problem_notes(catalogue: Catalogue, index: Index) -> Iterator[str]:
    """What is missing in the answer: the rest of a page that breaks off, files that the file system kept back."""
    broken = [problem for problem in index.problems if problem.kind == "unreadable"]
    if catalogue.is_one_page and broken:
        yield f"not all of {catalogue.content} can be read: {broken[0].message}"
    yield from (
        f"{problem.message}; what is in it is missing" for problem in index.problems if problem.kind == UNREAD_CACHE
    )
    unread = [problem for problem in index.problems if problem.kind == UNREAD]
    if unread:
        more, them = (f", and {len(unread) - 1:,} more", "them") if len(unread) > 1 else ("", "it")
        yield f"{unread[0].path} {unread[0].message}{more}; what is in {them} is missing"


def unread_caches(index: Index) -> list[str]:
    """The build caches, by their paths in the content, that could not be read."""
    unread = (problem.path for problem in index.problems if problem.kind == UNREAD_CACHE)
    return [visible(path.removeprefix(PREFIX).rstrip("/") or ".") for path in unread]


def answer(
    catalogue: Catalogue,
    options: ContentOptions,
    ask: Callable[[Index], tuple[Found, Iterable[int]]],
    *,
    misses: Callable[[Found], bool] = lambda _: False,
    judges: bool = False,
) -> Found:
    """What `ask` makes of an index, asked again until the pages of the rows that it names are as the index has them.

    `misses` tells of an answer whether it says of anything that it is not there, as one without rows does; `judges`
    says that the command is about what is wrong with the pages.
    """
    with TransferLine() as line:
        index = catalogue.current(fresh=options.fresh, progressed=line.progressed)
    while True:
        refusal: UsageError | ContentError | None = None
        rows: Iterable[int] = ()
        try:
            _check_content(catalogue, index, judges=judges)
            found, rows = ask(index)
        except (UsageError, ContentError) as error:  # what is not there may be new
            refusal = error
        confirmed = catalogue.confirmed(index, rows, misses=refusal is None and misses(found))
        if confirmed is index:
            if refusal is not None:
                raise refusal
            for message in (*catalogue.notes, *_problem_notes(catalogue, index)):
                note(message)
            return found
        index = confirmed


def one_a_page(index: Index, rows: BitMap) -> Iterator[int]:
    """One of the rows for each page that has some."""
    start = index.columns.page_start
    at = 0
    while len(rows) and at <= rows.max():
        row = rows.next_set_bit(at)
        yield row
        at = start[index.page(row) + 1]


# Tags


def answerable(index: Index, query: Query) -> None:
    """Raises QueryError for what only a dependency graph can answer, where the content has none."""
    if not index.graph:
        refuse(query.parts)


def settled(index: Index, query: Query, tags: Iterable[str]) -> Query:
    """The query with the tags that it means in place of `latest` and `previous`.

    Raises UsageError where the catalogue has none of these `tags`, which an option names, and QueryError for what only
    a dependency graph can answer, where there is none.
    """
    answerable(index, query)
    for tag in tags:
        checked_tag(index, tag)
    return query.with_tags_meant(index.tags)


def checked_tag(index: Index, word: str) -> str:
    """The tag that a word means; raises UsageError where the catalogue has no such tag."""
    tag = tag_meant(word, index.tags)
    if tag in index.tags:
        return tag
    if tag in ("latest", "previous"):
        raise UsageError(f"no tag {tag}: {_snapshots_text(index)}")
    from cachetui.model.likeness import nearest_names

    near = nearest_names(tag, index.tags) or index.tags[:3]
    raise UsageError(f"no tag {tag}; nearest: {', '.join(near)}" if near else f"no tag {tag}: there are none")


def _snapshots_text(index: Index) -> str:
    """Which weekly snapshots there are where `latest` or `previous` means none of them."""
    weekly = [tag for tag in index.tags if snapshot_day(tag)]
    there = f"the only weekly snapshot is {weekly[0]}" if weekly else "there is no weekly snapshot"
    return f"{there}; tags: {listed(index.tags, 5)}" if index.tags else there


def checked_stacks(index: Index, stacks: Iterable[str]) -> None:
    """Raises UsageError for a stack that no tag of the catalogue has; one without a page has none, as with tags."""
    known = index.values("stack")
    for stack in stacks:
        if stack not in known and index.columns.page_path:
            from cachetui.model.likeness import nearest_names

            near = nearest_names(stack, known) or known[:3]
            raise UsageError(f"no stack {stack}" + (f"; nearest: {', '.join(near)}" if near else ": there are none"))


def searched(index: Index, query: Query) -> str:
    """The tags that a query looks at, as notes name them: up to three by name, more as their number."""
    asked, excluded = query.ticked("tag", index.tags) or index.tags, query.excluded("tag", index.tags)
    tags = [tag for tag in index.tags if tag in asked and tag not in excluded]
    return f"searched: {', '.join(tags) if 0 < len(tags) <= 3 else plural(len(tags), 'tag')}"
