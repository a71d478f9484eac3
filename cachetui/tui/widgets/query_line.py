"""The query line: what is typed becomes a query with every key; what takes nothing is marked, Tab completes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message

from cachetui.query.errors import QueryError
from cachetui.query.query import Query
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.tui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from cachetui.explain.made_readable import MadeReadable
    from cachetui.explain.unknown_values import UnknownValue
    from cachetui.query.parts.part import Part
    from cachetui.suggest.completion import Completion

# What explains a query is imported when one is typed: the first screen stands sooner without it.

MOST_OFFERS = 12
"""Most completions that are offered."""

TAG = re.compile(r"(?:^|\s)tag(?::?!?=|$)")
"""Where a query names a tag of its own, or is about to."""

ENDS_IN_VALUE = re.compile(r"\w[:!]?=\S*$")
"""A part at the end that names a value, to which nothing is to be added."""

BEGUN_VERSION = re.compile(r"@(?:=?|[\w.,:=-]*\w[.,-])$")
"""A version at the end that can only not be read yet."""

PLACEHOLDER = "package, @version, +variant, %compiler, os= target= stack= tag= fits= /hash"


class QueryLine(Prompt):
    """A prompt that reads a query; names are fuzzy in it, `=hdf5` is exact.

    A key that is typed right behind a query of before, well or nearly so, begins a part of its own: with `os=` typed,
    `hdf5 +mpi` becomes `hdf5 +mpi os=`. So does a variant behind a compiler, which is one of the package here.
    """

    @dataclass
    class Queried(Message):
        """What is typed is another query."""

        query: Query
        finished: Query
        """The same without the word that is still being typed, if that may go on: `+m` of `+mpi`."""
        unfinished: str = ""
        """What to say of that word as long as it takes nothing."""

    @dataclass
    class StatusChanged(Message):
        """What there is to say of the line: an error, a value that no row has, or the ways it may go on."""

        text: str
        offers: tuple[str, ...]
        """What Tab puts in; of a line that stands as it was opened only what mends it."""
        has_taken: bool = False
        """Whether the first of the ways is the one that is gone."""
        is_old: bool = False
        """Whether the line stands as it was opened: with a query of before, which what is typed now adds to."""
        is_refused: bool = False
        """Whether the line was to be kept, and was not for what the text says."""
        brief: str = ""
        """The text without what was expected, where there is less room; empty where it says nothing of that."""
        way: str = ""
        """What the key that completes does about it, if anything."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("/", PLACEHOLDER, id=id, hides=True)
        self._index: Index | None = None
        self._within = ""
        self._inside: str | None = None
        self._opened = ""
        """What stood in the line when it was opened."""
        self._read = ""
        """The text that was read last."""
        self._is_known = False
        """Whether the index has all that this names."""
        self.error: QueryError | None = None
        """Why the text cannot be read, if it cannot: then the query is that of its readable beginning."""
        self.put_right = ""
        """What was put in when the line was kept, so that it could be read, as a message; else empty."""
        self._wanting = ""
        """What the word at the cursor wants, where the text can only not be read yet and offers go on from there."""
        self.unfinished = ""
        """What is said of a value at the end that nothing has, where others begin with it."""
        self.mistakes: Sequence[Part] = ()
        """The parts that nothing has and that are not just to be typed on."""
        self._read_at = 0
        """Where the cursor stood when the text was read."""

    def on_mount(self) -> None:
        self.watch(self._input, "selection", self._read_at_cursor, init=False)

    def _read_at_cursor(self) -> None:
        """Offers what goes on where the cursor has been moved to."""
        cursor = self._input.cursor_position
        if self._index is not None and self.text == self._read and cursor != self._read_at:
            self.take()
            self.post_message(self.Edited(self, self.text, cursor))

    def open_on(self, index: Index, query: Query, tag: str | None, inside: str | None = None) -> None:
        """Puts a query into the line as it was typed, without the tag that the header alone names.

        After a value that exists a blank is added, or the next letter would become a part of it. After anything else
        there is none, so that a name, a version or a variant can be typed on.
        The index says how the query may go on in the tags of the query, for who is `inside` a package in that.
        """
        from cachetui.explain.typed_text import typed_query
        from cachetui.explain.unknown_values import unknown_values

        self._index, self.error, self._inside, self.put_right = index, None, inside, ""
        self._wanting, self.unfinished, self.mistakes = "", "", ()
        self._within = "".join(f" {part.text}" for part in query.parts_of("tag"))
        line = (query if tag is None else query.without_key("tag")).line
        if ENDS_IN_VALUE.search(line) and not unknown_values(index, query):
            line += " "
        self._opened = line
        self._read, self._read_at = line, len(line)
        self.open(line)
        try:
            unknown = unknown_values(index, typed_query(index, line))
        except QueryError:  # what the index does not record is refused in a line, but may stand in a query of before
            unknown = []
        self._is_known = not unknown
        self._tell(index, line, len(line), "", unknown)

    @on(Prompt.Edited)
    def read(self, event: Prompt.Edited) -> None:
        from cachetui.explain.typed_text import (
            finished_query,
            is_beginning,
            is_mistake,
            may_go_on,
            not_yet,
            readable_beginning,
            typed_query,
            wanting,
            word_at,
        )
        from cachetui.explain.unknown_values import unknown_values

        event.stop()
        self._read, self._read_at, self._wanting, self.unfinished = event.text, event.cursor, "", ""
        self.mistakes = ()
        if self._index is None or self._puts_blank_in(event):
            return
        try:
            query = typed_query(self._index, event.text)
        except QueryError as error:
            self.error = error
            self.mark([(error.column, len(event.text))])
            # What is still being typed, as `os=` or the beginning of a key, is no mistake where it may go on.
            offers = self._ways(self._index, event.text, event.cursor)
            typed = event.text[offers[0].start : event.cursor] if offers else ""
            is_key = bool(typed) and error.column == offers[0].start and offers[0].text.startswith(typed)
            word = word_at(event.text, event.cursor)
            before = event.text[: word.stop]
            is_signed = before.endswith(("=", "@", "%", "^", ",", ".")) and word.start <= error.column <= word.stop
            at_end = is_signed or error.column == len(before.rstrip())
            if (offers and (is_key or at_end)) or BEGUN_VERSION.search(before):
                self._wanting = wanting(before)
            said = "" if offers else self._wanting
            self._tell(self._index, event.text, event.cursor, said if self._wanting else error.words)
            beginning = readable_beginning(event.text, has_graph=bool(self._index.graph))
            self.post_message(self.Queried(beginning, beginning, visible(self._wanting)))
            return
        self.error = None
        unknown = unknown_values(self._index, query)
        self.mark([(value.part.start, value.part.end) for value in unknown])
        finished = [value for value in unknown if is_mistake(value, len(event.text))]
        self.mistakes = [value.part for value in finished]
        self._tell(self._index, event.text, event.cursor, finished[0].phrase if finished else "", unknown)
        if may_go_on(self._index, event.text, event.cursor, self.offers, self._inside, self._within):
            end = len(event.text)
            said = not_yet(query, unknown, end)
            self.unfinished = said if is_beginning(unknown, end) else ""
            self.post_message(self.Queried(query, finished_query(query, end), said))
        else:
            self.post_message(self.Queried(query, query))

    def _puts_blank_in(self, event: Prompt.Edited) -> bool:
        """Puts a blank before what was just typed right behind the query of before, if that begins a part of its own;
        says whether it did. Once the line was emptied there is no such query."""
        from cachetui.explain.next_part import begins_part

        if not event.text:
            self._opened = ""
        old, text = self._opened, event.text
        typed = text.removeprefix(old)
        is_behind = event.cursor == len(text) and text.startswith(old) and old[-1:].strip(" _-") != ""
        index = self._index if self._is_known else None
        if not (is_behind and begins_part(index, old, typed, self._within)):
            return False
        text = f"{old} {typed}"
        self._set(text, len(text))
        return True

    def action_leave(self, chosen: bool) -> None:
        """Leaves the line; not with Enter where it cannot be read, but for a slip that is put right, nor where it ends
        in the beginning of several values."""
        from cachetui.explain.made_readable import way_put_in
        from cachetui.explain.typed_text import brief_text, can_be_read, is_put_right, ways_named

        if chosen and self._made_readable():
            super().action_leave(chosen)
        elif chosen and self._wanting and self.has_taken and self._index is not None:
            self.take()  # of several keys that Tab goes through this one: now its values
            self.post_message(self.Edited(self, self.text, self._read_at))
        elif chosen and self.error is not None and self._index is not None:
            problem, brief = visible(self.error.words), brief_text(self.error)
            first = None if self.has_taken else next(iter(self.offers), None)
            way = ""
            if self._wanting:
                problem = brief = visible(self._wanting)
                way = ways_named([visible(offer.text) for offer in self.offers]) if first is not None else ""
            elif first is not None and can_be_read(self._index, first.put_in(self.text)):
                way = way_put_in(self._index, self.text, self.error, first, brief)
            self.post_message(self.StatusChanged(problem, (), is_refused=True, brief=brief, way=way))
        elif (
            chosen
            and self.unfinished
            and self._index is not None
            and not is_put_right(self._index, self.text, self._tag)
        ):
            way = ways_named([visible(offer.text) for offer in self.offers])
            self.post_message(self.StatusChanged(self.unfinished, (), is_refused=True, brief=self.unfinished, way=way))
        else:
            super().action_leave(chosen)

    def _made_readable(self) -> bool:
        """Puts in what is surely meant where the line cannot be read for one slip; says whether it did."""
        from cachetui.explain.typed_text import typed_query

        meant = self.meant
        if meant is None or self._index is None:
            return False
        text = meant.completion.put_in(self.text)
        self._set(text, len(text), quietly=True)
        self.error, query, self.put_right = None, typed_query(self._index, text), meant.said
        self.post_message(self.Queried(query, query))
        return True

    @property
    def meant(self) -> MadeReadable | None:
        """What is surely meant, where the line cannot be read for one slip in it."""
        from cachetui.explain.made_readable import surely_meant

        if self._index is None or self.error is None:
            return None
        return surely_meant(self._index, self.text, self.error)

    def _tell(self, index: Index, text: str, cursor: int, problem: str, unknown: Sequence[UnknownValue] = ()) -> None:
        """Says what there is to say of the line; `unknown`: what Tab mends where nothing goes on as it is typed."""
        from cachetui.explain.made_readable import way_put_in
        from cachetui.explain.typed_text import brief_text, can_be_read, mending_completions, says_more

        keys = [offer for offer in self.offers if offer.text.endswith("=")]
        if self.has_taken and keys == self.offers[:1]:
            self.take()  # there is no other key that Tab could put in
        wrong = [value for value in unknown if value.part.start < cursor <= value.part.end]
        ways = self._ways(index, text, cursor) or mending_completions(wrong)
        self.offer([way for way in ways if says_more(way, text, cursor)] if self.has_taken else ways)
        offers = tuple(visible(offer.text) for offer in self.offers)
        is_old = bool(text) and text == self._opened
        problem, brief, way = visible(problem), "" if self.error is None else brief_text(self.error), ""
        first = next(iter(self.offers), None)
        mends = first is not None and not first.text.startswith(text[first.start : cursor])
        if first is not None and mends and problem and not self.has_taken:
            is_mistake = self.error is not None and can_be_read(index, first.put_in(text))
            way = way_put_in(index, text, self.error, first, brief or problem, is_mistake=is_mistake)
        if is_old and not (mends and wrong):
            offers = ()
        self.post_message(self.StatusChanged(problem, offers, self.has_taken, is_old, brief=brief, way=way))

    @property
    def _tag(self) -> str:
        """What is asked of tags in the header alone, as a text; nothing where the line names a tag of its own."""
        return "" if TAG.search(self.text) else self._within

    def _ways(self, index: Index, text: str, cursor: int) -> Sequence[Completion]:
        """How the line may go on."""
        from cachetui.explain.completion import completions
        from cachetui.explain.made_readable import ways_on

        def offered(text: str, cursor: int) -> Sequence[Completion]:
            return completions(index, text + self._tag, cursor, limit=MOST_OFFERS, fuzzy_name=True)

        return ways_on(index, text, cursor, self.error, offered)[:MOST_OFFERS]
