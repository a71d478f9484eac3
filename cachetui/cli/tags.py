"""`tags`: list the tags of the content in order, with the number of specs, packages and stacks in each tag."""

from collections.abc import Collection, Iterable

from msgspec import Struct
from pyroaring import BitMap

from cachetui.cli.options import ResultOptions, StackOption
from cachetui.cli.output import FOUND, NOTHING, print_document
from cachetui.cli.session import answer, checked_stacks, open_catalogue
from cachetui.report.formats import ListDocument
from cachetui.report.specs import Places
from cachetui.search.index import Index


class TagsOptions(ResultOptions, frozen=True, kw_only=True):
    stack: StackOption = ()


class TagContent(Struct, frozen=True):
    tag: str
    specs: int
    """The number of distinct hashes, plus the number of rows without a hash."""
    packages: int
    stacks: int
    """The number of stacks, without `root`."""


class TagRecord(TagContent, frozen=True, kw_only=True):
    """The number of specs, packages and stacks in a tag."""

    content: str
    """The content, as given on the command line."""


DOCUMENT = (list[TagRecord],)


def run(options: TagsOptions) -> int:
    """Print a line for each tag."""

    def ask(index: Index) -> tuple[tuple[TagContent, ...], Iterable[int]]:
        checked_stacks(index, options.stack)
        return tag_contents(index, options.stack), ()

    catalogue = open_catalogue(options)
    index, found = answer(catalogue, options, ask)
    snapshots = (
        each
        for history in (catalogue.histories if catalogue.shows_snapshots and not options.stack else ())
        for each in history.snapshots()
        if each[0] not in index.tags
    )
    found = (*found, *(TagContent(tag, each.specs, each.packages, each.stacks) for tag, each, _ in snapshots))
    fields, places = TagContent.__struct_fields__, Places(catalogue.contents)
    print_document(
        ListDocument(found, fields, right=(1, 2, 3), as_json=lambda each: places.record(TagRecord, each)),
        options,
        len(found),
    )
    return FOUND if found else NOTHING


def tag_contents(index: Index, only: Collection[str] = ()) -> tuple[TagContent, ...]:
    """Return the number of specs, packages and stacks in each tag, in the order of the tags.

    With `only`, count only the specs of these stacks, and omit the tags that have none of the stacks.
    """
    stacks = [index.value_rows("stack", stack) for stack in only] or [*index.stack_rows().values()]
    packages = list(map(index.package_rows, range(len(index.packages))))
    found = []
    for tag in index.tags:
        rows = index.value_rows("tag", tag) & index.shown_rows
        if only:
            rows = rows & BitMap.union(*stacks)
        if rows or not only:
            holding = (sum(map(rows.intersect, each)) for each in (packages, stacks))
            found.append(TagContent(tag, index.distinct.count(rows), *holding))
    return tuple(found)
