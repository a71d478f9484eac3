"""The steps that all commands share: open the content, read the query, and compute the result from the newest index.

Input: the options of the command.
"""

import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TypeVar

from cachetui.catalogue import Catalogue, lacking
from cachetui.cli.options import ContentOptions, QueryOptions, UsageError
from cachetui.cli.output import TransferLine, note
from cachetui.model.problem import BROKEN_INDEX, UNREAD, UNREAD_CACHES, UNREAD_INDEX
from cachetui.model.tags import NOW, day_of, is_snapshot, label_of, own_tag, tag_meant
from cachetui.query.parser import refuse
from cachetui.query.query import Query
from cachetui.query.terms import DependencyTerm, FitsTerm, NameTerm, ValueTerm
from cachetui.safe_text import listed, plural, visible
from cachetui.search.availability import CacheName
from cachetui.search.index import Index
from cachetui.search.results import Results
from cachetui.sources.kinds import sample_contents
from cachetui.sources.source import REMEDY, Asking, ContentError

Found = TypeVar("Found")

SERVER_SECONDS = 5.0
"""If a local copy exists, a command waits this many seconds for the server. With `--fresh`, it waits without limit."""

SIZE_REQUESTS = 200
"""Maximum number of requests for the sizes of binaries. Each binary on a server needs one request."""


def open_catalogue(
    options: ContentOptions, tags: Iterable[str] = (), *, previews: bool = False, records: bool = True
) -> Catalogue:
    """Open the content of the options, by default the sample, which has no index cache.

    `tags`: the tags of the query. A snapshot is read only if it is one of these tags or is named by `--tag`. With
    `previews`, the first files from a server can be shown before the last file arrives. With `records`, the setting
    `record` decides whether each new state that a server sends is saved as a snapshot.
    """
    config = options.settings.config
    catalogue = Catalogue(
        options.content or sample_contents(),
        options.settings,
        index_cache=bool(options.content) and not options.no_index_cache,
        asking=asking_of(options, previews),
        shows_snapshots=options.history or config.days,
        records=records and config.record,
    )
    for tag in (
        catalogue.snapshots
        if options.all_tags and isinstance(options, QueryOptions)  # other commands show the present state
        else filter(day_of, (*getattr(options, "tag", ()), *tags))
    ):
        catalogue.ask_for(tag)
    return catalogue


def asking_of(options: ContentOptions, previews: bool = False) -> Asking:
    """Return the rules for requests to servers. For `previews`, see `open_catalogue`."""
    if options.offline and options.fresh:
        raise UsageError("--offline and --fresh cannot be combined: give one of them")
    return Asking(
        offline=options.offline,
        insecure=options.insecure,
        all_tags=options.all_tags,
        tags=tuple(tag for tag in getattr(options, "tag", ()) if not day_of(tag)),
        previews=previews,
        until=math.inf if previews or options.fresh else time.monotonic() + SERVER_SECONDS,
        upstreams=options.upstream,
        found=options.is_found,
        credential_helpers=options.credential_helpers,
        realms=(*options.realm, *options.settings.config.realms),
        allow_env=options.allow_env,
        list_tags=options.list_tags,
    )


# The query


def query_of(options: QueryOptions, **facets: Sequence[str]) -> Query:
    """Combine the words and options into a query. `facets`: further values by key, such as the values of `--tag`."""
    query = Query.parse(" ".join(options.words), fuzzy_name=options.fuzzy, has_graph=True, settings=options.settings)
    terms: list[FitsTerm | ValueTerm] = [ValueTerm.of(key, values) for key, values in facets.items() if values]
    for term in terms if options.fits is None else (FitsTerm.of(options.fits, options.settings.host), *terms):
        if any(not getattr(other, "excluded", False) for other in query.terms_of(term.key)):
            raise UsageError(f"--{term.key} and {term.key}= set the same term: give one of them")
        query = query.with_term(term)
    return query


def settled(index: Index, query: Query, tags: Iterable[str]) -> Query:
    """Return the query with real tags instead of `latest` and `previous`.

    Raises UsageError if the content lacks one of `tags`. Raises QueryError if a term needs a dependency graph and the
    content has none.
    """
    if not index.graph:
        refuse(query.terms)
    for tag in tags:
        checked_tag(index, tag)
    return query.with_tags_meant(index.tags)


