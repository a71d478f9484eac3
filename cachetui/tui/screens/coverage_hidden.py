"""What a coverage does not show of a name that is sought in it: what hides such a column or row, and the way to it."""

from __future__ import annotations

from functools import reduce

from cachetui.analysis.coverage import line_names
from cachetui.query.query import Query
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.search.names import matches
from cachetui.tui.screens.hints import KeyOf
from cachetui.tui.state.coverage_view import CoverageView


def why_hidden(word: str, index: Index, view: CoverageView, query: Query, key_of: KeyOf) -> str:
    """What hides the columns and rows like a word, and the key that brings one; empty where nothing does."""
    base = view.base(query)
    is_partial = view.compared or view.only_gaps
    if is_partial and (kind := _kind_there(word, index, view, base)):
        return f"no {kind} like {word} here: {_way_out(view, key_of)}"
    wider = ((text, reduce(Query.without, base.parts_spelled(text), base)) for text in base.texts)
    found = {text: kind for text, without in wider if (kind := _kind_there(word, index, view, without))}
    tags = {part.text for part in base.parts_of("tag")}
    for text in sorted(found, key=lambda text: (text in tags, found[text] != "column")):
        way = (
            f"{key_of('browse.tag', 't')} chooses another"
            if text in tags
            else f"{key_of('browse.why', 'w')} takes it out"
        )
        return f"no {found[text]} like {word} here: hidden by {visible(text)}; in the lists {way}"
    if kind := _kind_there(word, index, view, base.only_key("tag")):
        clear = key_of("browse.clear", "x")
        return f"no {kind} like {word} here: hidden by the filters; in the lists {clear} clears all"
    return ""


def _kind_there(word: str, index: Index, view: CoverageView, query: Query) -> str:
    """Whether all that a query takes has a column or a row like a word; empty for neither."""
    kinds = (("column", view.column_axis), ("row", view.row_axis))
    there = (
        kind for kind, axis in kinds if matches(word, line_names(index, query, axis, are_columns=kind == "column"))
    )
    return next(there, "")


def _way_out(view: CoverageView, key_of: KeyOf) -> str:
    """What shows the columns and rows that are left out of how the coverage is looked at."""
    if view.compared:
        return f"{key_of('coverage.compare', '=')} shows all columns and rows"
    return f"{key_of('coverage.gaps', 'o')} shows the rows without a gap too"
