"""The tag that is looked at where nothing is asked of tags: the one to look at first, or the last that stood alone."""

from __future__ import annotations

from collections.abc import Collection

from cachetui.query.parts.facets import ValuePart
from cachetui.query.query import Query
from cachetui.search.index import Index


class TagKept:
    """The tag of one view, as far as its query alone does not tell."""

    def __init__(self, *, wants_first: bool) -> None:
        """`wants_first`: the tag to look at first is looked at, as the user has named none."""
        self._wants_first = wants_first
        self._first: str | None = None
        self._before: str | None = ""
        """The tag before something else was asked of tags; None for all of them, empty for the one to look at first."""

    def choose(self) -> None:
        """The user has chosen where to look: the tag to look at first is no longer wanted."""
        self._wants_first = False

    def at_first(self, query: Query, index: Index, *, untouched: bool) -> Query:
        """The query in the first tag of an index, where none is chosen yet; `untouched`: nobody has looked around."""
        stays = query.parts_of("tag") and not (untouched and query.tag == self._first)
        if not self._wants_first or index.default_tag is None or stays:
            return query
        self._first = index.default_tag
        return query.with_part(ValuePart.of("tag", [index.default_tag]))

    def note(self, before: Query, tags: Collection[str]) -> None:
        """Keeps the tag of a query that is left, if that one asked for a plain one or for none."""
        if not before.parts_of("tag") or plain_tag(before, tags):
            self._before = before.tag

    def put_in(self, query: Query, before: Query, index: Index) -> Query:
        """The query in the tag of another, or in the one that was looked at before what that one asks of tags."""
        is_plain = not before.parts_of("tag") or plain_tag(before, index.tags)
        tag = before.tag if is_plain else self._before
        if tag is not None and tag not in index.tags:
            tag = index.default_tag
        return query if tag is None else query.with_part(ValuePart.of("tag", [tag]))


def plain_tag(query: Query, tags: Collection[str]) -> str | None:
    """The one tag that a query asks for, if it is one of these and nothing else is asked of tags."""
    return query.tag if query.tag in tags and len(query.parts_of("tag")) == 1 else None