def scope_of(index: Index, tags: Iterable[str], stacks: Sequence[str] = ()) -> Query:
    """Return a query for these tags and stacks (by default, all). Raises UsageError if a tag or stack is unknown."""
    checked_stacks(index, stacks)
    named = {"tag": [checked_tag(index, tag) for tag in tags], "stack": stacks}
    return Query(tuple(ValueTerm.of(key, values) for key, values in named.items() if values))


def checked_tag(index: Index, word: str) -> str:
    """Return the tag that a word means; raises UsageError if there is no such tag."""
    tag = tag_meant(word, index.tags)
    if tag not in (*index.tags, *index.graph.tags):
        if day_of(word):
            raise UsageError(f"no snapshot on or before {word}: to list the snapshots, run cachetui history CONTENT")
        if own_tag(word) == NOW:
            tags = listed([each for each in index.tags if not is_snapshot(each)], 3)
            raise UsageError(
                f"{word} is unknown, because the content has no default tag: open the path or URL of a tag ({tags})"
            )
        raise no_such("tag", tag, index.tags)
    return tag


def ask_since(catalogue: Catalogue, word: str) -> str:
    """Include the snapshot of a date in the next index. Return the date.

    If all snapshots are later than the date, include the oldest snapshot, print a note, and return its tag.
    """
    own = [tag for tag in catalogue.snapshots if label_of(tag) == label_of(word) or not label_of(word)]
    if day_of(word) and own and tag_meant(word, own) not in own:
        word = min(own, key=own_tag)
        note(f"compared with the oldest snapshot, {own_tag(word)}, because no snapshot is older than the given day")
    catalogue.ask_for(word)
    return word


def checked_stacks(index: Index, stacks: Iterable[str]) -> None:
    """Raise UsageError if a stack is unknown. If no file of the content was read, accept every stack."""
    known = index.stacks
    for stack in stacks:
        if stack not in known and index.columns.page_path:
            raise no_such("stack", stack, known)


def no_such(kind: str, name: str, known: Sequence[str]) -> UsageError:
    """Return the error for an unknown name. The message lists similar names, or some names if none is similar."""
    from cachetui.model.edit_distance import nearest_names

    near = nearest_names(name, known)
    nearest = f"nearest: {', '.join(near)}" if near else f"{kind}s: {listed(known, 3)}"
    return UsageError(f"no {kind} {name}{f'; {nearest}' if known else f': the content has no {kind}s'}")


# The result


def answer(
    catalogue: Catalogue,
    options: ContentOptions,
    ask: Callable[[Index], tuple[Found, Iterable[int]]],
    *,
    misses: Callable[[Found], bool] = lambda _: False,
    judges: bool = False,
    by_files: bool = False,
) -> tuple[Index, Found]:
    """Compute the result of a command from an index that is up to date. Return the index and the result.

    `ask` computes the result, and returns it with the rows that it depends on. If the files of these rows have changed,
    `ask` is called again with a newer index. `misses` returns whether a result lacks something that new files could
    contain. With `judges`, unreadable content is not an error, because the command reports on it. With `by_files`, a
    broken index in a folder is not an error, because the command can also read the files. Notes are printed on standard
    error.
    """
    with TransferLine() as line:
        index = catalogue.current(fresh=options.fresh, progressed=line.progressed)
    while True:
        refusal: UsageError | ContentError | None = None
        rows: Iterable[int] = ()
        try:
            check_content(catalogue, index, judges=judges, by_files=by_files)
            found, rows = ask(index)
        except (UsageError, ContentError) as error:  # with newer files, the error may disappear
            refusal = error
        confirmed = catalogue.confirmed(index, rows, misses=refusal is None and misses(found))
        if confirmed is index:
            if refusal is not None:
                raise refusal
            for message in (*catalogue.notes, *_problem_notes(catalogue, index)):
                note(message)
            return index, found
        index = confirmed


def check_content(catalogue: Catalogue, index: Index, *, judges: bool = False, by_files: bool = False) -> None:
    """Raise ContentError if nothing in one CONTENT can be read. For `judges` and `by_files`, see `answer`."""
    for content, problems in lacking(catalogue.source, index):
        if not problems:
            raise ContentError(f"{visible(content)} has nothing that cachetui can read: {REMEDY}")
        is_readable = by_files and all(problem.kind in (UNREAD_INDEX, BROKEN_INDEX) for problem in problems)
        if not judges and not is_readable:
            raise ContentError(f"{visible(content)} cannot be read: {problems[0].message}")


