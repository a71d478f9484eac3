"""What is said in the facets: what a step there asks for and what it changed, and the keys that are of use there.

Text alone. Ticks of one facet are alternatives, and the number of a value is of that value alone, so neither tells what
a step leaves: these words do.
"""

from __future__ import annotations

from collections.abc import Sequence

from cachetui.model.facets import COMPLETE, VALUE_KEYS
from cachetui.query.parts.facets import FacetPart, ValuePart
from cachetui.safe_text import joined, plural, visible
from cachetui.search.results import FacetValue, Results
from cachetui.tui.rows.layout import measure
from cachetui.tui.screens.hints import Hint
from cachetui.tui.widgets.facets import FacetPlace

NAMED = 3
"""So many values of a facet are named in a sentence."""

ROOM_FOR_KEYS = len("Space only this  Esc packages  ? help  q quit") + 2
"""Cells that the last line keeps for keys."""

TICK, EXCLUDE = Hint("facets.tick", "Space", "only this"), Hint("facets.exclude", "-", "without")
FIND = Hint("facets.find", "/", "find value")


def facet_hints(place: FacetPlace | None) -> Sequence[Hint]:
    """The keys of the row under the cursor, each with what it would do there."""
    if place is None:
        return (FIND,)
    value = place.value
    if value is None:
        return (TICK._replace(word=place.folds), FIND) if place.folds else (FIND,)
    tick = "untick" if value.ticked else "or this too" if place.has_ticks else TICK.word
    return TICK._replace(word=tick), EXCLUDE._replace(word="not without") if value.excluded else EXCLUDE, FIND


def left_out_text(results: Results, place: FacetPlace | None, width: int) -> str:
    """How many of the value under the cursor are left out by another one of its facet; empty for none.

    `width`: that of the line, in which the keys need room too.
    """
    if place is None or place.value is None or not place.value.hidden:
        return ""
    value = place.value
    some = _all(value.specs) if value.hidden == value.specs > 1 else f"{value.hidden:,}"
    others = _named(_excluded(results, place.facet, value), "or")
    texts = (visible(f"{some} in {others} too, left out"), f"{some} left out")
    return next((text for text in texts if measure(text) <= width - ROOM_FOR_KEYS), "")


def alone_text(place: FacetPlace | None) -> str:
    """How ticks of one facet go together, and what its numbers are of, while the cursor is in one with a tick."""
    return "any ticked will do; each counted alone" if place is not None and place.has_ticks else ""


def step_texts(
    before: Results, now: Results, facet: str, value: str, *, undo: str, inside: str | None = None
) -> list[str]:
    """What is asked of a facet after a step there, how many specs that leaves, and why no more or none at all.

    The first text is the longest. `undo`: the key that takes it back; `inside`: the package that it is asked of.
    """
    others_leave = f"{'' if inside is None else f'{inside} and '}the other filters leave none of"
    asked = visible(asked_text(now, facet))
    if not now.rows:
        back = f"{undo} takes it back"
        why = visible(_why_nothing(now, facet, others_leave))
        return [joined(texts) for texts in ((f"{asked}: nothing left", why, back), ("nothing left", why, back))]
    more = now.specs - before.specs
    changed = f"{abs(more):,} {'more' if more > 0 else 'fewer'}" if more else "as many as before"
    values = {each.value: each for each in now.facet(facet)}
    others = [each for each in before.facet(facet) if each.ticked]
    here = values.get(value)
    why = ""
    if here is not None and here.ticked and others:
        changed = changed if more else "none more"
        why = "" if more else _why_none_more(now, facet, here, others, others_leave)
    if here is not None and here.ticked and here.hidden:
        why = _hidden_text(here, _excluded(now, facet, here))
    said = f"{asked}: {plural(now.specs, 'spec')}, {changed}"
    return [joined((said, visible(why))), said, f"{plural(now.specs, 'spec')}, {changed}"]


def asked_text(results: Results, facet: str) -> str:
    """What a query asks of a facet, in words: `stack e4s or hep, root left out`; `any stack`."""
    query = results.query
    if facet == COMPLETE:
        wanted = _named([each.value for each in results.facet(facet) if each.ticked], "or")
        return f"{facet} {wanted}" if wanted else f"{facet} or not"
    parts = query.facet_parts(facet)
    wanted = " and ".join(_named(_words(part), "or") for part in parts if not part.is_exclusion)
    unwanted = [word for part in parts if part.is_exclusion for word in _words(part)]
    left_out = f"{_named(unwanted, 'and')} left out" if unwanted else ""
    if not wanted:
        return f"{facet} {left_out}" if left_out else f"any {facet}"
    return ", ".join(filter(None, (f"{facet} {wanted}", left_out)))


def _words(part: FacetPart) -> list[str]:
    if isinstance(part, ValuePart):
        return [str(word) or "(none)" for word in part.words]
    return [word for word, _ in part.named_values()]


def _named(words: Sequence[str], last: str) -> str:
    """`a, b or c`; of many the first few and how many more there are."""
    words = words if len(words) <= NAMED else [*words[: NAMED - 1], f"{len(words) - NAMED + 1} more"]
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _excluded(results: Results, facet: str, value: FacetValue) -> list[str]:
    """The other values of a facet that are left out."""
    return [each.value for each in results.facet(facet) if each.excluded and each.value != value.value]


def _all(specs: int) -> str:
    return "the one" if specs == 1 else "both" if specs == 2 else f"all {specs:,}"


def _hidden_text(value: FacetValue, others: Sequence[str]) -> str:
    """How many of a value are in others too, which are left out."""
    some = _all(value.specs) if value.hidden == value.specs else f"{value.hidden:,} of the {value.specs:,}"
    are, which = "is" if value.hidden == 1 else "are", "is" if len(others) == 1 else "are"
    return f"{some} of {value.value} {are} in {_named(others, 'or')} too, which {which} left out"


def _why_nothing(now: Results, facet: str, others_leave: str) -> str:
    """Why what is ticked in a facet leaves nothing, as far as that facet tells."""
    ticked = [each for each in now.facet(facet) if each.ticked]
    if ticked and not any(each.specs for each in ticked):
        return f"{others_leave} {_named([each.value for each in ticked], 'or')}"
    hidden = [each for each in ticked if each.specs]
    if len(hidden) == 1 and hidden[0].hidden == hidden[0].specs:
        return _hidden_text(hidden[0], _excluded(now, facet, hidden[0]))
    return ""


def _why_none_more(now: Results, facet: str, value: FacetValue, others: Sequence[FacetValue], others_leave: str) -> str:
    """Why a value that was ticked beside others brings no spec."""
    if not value.specs:
        return f"{others_leave} {value.value}"
    if facet == COMPLETE:
        return ""
    is_alternative = sum(not part.is_exclusion for part in now.query.facet_parts(facet)) == 1
    if not VALUE_KEYS[facet].many or not is_alternative or value.hidden:
        return ""
    are = "is" if value.specs == 1 else "are"
    return f"{_all(value.specs)} of {value.value} {are} in {_named([each.value for each in others], 'or')} too"
