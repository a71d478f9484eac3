"""`tags`: list the tags of the content in order, with the number of specs, packages and stacks in each tag."""

from collections.abc import Iterable
from functools import partial

from cachetui.analysis.tags import TagContent, tag_contents
from cachetui.cli.interface import FOUND, NOTHING, ResultOptions, StackOption, print_document
from cachetui.cli.session import answer, checked_stacks, open_catalogue
from cachetui.report.formats import ListDocument
from cachetui.report.specs import Places
from cachetui.search.index import Index


class TagsOptions(ResultOptions, frozen=True, kw_only=True):
    stack: StackOption = ()


class TagRecord(TagContent, frozen=True, kw_only=True):
    """The number of specs, packages and stacks in a tag."""

    content: str
    """The content in the words of the command line."""


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
    fields, as_json = TagContent.__struct_fields__, partial(Places(catalogue.contents).record, TagRecord)
    print_document(ListDocument(found, fields, right=(1, 2, 3), as_json=as_json), options, len(found))
    return FOUND if found else NOTHING