def _problem_notes(catalogue: Catalogue, index: Index) -> Iterator[str]:
    """Yield notes on files that could not be read completely, because their specs are missing from the result."""
    broken = [problem for problem in index.problems if problem.kind == "unreadable"]
    if broken and len(index.columns.page_path) == 1:
        yield f"not all of {catalogue.source.content} can be read: {broken[0].message}"
    yield from (
        f"{problem.message}; its specs are missing from the results"
        for problem in index.problems
        if problem.kind in UNREAD_CACHES
    )
    unread = [problem for problem in index.problems if problem.kind == UNREAD]
    if unread:
        more, their = (f" (and {len(unread) - 1:,} more)", "their") if len(unread) > 1 else ("", "its")
        yield f"{unread[0].path} {unread[0].message}{more}; {their} specs are missing from the results"


def sizes_of(
    catalogue: Catalogue, index: Index, hashes: Collection[str], options: ContentOptions
) -> Callable[[str], int | None]:
    """Return a function from the hash of a binary to its size in bytes. For an unknown size, it returns None.

    If more than `SIZE_REQUESTS` requests would be necessary, send no request. Then the sizes are unknown.
    """
    # late, because few commands show sizes
    from cachetui.sources.buildcache.remote_binaries import RemoteBinaries, Sizes, has_urls

    is_asked = has_urls(index.graph) and len(hashes) <= SIZE_REQUESTS
    if has_urls(index.graph) and len(hashes) > SIZE_REQUESTS and not options.offline:
        note(f"sizes are not shown, because each of the {len(hashes):,} binaries needs a request")
    remote = RemoteBinaries(options.settings, asking_of(options), catalogue.credentials) if is_asked else None
    return dict(Sizes(index, remote).each(hashes)).get


def index_times(catalogue: Catalogue, index: Index, options: ContentOptions) -> dict[CacheName, float]:
    """Return the time of the index of each build cache, in seconds since the epoch.

    In a folder, this is the time when the index was written. On a server, it is the time when cachetui last learned
    from the server that the index is current.
    """
    from cachetui.sources.buildcache.presence import BinaryFiles, trusts  # late, because few commands need it

    files = BinaryFiles(catalogue.rules, options.settings, trusts(catalogue.keyrings))
    caches = ((each.tag, stack, cache) for each in index.graph.of_tags for stack, cache in each.mirrors.items())
    times = ((CacheName(tag, stack), files.confirmed(cache)) for tag, stack, cache in caches)
    return {name: when for name, when in times if when is not None}


# Notes


def query_notes(index: Index, query: Query) -> Iterator[str]:
    """Yield notes on a query with matches. They name packages that match a fuzzy name, and values without a match."""
    named = query.package
    if named is not None and named.fuzzy and index.package_number(named.name) is None:
        packages = [index.packages[number] for number in Results.of(index, query).packages]
        yield f"no package {named.text}: showing {listed(packages, 3)}"
    yield from virtual_notes(index, [query])
    if any(isinstance(term, ValueTerm) and term.unknown_words(index.values(term.key)) for term in query.terms):
        from cachetui.suggest.no_match import unmatched  # late, because most values are known

        yield from (each.phrase for each in unmatched(index, query) if not each.tags)


def virtual_notes(index: Index, queries: Iterable[Query]) -> Iterator[str]:
    """Yield a note if a query has a version of a virtual package, because few builds record such versions."""
    terms = (term for query in queries for term in index.with_virtual_versions(query).terms)
    named = (term for term in terms if isinstance(term, NameTerm | DependencyTerm) and index.is_virtual(term.name))
    for name in dict.fromkeys(term.name for term in named if term.versions is not None):
        yield f"{name} is virtual: builds without a recorded version of {name} also match"


def searched(index: Index, query: Query) -> str:
    """Return a note on the searched tags. The note names up to three tags, or gives the number of tags."""
    asked, excluded = query.selected("tag", index.tags) or index.tags, query.excluded("tag", index.tags)
    tags = [tag for tag in index.tags if tag in asked and tag not in excluded]
    return f"searched: {', '.join(tags) if 0 < len(tags) <= 3 else plural(len(tags), 'tag')}"
