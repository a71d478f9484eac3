"""What is said where filters leave nothing: why, and the keys that change that. Text alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cachetui.query.errors import QueryError
from cachetui.query.parser import refuse
from cachetui.query.parts.names import NamePart
from cachetui.report.detail import Field
from cachetui.safe_text import joined, visible
from cachetui.tui.screens.hints import KeyOf, puts_in, puts_words_in
from cachetui.tui.screens.typed_query import TypedQuery
from cachetui.tui.state.showing import names_nothing
from cachetui.tui.state.view import View

if TYPE_CHECKING:
    from cachetui.explain.unknown_values import UnknownValue

HASH_LIKE = re.compile(r"(?=[a-z]*[0-9])[a-z0-9]{5,32}", re.IGNORECASE)
"""A word that may be a hash, or the beginning of one, also with a digit that no hash has in place of a letter."""


def instead_of_list(view: View, key_of: KeyOf, typed: TypedQuery, *, is_reading: bool) -> tuple[str, Sequence[Field]]:
    """What to say in place of a list where there is no package; and how many specs there would be without each part
    of the query. `typed`: the query line, which may be open."""
    if not len(view.index):
        return "Reading: nothing is there to show yet." if is_reading else "There is no page here.", ()
    why, undo, clear = key_of("browse.why", "w"), key_of("browse.undo", "u"), key_of("browse.clear", "x")
    if not view.index.graph:
        try:
            refuse(view.query.parts)
        except QueryError as error:
            change = key_of("browse.filter", "/")
            return f"No answer: {visible(error.message)}.\n{clear} clears all, {change} changes it.", ()
    from cachetui.explain.host_meant import host_meant
    from cachetui.explain.mending import words_to_mend  # late, as most queries have an answer
    from cachetui.tui.screens.why import short_lines

    keep, leave = key_of("prompt.done", "Enter"), key_of("prompt.leave", "Esc")
    then = f"{keep}, then: " if typed.is_open else ""
    unknown, counts = short_lines(view)
    query = view.shown_in(view.lists.emptied)
    more = puts_words_in(words_to_mend(view.index, query)) or "says more"
    if host_meant(view.index, query) is not None:
        more = "asks what runs there"  # the first choice, also beside a word to put right
    advice = f"{then}{why} {more} or takes a part out, {undo} takes the last step back, {clear} clears all."
    if not view.is_filtered:
        advice = f"{then}{key_of('browse.tag', 't')} chooses another tag, {undo} takes the last step back."
    if typed.is_open and typed.line.error is not None and typed.line.meant is None:
        advice = f"{keep} keeps no line that cannot be read, {leave} takes back what was typed."
    elif typed.is_open and (does := _puts_in(view, typed)):
        advice = f"{keep} {does}, {leave} takes back what was typed."
    inside = None if names_nothing(view.index, view.query) else view.lists.emptied
    nothing = "Nothing matches." if inside is None else f"Nothing of {visible(inside)} matches."
    if _asks_for_hash(view):
        first = f"{leave}, then " if typed.is_open else ""
        unknown.append(f"a hash? {first}{key_of('browse.lookup', '#')} looks it up, with typing errors too")
    return "\n".join([nothing, *unknown, advice]), counts


def _asks_for_hash(view: View) -> bool:
    """Whether the name that is asked for may be a hash: no package has it, nor one like it."""
    values = (each for each in _unknown(view) if isinstance(each.part, NamePart))
    return any(HASH_LIKE.fullmatch(each.value) and not (each.near or each.instead or each.tags) for each in values)


def _puts_in(view: View, typed: TypedQuery) -> str:
    """What the key does that keeps what is typed, if it puts anything right: which words, unless these are just those
    that are said to be nowhere."""
    mendings = typed.mendings
    if typed.line.error is None and {each.old for each in mendings} == {each.part for each in _unknown(view)}:
        return puts_words_in(len(mendings))
    return puts_in(typed.put_in)


def _unknown(view: View) -> Sequence[UnknownValue]:
    """What nothing has of what is asked for, in the package that the user stays in where nothing of it is left."""
    from cachetui.explain.unknown_values import unknown_values

    return unknown_values(view.index, view.shown_in(view.lists.emptied))


def way_out(view: View, key_of: KeyOf) -> str:
    """Why nothing is left and the keys that change that, for the last line; empty where something is."""
    if view.results:
        return ""
    from cachetui.explain.mending import words_to_mend

    unknown = next((visible(each.phrase) for each in _unknown(view)), "")
    why = "mend" if words_to_mend(view.index, view.shown_in(view.lists.emptied)) else "take out"
    keys = (("browse.why", "w", why), ("browse.undo", "u", "undo"), ("browse.clear", "x", "clear"))
    ways = ", ".join(f"{key_of(name, own)} {word}" for name, own, word in keys)
    return joined((unknown or "nothing matches", ways))
