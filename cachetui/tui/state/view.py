"""What is looked at: an index and a query, the steps that led to it, marks, the host. No widget in it.

The screen changes it and then shows it. Invariant: `results` are those of `query` in `index`.
"""

from __future__ import annotations

from collections.abc import Sequence

from cachetui.model.facets import COMPLETE
from cachetui.model.host import Host
from cachetui.model.spec import Spec
from cachetui.query.parts.dependencies import COMPLETE_WORDS, CompletePart
from cachetui.query.parts.facets import FitsPart, ValuePart
from cachetui.query.parts.part import Part
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.search.results import Results
from cachetui.tui.rows.specs import SpecKey, rows_of_key, spec_key
from cachetui.tui.state.history import FilterState, History
from cachetui.tui.state.lists import Lists
from cachetui.tui.state.showing import has, showing, within
from cachetui.tui.state.tag_kept import TagKept, plain_tag
from cachetui.tui.state.ways import Way, Ways


class View:
    """One user's view of one catalogue."""

    def __init__(self, index: Index, query: Query, host: Host, *, all_tags: bool = False) -> None:
        """`all_tags`: a query that names no tag is of all of them, and not of the one to look at first."""
        self.index = index
        self.query = query.with_tags_meant(index.tags)
        self.marks: frozenset[SpecKey] = frozenset()
        self.unread_tags: Sequence[str] = ()
        """Tags that there are and that are read when somebody chooses them."""
        self._asked_first = query
        """The query that the view began with, as it was typed."""
        self._tag_kept = TagKept(wants_first=not all_tags and not query.parts_of("tag"))
        self.assumed_host = host
        """The host that is assumed where none is asked for."""
        self._staying: FitsPart | None = None
        """The host that specs are judged by where `toggle_fits` took its filter out; None: the one assumed."""
        self._scope: Results | None = None
        self.lists = Lists(self)
        self.inside: str | None = None
        """The package that the user has gone into."""
        self._within: tuple[Results, str, Results] | None = None
        self.use(index)
        self.history = History()
        self.ways = Ways()

    # The query and its steps

    def use(self, index: Index, *, untouched: bool = True) -> int:
        """Looks at another index of the same catalogue; at its first tag, where none is chosen yet.

        Who has begun to look around in a tag stays there. Marks of specs that it does not have are gone; says how many.
        """
        if untouched and self.query == self._asked_first.with_tags_meant(self.index.tags):
            self.query = self._asked_first.with_tags_meant(index.tags)
        self.index = index
        self._take(self._tag_kept.at_first(self.query, index, untouched=untouched))
        gone = {mark for mark in self.marks if not rows_of_key(index, mark)}
        self.marks -= gone
        return len(gone)

    def try_query(self, query: Query) -> None:
        """Takes another query that is no step yet, as while it is typed."""
        self.query = query
        self.results: Results = Results.of(self.index, query)
        self.lists.fitted.widen(self.results)

    def go_back_to(self, query: Query, fitted_to: int) -> None:
        """Takes the query again from which others were tried, with the columns of the lists as they were then."""
        self.try_query(query)
        self.lists.fitted.narrow(fitted_to)

    def _take(self, query: Query) -> None:
        """Takes another query to which the columns of the lists are fitted."""
        self.try_query(query)
        self.lists.fitted.fit(self.results)

    @property
    def shown(self) -> Results:
        """What the figures are of: the results, those of the package alone that the user has gone into."""
        if self.inside is None:
            return self.results
        if self._within is None or self._within[:2] != (self.results, self.inside):
            self._within = self.results, self.inside, Results.of(self.index, self.shown_in(self.inside))
        return self._within[2]

    @property
    def scope(self) -> Results:
        """Everything in the tags that are looked at."""
        query = self.query.only_key("tag")
        if self.results.index is self.index and self.results.query == query:
            return self.results
        if self._scope is None or self._scope.index is not self.index or self._scope.query != query:
            self._scope = Results.of(self.index, query)
        return self._scope

    def specs_of(self, package: str) -> int:
        """How many specs a package has in the tags that are looked at."""
        number = self.index.package_number(package)
        return 0 if number is None else self.scope.specs_of(number)

    def step(self, query: Query, before: Query | None = None) -> None:
        """Takes another query as one step from `before`, else from the one so far."""
        before = self.query if before is None else before
        is_host_named = before.fits is not None or query.fits is not None
        self._step(before, query, None if is_host_named else self._staying)

    def _step(self, before: Query, query: Query, staying: FitsPart | None) -> None:
        was = FilterState(before, self._staying)
        self._staying = None if staying is None or staying.host == self.assumed_host else staying
        self._tag_kept.note(before, self.index.tags)
        self.history.step(was, FilterState(query, self._staying))
        self._take(query)

    def query_without(self, part: Part) -> Query:
        """The query without a part of it; without what was asked of tags, in the tag that was looked at before."""
        query = self.query.without(part)
        is_asked = part.key == "tag" and self.plain_tag is None
        return query if query.parts_of("tag") or not is_asked else self._tag_kept.put_in(query, self.query, self.index)

    def look_at(self, query: Query) -> None:
        """Takes another query as one step; where it names no tag, all are looked at."""
        self._tag_kept.choose()
        self._step(self.query, query, None)

    def back(self) -> bool:
        """Takes back the last step; False where there is none."""
        return self._go(self.history.back(FilterState(self.query, self._staying)))

    def forth(self) -> bool:
        """Does again what was taken back last; False where there is nothing."""
        return self._go(self.history.forth(FilterState(self.query, self._staying)))

    def _go(self, state: FilterState | None) -> bool:
        if state is not None:
            self._staying = state.staying
            self._take(state.query)
        return state is not None

    def toggle(self, facet: str, value: str) -> None:
        """Ticks a value of a facet, or takes the tick away."""
        if facet == COMPLETE:
            part = CompletePart(wanted=COMPLETE_WORDS[value])
            self.step(self.query.without(part) if part in self.query.parts else self.query.with_part(part))
        else:
            self.step(self.query.toggled(facet, value, self.index.values(facet)))

    def exclude(self, facet: str, value: str) -> None:
        """Leaves a value of a facet out, or no longer; of the two of `complete` the other one is ticked."""
        if facet == COMPLETE:
            self.toggle(facet, next(word for word in COMPLETE_WORDS if word != value))
        else:
            self.step(self.query.exclusion_toggled(facet, value, self.index.values(facet)))

    @property
    def is_filtered(self) -> bool:
        """Whether anything is filtered but the tag that the header names."""
        return bool(self.query.parts) if self.plain_tag is None else len(self.query.parts) > 1

    def clear(self) -> None:
        """Takes every filter away, and the host that stays, but the tag in the header.

        A tag that is not there gives way to the one before it.
        """
        self._step(self.query, self._tag_kept.put_in(Query(), self.query, self.index), None)

    # Tags

    @property
    def tag(self) -> str | None:
        """The one tag that is looked at; None for all or several."""
        return self.query.tag

    @property
    def records_needs(self) -> bool:
        """Whether what is looked at may record what its specs need."""
        return bool(self.index.graph) if self.tag is None else self.tag in self.index.graph.tags

    @property
    def tag_label(self) -> str:
        """What is looked at, as the header names it."""
        texts = (part.text.removeprefix("tag=") for part in self.query.parts_of("tag"))
        return " ".join(texts) or "all tags"

    @property
    def plain_tag(self) -> str | None:
        """The tag that the header alone names: one that there is. None for all, and for what else is asked of tags."""
        return plain_tag(self.query, self.index.tags)

    def within_tag(self, query: Query, before: Query) -> Query:
        """A query that was typed, within the tag of the one before it unless it names one itself."""
        return query if query.parts_of("tag") else self._tag_kept.put_in(query, before, self.index)

    def look_at_tag(self, tag: str | None) -> None:
        """Looks at one tag, or at all of them."""
        self._tag_kept.choose()
        query = self.query.without_key("tag")
        self.step(query if tag is None else query.with_part(ValuePart.of("tag", [tag])))

    def step_tag(self, delta: int) -> bool:
        """Goes on to the tag so many places further; False where there is none."""
        tags = self.index.tags
        at = (tags.index(self.tag) if self.tag in tags else -1) + delta
        if not 0 <= at < len(tags):
            return False
        self.look_at_tag(tags[at])
        return True

    @property
    def caches(self) -> Query:
        """The build caches that are looked at: those of the tags and the stacks that are asked for."""
        query = Query()
        for name in ("tag", "stack"):
            if values := self.query.ticked(name, self.index.values(name)):
                query = query.with_part(ValuePart.of(name, sorted(values)))
        return query

    # The host

    @property
    def host(self) -> Host:
        """The host of the query, else the one that `toggle_fits` took out, else the one that is assumed.

        Specs are judged by it, and `toggle_fits` asks for it.
        """
        return self._fits.host

    @property
    def _fits(self) -> FitsPart:
        return self.query.fits or self._staying or FitsPart(self.assumed_host)

    def toggle_fits(self) -> bool:
        """Everything again where a host is asked for; else only what runs on the host of this view; says which."""
        fits = self.query.fits
        if fits is None:
            self.choose_host(self._fits)
        else:
            self._step(self.query, self.query.without_key("fits"), FitsPart(fits.host, fits.spelling))
        return fits is None

    def choose_host(self, fits: FitsPart) -> None:
        """Only what runs on another host, as long as the filter stands."""
        self.step(self.query.without_key("fits").with_part(fits))

    # What was gone to

    def shows(self, found: SpecKey | str) -> bool:
        """Whether the filters take this spec, or a spec of the package of this name."""
        return has(self.index, self.results.rows, found)

    def reveal(self, found: SpecKey | str) -> bool:
        """Takes the filters away that hide a spec or a package, as one step; says whether there were any."""
        if self.shows(found):
            return False
        self.step(showing(self.index, self.query, found))
        return True

    @property
    def way_back(self) -> Way | None:
        """The way back from where the user is to where he came from, if he was led here."""
        return self.ways.here(self.query, self.inside)

    # Marks, and what leaves the browser

    def toggle_mark(self, row: int) -> None:
        """Marks a spec, or takes its mark away."""
        self.marks ^= {spec_key(self.index, row)}

    def shown_in(self, package: str | None) -> Query:
        """The query for what is on screen: within a package that one alone."""
        return self.query if package is None else within(self.index, self.query, package)

    @property
    def hidden_marks(self) -> frozenset[SpecKey]:
        """The marks of specs that the filters hide."""
        return frozenset(mark for mark in self.marks if not self.shows(mark))

    def clear_marks(self) -> None:
        """Takes all marks away."""
        self.marks = frozenset()

    def marked_rows(self) -> list[int]:
        """The rows of the marked specs, in the order of the index."""
        return sorted(row for key in self.marks for row in rows_of_key(self.index, key))

    def marked(self) -> list[Spec]:
        """The marked specs, in the order of the index."""
        return list(map(self.index.spec, self.marked_rows()))
