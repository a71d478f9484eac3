"""The lines around the panes: the header above them, the chips of the filters, the last line with hints or a message.

What they say is worked out by `lines`; here is what they remember: the message until the next key, what goes on in
the background, the ways on of a query that is typed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from cachetui.explain.fuzzy_name import meant
from cachetui.query.parts.facets import FitsPart
from cachetui.safe_text import visible
from cachetui.search.results import Results
from cachetui.sources.source import Stale
from cachetui.tui.rows.layout import Cell, measure, text_in
from cachetui.tui.rows.tones import Tone
from cachetui.tui.screens import lines
from cachetui.tui.screens.facet_words import alone_text, facet_hints, left_out_text
from cachetui.tui.screens.hints import KEEPS, TYPING, Hint, hint_cells, hints, old_query_hints
from cachetui.tui.screens.keeping import NO_LINE, Keeping
from cachetui.tui.state.lists import NEAREST_FIRST, Level
from cachetui.tui.state.view import View
from cachetui.tui.terminal.lifecycle import TerminalApp
from cachetui.tui.widgets.bar import Bar, in_two_lines
from cachetui.tui.widgets.facets import FacetSidebar
from cachetui.tui.widgets.query_line import QueryLine
from cachetui.tui.widgets.signs import signs_of

NEAREST_SHOWN = "no such value; nearest:"
"""What is said of values of facets that are only spelled like the one that is looked for."""


class Bars:
    """Three lines of one view."""

    def __init__(self, view: View, content: str | None, on_enter: str, facets: FacetSidebar) -> None:
        """`content` as the user named it, None for the sample; `on_enter`: what Enter does with a spec."""
        self._facets = facets
        self._view = view
        self._content = content
        self._on_enter = on_enter
        self._message = ""
        self._asks = False
        """Whether the message says what to do first."""
        self.has_asked = False
        """Whether the last key took such a message away."""
        self._offers: tuple[str, ...] = ()
        self._has_taken = False
        """Whether the first of the offers stands in the query line."""
        self._wrong: QueryLine.StatusChanged | None = None
        """What is wrong with the query line, said as long as that stands there."""
        self._is_old = False
        """Whether nothing was typed yet into a query line that was opened with a query of before."""
        self._keeping = NO_LINE
        """What Enter does with what is typed."""
        self._pane: str | None = None
        self._meant_in: tuple[Results, str] | None = None
        self.activity = ""
        """What goes on in the background; empty for nothing."""
        self.stale: Sequence[Stale] = ()
        """What of the content is a copy that may not be the newest."""
        self.header = Bar(id="header")
        self.chips = Bar(id="chips")
        self.hints = Bar(id="hints")

    def show_header(self) -> None:
        """Shows what is looked at, and how much of it the filters leave."""
        width = self.header.app.size.width
        signs = signs_of(self.header)
        sign = next((stale.sign for stale in self.stale), "")
        shown = lines.header(self._view, self._content, self.activity or sign, width, signs)
        self.header.show(*shown)

    def show_chips(self) -> None:
        """Shows the filters; at the right what is said of the host, and between them how one is taken away, as far as
        there is room."""
        width, why, signs = self.chips.app.size.width, self.key_of("browse.why", "w"), signs_of(self.chips)
        chips = lines.chips(self._view, width, why, signs)
        way_out, taken = lines.way_out_text(chips, why), _measured(chips)
        rooms = [width - taken - 2 - len(way_out), width - taken - 1]
        where = next(([cell] for room in rooms for cell in self._of_host(width) if 0 < len(cell.text) <= room), [])
        if way_out and taken + len(way_out) + 2 + _measured(where) <= width:
            chips.append(Cell(way_out, "dim"))
        self.chips.show(chips, where)

    def _of_host(self, width: int) -> Sequence[Cell]:
        """What is said of the host, the longest first: its name, where nothing else names it, and among the specs how
        they stand by it, or what the sign beside them means."""
        is_inside, is_named = self._view.inside is not None, width >= lines.ROOM_FOR_HOST
        host = lines.host_text(self._view)
        if self._view.query.fits is not None:
            is_seen = is_inside or not self.chips.screen.has_class("-narrow")
            return [Cell(self._order_by_host, "dim")] if is_seen else []
        view, another = self._view, f"another host: {self.key_of('app.palette', 'Ctrl+P')} host"
        names = [Cell(another, "host")] if is_named else [Cell(f"{host} ({another})", "host"), Cell(host, "host")]
        is_seen = is_inside or (view.is_filtered and not self.chips.screen.has_class("-narrow"))
        if not is_seen or view.shown.rows <= view.index.part_rows(FitsPart(view.host)):
            return names
        sign = f"rows with ! do not run on {'the host' if is_named else host}"
        more = [] if is_inside else [Cell(f"{sign} ({another})", "host")]
        return [*more, Cell(sign, "host"), *names]

    @property
    def _order_by_host(self) -> str:
        """How the specs stand by the host; among those of a package with the key that goes to the nearest, as who
        chooses another host stays at his spec."""
        order = self._view.lists.order_by_host
        if not order or self._view.inside is None:
            return order
        first, last = f"{self.key_of('rows.first', 'g')} top", f"{self.key_of('rows.last', 'G')} end"
        return f"{order} ({first if order == NEAREST_FIRST else last})"

    def show_hints(self, pane: str | None = None) -> None:
        """Shows the message, else what is wrong with a query or its ways on, else the keys of a pane: this or the last.

        Beside these stands what a name was taken for that no package has, until the user goes into one.
        """
        self._pane = pane or self._pane
        place = self._facets.here if self._pane == "facets" else None
        room = self.hints.app.size.width
        about = left_out_text(self._view.shown, place, room) or visible(self._meant())
        about = NEAREST_SHOWN if self._facets.shows_nearest else about
        width = room - (2 + measure(about) if about else 0)
        if said := self._message or self._fitting(self._wrong_texts()):
            self.hints.show_message(said, self.hints.app.size.width)
        elif self._is_old:
            self._show_beside(
                about, hint_cells(old_query_hints(self._offers, width, self._keys, self._keeps(width)), self._keys)
            )
        elif self._keeping.is_said_as_slips(self._offers):
            self._show_slips(about, width)
        elif self._has_ways:
            first, *others = self._offers
            tab = [*self._tab(first), *self._keeping.after_first(first)]
            before = self._keeping.before_tab(first, room - _measured(tab), self._keys, has_taken=self._has_taken)
            self._show_beside(about, [*before, *tab], [f"  {each}" for each in others])
        else:
            keeps = self._keeps(width)
            found = hints(self._view, self._pane, width, self._on_enter, self._keys, facet_hints(place), keeps)
            if self._keeping.put_in and about and _measured(hint_cells(found, self._keys)) > width:
                about, found = self._alone(about, room)
            shown = hint_cells(found, self._keys)
            has_room, alone = _measured(shown) <= width, alone_text(place)
            if alone and not about and _measured(shown) + 2 + measure(alone) <= width:
                self.hints.show(shown, [Cell(alone, "dim")])
            else:
                self._show_beside(about, shown if has_room else [])

    @property
    def _has_ways(self) -> bool:
        """Whether Tab puts in anything that is not there yet."""
        return bool(self._offers) and not (self._has_taken and len(self._offers) == 1)

    def _tab(self, first: str) -> Sequence[Cell | str]:
        """The key that puts in the first way on, and that."""
        tone: Tone = "title" if self._has_taken else ""
        return [Cell(f"{self.key_of('prompt.complete', 'Tab')} ", "key"), Cell(first, tone)]

    def _show_slips(self, about: str, width: int) -> None:
        """Shows what Enter puts right; then what else Tab puts in, or the key that takes the line back."""
        cells = self._keeping.slip_cells(width, self._keys)
        if self._has_ways and not self._keeping.has_all(self._offers):
            more, others = self._tab(self._offers[0]), [f"  {each}" for each in self._offers[1:]]
        else:
            more, others = hint_cells(TYPING["query-line"][-1:], self._keys), []
        has_room = _measured(cells) + 2 + _measured(more) <= width
        self._show_beside(about, [*cells, "  ", *more] if has_room else cells, others if has_room else ())

    def _alone(self, about: str, room: int) -> tuple[str, Sequence[Hint]]:
        """Beside what a name was taken for the key alone that puts it in; without room for both the keys alone."""
        keeps = self._keeps(room)
        if measure(about) + 2 + measure(keeps.text(self._keys)) <= room:
            return about, [keeps]
        return "", hints(self._view, self._pane, room, self._on_enter, self._keys, keeps=keeps)

    def _keeps(self, room: int) -> Hint:
        """What the key does that keeps what is typed, in so much room."""
        return self._keeping.hint(room, self._keys)

    def _show_beside(self, about: str, wanted: Sequence[Cell | str], more: Sequence[str] = ()) -> None:
        """Shows keys and what a name was taken for: at the left, where it is typed, if all that is wanted has room."""
        said = [Cell(about, "warn")] if about else []
        if said and measure(about) + 2 + _measured(wanted) <= self.hints.app.size.width:
            self.hints.show([*said, "  ", *wanted, *more])
        else:
            self.hints.show([*wanted, *more], said)

    @property
    def _keys(self) -> Mapping[str, str]:
        """The keys of bindings that are not as they are by themselves."""
        changed = cast(TerminalApp[Any], self.hints.app).changed_keys
        return {name: sign for name, (sign, _) in changed.items()}

    def key_of(self, binding: str, own: str) -> str:
        """The key in force for a binding; `own`: the one that it has by itself."""
        return self._keys.get(binding, own)

    def _meant(self) -> str:
        """What a name was taken for, worked out once for each result."""
        results = self._view.results
        is_elsewhere = self._view.inside is not None and self._pane != "query-line"
        if is_elsewhere or self._keeping.names_package():
            return ""
        if self._meant_in is None or self._meant_in[0] is not results:
            self._meant_in = results, meant(results)
        return self._meant_in[1]

    def say(self, message: str, *, asks: bool = False) -> None:
        """Shows a message in the last line, or in the last two if it needs them, until the next key.

        `asks`: it says what to do first, so the key that goes up only takes it away.
        """
        self._message, self._asks = message, asks
        self.show_hints()

    def say_order(self, level: Level) -> None:
        """Says how a list stands now, and the keys that change that."""
        self.show_chips()
        now, then = self._view.lists.order_texts(level)
        following, reverse = self.key_of("browse.sort", "s"), self.key_of("browse.reverse", "S")
        self.say(f"sorted by {now}; {following}: by {then}, {reverse}: the other way round")

    def say_too(self, *messages: str) -> None:
        """Shows the first of these messages that has room behind what was said since the last key, if anything was."""
        self.say(self._fitting(["; ".join(filter(None, (self._message, each))) for each in messages]))

    def forget_message(self) -> None:
        """The user has pressed a key, so the message was seen."""
        self.has_asked = self._asks
        if self._message:
            self.say("")

    def _fitting(self, texts: Sequence[str]) -> str:
        """The first text that the two lines of a message have room for, else the last one."""
        width = self.hints.app.size.width
        fit = (text for text in texts if measure(in_two_lines(text, width)[1]) <= width)
        return next(fit, texts[-1] if texts else "")

    def show_status(self, status: QueryLine.StatusChanged) -> None:
        """Shows the ways on of what stands in the query line, what is wrong with it and what mends that; and why it was
        not kept, if it was to be."""
        self.offer(status.offers, status, has_taken=status.has_taken, is_old=status.is_old)
        ways = self._ways(status)
        back = f"{self.key_of('prompt.leave', 'Esc')} takes it back"
        texts = lines.problem_texts(f"not kept: {status.text}", f"not kept: {status.brief}", [*ways, back])
        self.say(self._fitting(texts) if status.is_refused else "")

    def _ways(self, status: QueryLine.StatusChanged) -> list[str]:
        """What the key does that mends what is wrong with the query line, if one does."""
        return [f"{self.key_of('prompt.complete', 'Tab')} {status.way}"] if status.way else []

    def _wrong_texts(self) -> Sequence[str]:
        """What is wrong with the query line and the keys that mend it, in texts shorter and shorter."""
        if self._wrong is None or self._keeping.is_all:
            return ()
        ways = self._ways(self._wrong)
        if ways and self._keeping.is_offered(self._offers):
            ways = [f"{ways[0]}, {KEEPS.key_text(self._keys)} too"]
        elif self._keeping.put_in:
            ways.append(self._keeps(self.hints.app.size.width).text(self._keys))
        return lines.problem_texts(self._wrong.text, self._wrong.brief, ways)

    def offer(
        self,
        offers: tuple[str, ...],
        wrong: QueryLine.StatusChanged | None = None,
        *,
        has_taken: bool = False,
        is_old: bool = False,
    ) -> None:
        """Shows the ways on of a query, or what is wrong with it.

        `has_taken`: the first way stands in the line.
        `is_old`: the line stands as it was opened, with a query of before; then it is said what empties it.
        """
        self._offers, self._wrong, self._has_taken, self._is_old = offers, wrong, has_taken, is_old
        is_counted = self._keeping.is_counted and bool(offers)
        self._keeping = self._keeping._replace(is_counted=is_counted, unfinished="")
        self.show_hints()

    def show_keeping(self, keeping: Keeping = NO_LINE) -> None:
        """Says beside the ways on of a query what Enter does with it."""
        self._keeping = keeping
        self.show_hints()


def _measured(cells: Sequence[Cell | str]) -> int:
    return measure("".join(map(text_in, cells)))
