"""The timeline of a package: its versions and stacks in each tag, and the changes from tag to tag.

Each tag is compared with the previous tag of its series, even if the previous tag does not have the package. Releases
are one series. The weekly tags are another series, which has `develop` as its newest tag.
Input: an index and a query.
"""

from msgspec import Struct
from msgspec.structs import replace

from cachetui.model.tags import tag_before
from cachetui.query.query import Query
from cachetui.query.terms import NameTerm
from cachetui.search.index import Index, versions_of


class Moment(Struct, frozen=True):
    """The versions and stacks of the package in one tag."""

    tag: str
    specs: int
    """The number of index rows of the package; 0 if the tag lacks the package."""
    versions: tuple[str, ...]
    """The versions, newest first."""
    stacks: tuple[str, ...]
    """The stacks, without `root`."""
    appeared: tuple[str, ...] = ()
    """The versions, then the stacks, in this tag but not in the previous tag of the series."""
    vanished: tuple[str, ...] = ()
    """The versions, then the stacks, in the previous tag but not in this tag."""


class Timeline(Struct, frozen=True, dict=True):
    """The timeline of one package: a moment for each tag."""

    package: str
    tags: tuple[Moment, ...]
    """All tags of the content, in order."""


def timeline(index: Index, package: str, query: Query | None = None) -> Timeline:
    """Return the timeline of a package. Only specs that match the query are included.

    Names and tags in the query are ignored.
    """
    rows = index.rows((query or Query()).without_key("name").without_key("tag")) & index.term_rows(NameTerm(package))
    of_stack = index.stack_rows()
    moments: list[Moment] = []
    for tag in index.tags:
        own = rows & index.value_rows("tag", tag)
        stacks = tuple(stack for stack, held in of_stack.items() if own.intersect(held))
        moments.append(Moment(tag, len(own), tuple(versions_of(index, own)), stacks))
    by_tag = {moment.tag: moment for moment in moments}
    return Timeline(package, tuple(_since(each, by_tag.get(tag_before(index.tags, each.tag))) for each in moments))


def _since(moment: Moment, before: Moment | None) -> Moment:
    """Return a moment with the changes since the previous moment."""
    if before is None:
        return moment
    now, then = (*moment.versions, *moment.stacks), (*before.versions, *before.stacks)
    return replace(
        moment,
        appeared=tuple(name for name in now if name not in then),
        vanished=tuple(name for name in then if name not in now),
    )
