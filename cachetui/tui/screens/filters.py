"""The filters of the browser: what is typed, ticked, chosen and taken back becomes the query, step by step.

It owns the query that is typed; what is ticked is a part of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

from textual.message import Message

from cachetui.model.host import Host
from cachetui.query.parts.part import Part
from cachetui.query.query import Query
from cachetui.safe_text import joined, plural, visible
from cachetui.tui.rows.specs import SpecKey
from cachetui.tui.screens.bars import Bars
from cachetui.tui.screens.facet_steps import FacetSteps
from cachetui.tui.screens.host_steps import HostSteps
from cachetui.tui.screens.lines import change_text, gone_text, judged_text, step_text
from cachetui.tui.screens.nothing_left import way_out
from cachetui.tui.screens.panes import Panes
from cachetui.tui.screens.reveals import Reveal, Reveals
from cachetui.tui.screens.typed_query import TypedQuery
from cachetui.tui.state.view import View
from cachetui.tui.widgets.query_line import QueryLine


@dataclass
class TagAsked(Message):
    """The user wants to look at a tag that has to be read first."""

    tag: str


class Filters:
    """The controller of the query of one view."""

    def __init__(self, view: View, panes: Panes, show: Callable[[], None], bars: Bars) -> None:
        """`show` shows the view again."""
        self._view = view
        self._panes = panes
        self._show = show
        self._say = bars.say
        self._say_too = bars.say_too
        self._say_of_typed = bars.show_keeping
        self._key_of = bars.key_of
        self._reveals = Reveals(view, panes, show, self.undo)
        self._hidden_marks: frozenset[SpecKey] = frozenset()
        """The marks that filters hid at the last step."""
        self.typed = TypedQuery(view, panes, show)
        self.facets = FacetSteps(view, panes, self._show_step, bars)
        self.host = HostSteps(view, panes, show, self._say_of_step, bars)

    def follow(self, event: QueryLine.Queried) -> None:
        """Shows what the query takes that is typed, and says what keeping it does."""
        typed = self.typed
        typed.follow(event.query, event.finished)
        self._say_of_typed(typed.keeping("" if typed.is_all_shown else event.unfinished))

    def end_typing(self, *, kept: bool) -> None:
        """Takes the query that is typed as one step and says what to know of it, else takes it back."""
        is_step, came_from, fits_before = kept and self.typed.is_open, self.typed.came_from, self.typed.fits_before
        judging = self._view.host if fits_before is None else fits_before.host
        said, fits = self.typed.end(kept=kept), self._view.query.fits
        if is_step:
            self._reveals.note_typed(came_from)
            from cachetui.explain.unknown_values import listed_notes  # late, as the first screen has no use for it

            unknown = map(visible, listed_notes(self._view.index, self._view.query))
            nearest = [above] if fits != fits_before and (above := self.host.nearest_above) else []
            said = "; ".join(filter(None, (said, judged_text(judging, self._view))))
            notes = (*([said] if said else []), *self.host.notes, *nearest, *unknown)
            self._say_of_step("; ".join(notes) if self._view.shown else said)

    @property
    def _undo_key(self) -> str:
        return self._key_of("browse.undo", "u")

    # Steps, back and forth

    def step(self, query: Query) -> None:
        """Takes another query as one step."""
        self._show_elsewhere(self._view.step, query)

    def look_at(self, query: Query) -> None:
        """Takes another query as one step; where it names no tag, all are looked at."""
        self._show_elsewhere(self._view.look_at, query)

    def _show_elsewhere(self, take: Callable[[Query], None], query: Query) -> None:
        """Takes a step to something else and shows it: a package that has no spec there is left; says which other host
        judges."""
        judging = self._view.host
        take(query)
        if self._view.lists.emptied is not None:
            self._view.inside = None
        self._show_step(judged_text(judging, self._view))

    def _show_step(self, *said: str) -> None:
        """Shows the view after a step and says the first of these texts that has room."""
        self._show()
        self._say_of_step(*said)

    def _say_of_step(self, *said: str) -> None:
        """Says the first of these texts that has room of a step, and how many marked specs are hidden if it hid any."""
        hidden, before = self._view.hidden_marks, self._hidden_marks
        self._hidden_marks = hidden
        marked = plural(len(hidden), "marked spec")
        listed = f"{marked} out of sight: {self._key_of('browse.marks', 'm')} lists all" if hidden - before else ""
        way = way_out(self._view, self._key_of) if listed else ""
        self._say_too(*(joined((each, way, listed)) for each in said or ("",)))

    def undo(self) -> None:
        """Takes the last step back; where that step showed what was gone to, the cursor goes back too."""
        query, host, reveal = self._view.query, self._view.host, self._reveals.last
        if self._view.back():
            self._show_moved("back", query, host, reveal)
        else:
            self._say("no filter step to take back")

    def redo(self) -> None:
        """Does again what was taken back last; where that showed what was gone to, the cursor goes there too."""
        query, host = self._view.query, self._view.host
        if self._view.forth():
            self._show_moved("again", query, host, self._reveals.last)
        else:
            self._say("nothing to do again")

    def _show_moved(self, word: str, query: Query, host: Host, reveal: Reveal | None) -> None:
        """Shows the view after a step that was taken `back` or done `again`, and says what that changed, or where the
        cursor is; `query` and `host` are those of before."""
        if reveal is not None:
            (self._reveals.show_taken_back if word == "back" else self._reveals.show_again)(reveal)
        if reveal is None or reveal.is_typed:
            said = step_text(word, query, host, self._view)
            redo = f"; {self._key_of('browse.redo', 'U')} does it again" if said and word == "back" else ""
            self._show_step(f"{said}{redo}")
        else:
            package = [visible(self._panes.package)] if self._panes.package else []
            self._say("")  # the package that was left is no loss
            self._say_of_step(f"{word}: {', '.join([*package, f'in {visible(self._view.tag_label)}'])}")

    def clear(self) -> None:
        """Takes every filter away; says which, which host and tag are looked at again, or that there is nothing, and in
        which package and tag one still is."""
        before, judging = self._view.query, self._view.host
        self._view.clear()
        gone, judged = gone_text(before, self._view.query), judged_text(judging, self._view)
        is_in_tag = before.parts_of("tag") == self._view.query.parts_of("tag")
        tag = visible(self._view.tag_label)
        changes = [*filter(None, (gone and f"taken away: {gone}", "" if is_in_tag else f"in {tag} again", judged))]
        cleared = "; ".join([*changes, f"{self._undo_key} goes back"]) if changes else "nothing to clear"
        inside, up = self._view.inside, self._key_of("browse.up", "Esc")
        if inside is not None:
            way = self._view.way_back
            leads = f"goes back to the {way.word}" if way else "leaves it"
            cleared = f"{cleared}; still in {visible(inside)} ({up} {leads})"
        if is_in_tag and self._view.plain_tag not in (None, self._view.index.default_tag):
            cleared = f"{cleared}; still in {tag}: {self._key_of('browse.tag', 't')} leads to others"
        marked = ""
        if marks := len(self._view.marks):
            stay = f"{plural(marks, 'spec')} {'stays' if marks == 1 else 'stay'} marked"
            marked = (
                f"{stay}: {self._key_of('browse.marks', 'm')} lists them, {self._key_of('browse.unmark', 'M')} unmarks"
            )
        self._show_step("; ".join(filter(None, (cleared, marked))))

    def take_out(self, text: str) -> None:
        """Takes the filter out that the line of the filters spells like this."""
        query = self._view.query
        parts = next((query.parts_spelled(own) for own in query.texts if visible(own) == text), ())
        if parts:
            self._mend(reduce(Query.without, parts[1:], self._view.query_without(parts[0])))

    def open_why(self) -> None:
        """Says of each filter what it takes away, and what would mend a query that takes nothing."""
        from cachetui.tui.screens.why import WhyScreen

        self._panes.app.push_screen(WhyScreen(self._view), self._act_on_why)

    def _act_on_why(self, chosen: object) -> None:
        """Takes the part out that was chosen, or the query that is mended, or goes to the build."""
        if isinstance(chosen, tuple):
            self.go_to(chosen)
        elif isinstance(chosen, Part):
            self._mend(self._view.query_without(chosen))
        elif isinstance(chosen, Query):
            self._mend(chosen)

    def _mend(self, query: Query) -> None:
        """Takes another query as one step, and says what came and went and which key goes back."""
        before, judging = self._view.query, self._view.host
        self._view.step(query)
        said = change_text(before, judging, self._view)
        self._show_step(f"{said}; {self._undo_key} goes back" if said else "")

    # Going to a spec or a package

    def open_lookup(self) -> None:
        """Asks for a hash or a name, and goes to the spec or the package."""
        from cachetui.tui.screens.lookup import LookupScreen

        self._panes.app.push_screen(LookupScreen(self._view.index, self._view.tag), self.go_to)

    def go_to(self, found: SpecKey | str | None) -> None:
        """Goes to a spec or a package, if there is one; filters that hide it are taken away, as one step.

        After such a step the key that goes up leads back to where the user was.
        """
        if found is None:
            return
        before, judging = self._view.query, self._view.host
        is_step = self._reveals.go_to(found)
        self._say_of_step(self._moved_text(before, judging) if is_step else "")

    def _moved_text(self, before: Query, judging: Host) -> str:
        """What was changed to show what was gone to; `before` and `judging` are query and host of before."""
        was, now = before, self._view.query
        moved = "" if was.parts_of("tag") == now.parts_of("tag") else f"in {visible(self._view.tag_label)} now"
        gone = gone_text(was, now)
        cleared = f"taken away to show it: {gone}" if gone else ""
        # The key that takes the step back leads back too, but once more it would take another one.
        back = f"{self._key_of('browse.up', 'Esc')} goes back"
        return "; ".join(filter(None, (moved, cleared, judged_text(judging, self._view), back)))

    # The tag

    def open_tags(self) -> None:
        """Asks for the tag to look at."""
        from cachetui.tui.screens.tags import TagScreen

        view = self._view
        tags, query = ("", *view.index.tags), view.shown_in(self._panes.inside)
        screen = TagScreen("Which tag?", view.index, tags, view.tag or "", view.unread_tags, query=query)
        self._panes.app.push_screen(screen, self._look_at_chosen_tag)

    def _look_at_chosen_tag(self, tag: object) -> None:
        """Looks at the tag that was chosen, and says how to come back where it is another one."""
        before = self._view.query
        self.look_at_tag(tag)
        if self._view.query != before:
            self._say_of_step(f"in {visible(self._view.tag_label)} now; {self._undo_key} goes back")

    def look_at_tag(self, tag: object, said: str = "") -> None:
        """Looks at the tag that was chosen and says this; at all of them for an empty one; asks for an unread one."""
        if isinstance(tag, str) and tag in self._view.unread_tags:
            self._panes.post_message(TagAsked(tag))
        elif isinstance(tag, str):
            self._view.look_at_tag(tag or None)
            self._show_step(said)

    def step_tag(self, delta: int) -> None:
        """Goes on to the tag so many places further."""
        if self._view.step_tag(delta):
            self._show_step()
        else:
            self._say("no older tag" if delta > 0 else "no newer tag")
