"""The ways back: where the user came from to a spec, a package or the cell of a coverage that he has gone to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from msgspec import Struct
from msgspec.structs import replace

from cachetui.query.query import Query

ANYWHERE = ""
"""No name of a package: the way back is there in every package, and in the list of them."""


def filters_back(now: Query, led_to: Query, before: Query) -> Query:
    """The filters to go back to from where something was gone to: those of before, as they were changed there.

    `now`: what was looked at last; `led_to`: what the step there led to; `before`: what was looked at before it. What
    that step itself put in is left, unless it was taken away there together with all else of its kind.
    """
    own = {part.key for part in led_to.parts if part not in before.parts}
    kept = {part.key for part in now.parts if part.key in own}
    gone = [part for part in before.parts if part not in now.parts and part.key not in kept]
    came = [part for part in now.parts if part not in before.parts and part.key not in own]
    return reduce(Query.with_part, came, reduce(Query.without, gone, before))


class Way(Struct, frozen=True, eq=False):
    """The way back from what was gone to, as long as the user stays there; one that was gone before is another one."""

    query: Query
    """The query that shows what was gone to."""
    inside: str | None
    """The package that it leads back from, None for the list of packages, or `ANYWHERE`."""
    word: str
    """Where it leads to, as the last line says it."""
    go_back: Callable[[], None]
    stays_in: str | None = None
    """The package within which it is there whatever the query, until the user leaves that; None for no such."""

    def from_place(self, inside: str | None) -> Way:
        """The same way for who went on to another package in the same query."""
        return replace(self, inside=inside, stays_in=None)

    def is_here(self, query: Query, inside: str | None) -> bool:
        """Whether it leads back from this query, inside a package or not."""
        if self.stays_in is not None and self.stays_in == inside:
            return True
        return self.query == query and self.inside in (inside, ANYWHERE)


class Ways:
    """The ways back that there are, the newest last."""

    def __init__(self) -> None:
        self.known: Sequence[Way] = ()

    def here(self, query: Query, inside: str | None) -> Way | None:
        """The way back for who looks at this query, inside a package or not."""
        return next((way for way in reversed(self.known) if way.is_here(query, inside)), None)

    def follow(self, way: Way) -> None:
        """Goes back: what was gone to after that is forgotten, what was gone to before is not."""
        earlier = self.known[: self.known.index(way)]
        way.go_back()
        self.known = earlier

    def leave(self, inside: str | None) -> None:
        """Forgets the ways that lead back from another package than this one: the user went on by himself."""
        stay = [way for way in self.known if way.inside in (inside, None, ANYWHERE)]
        self.known = [way if way.stays_in in (inside, None) else replace(way, stays_in=None) for way in stay]
