"""The last line of the screens: which keys are useful now, the most wanted first. Cells alone, no widget.

The keys are those in force: the config file may have others than the screens have by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from cachetui.safe_text import visible
from cachetui.tui.rows.layout import Cell, measure
from cachetui.tui.state.view import View

KeyOf = Callable[[str, str], str]
"""The key in force for a binding, from its id and the key that it has by itself."""


class Hint(NamedTuple):
    id: str
    """Of the binding; of several with a blank between them, each with its key."""
    key: str
    """As people write it; the config file may have another one for the binding."""
    word: str

    def key_text(self, keys: Mapping[str, str]) -> str:
        """The key in force; `keys`: the keys of bindings that are not as they are by themselves."""
        ids = self.id.split()
        own = self.key.split() if len(ids) > 1 else [self.key]
        return " ".join(keys.get(name, key) for name, key in zip(ids, own, strict=True))

    def text(self, keys: Mapping[str, str]) -> str:
        """The key in force and the word."""
        return f"{self.key_text(keys)} {self.word}"


def hint_cells(hints: Iterable[Hint], keys: Mapping[str, str], *, gap: int = 2) -> list[Cell | str]:
    """Hints as they are shown, `gap` blanks apart: the keys stand out from the words."""
    cells: list[Cell | str] = []
    for hint in hints:
        if cells:
            cells.append(" " * gap)
        cells += [hint.key_text(keys), Cell(f" {hint.word}", "dim")]
    return cells


EARLIER = Hint("prompt.earlier prompt.later", "Up Down", "earlier lines")

KEEPS = Hint("prompt.done", "Enter", "keeps it")

WANTS_WHOLE = KEEPS._replace(word="wants it whole")
"""The same of what ends in the beginning of several values."""

TYPING = {
    "query-line": (
        KEEPS,
        EARLIER,
        Hint("prompt.leave", "Esc", "takes it back"),
    ),
    "facet-prompt": (
        Hint("prompt.earlier prompt.later", "Up Down", "another"),
        Hint("prompt.done", "Enter", "to the value"),
        Hint("prompt.leave", "Esc", "all values"),
    ),
}
"""For each prompt what its keys do."""

OLD_QUERY = (
    Hint("input.delete_left", "Ctrl+U", "empties the line"),
    KEEPS,
    Hint("prompt.leave", "Esc", "takes it back"),
)
"""What the keys do in a query line that holds a query of before."""

ENTER = Hint("table.choose", "Enter", "specs")
FILTER = Hint("browse.filter", "/", "filter")
HASH = Hint("browse.lookup", "#", "hash")
RUNS = Hint("browse.fits", "H", "runs here")
ALL = Hint("browse.fits", "H", "all hosts")
FACETS = Hint("browse.facets", "f", "facets")
COVERAGE = Hint("browse.coverage", "c", "coverage")
TAG = Hint("browse.tag", "t", "tag")
DIFF = Hint("browse.drift", "d", "diff")
TIMELINE = Hint("browse.timeline", "v", "timeline")
UNDO = Hint("browse.undo", "u", "undo")
REDO = Hint("browse.redo", "U", "redo")
CLEAR = Hint("browse.clear", "x", "clear")
WHY = Hint("browse.why", "w", "take out")
MEND = Hint("browse.why", "w", "mend")
MARK = Hint("browse.mark", "Space", "mark")
MARKED = Hint("browse.marks", "m", "marked")
COMPARE = Hint("browse.compare", "=", "compare")
PAIRS = Hint("browse.compare", "=", "compare pairs")
COPY = Hint("browse.copy", "y", "copy")
EXPORT = Hint("browse.export", "e", "export")
NEEDS = Hint("browse.needs", "n", "needs")
INSTALL = Hint("browse.install", "i", "install")
SORT = Hint("browse.sort", "s", "sort")
VIEWS = Hint("browse.views", "V", "views")
PACKAGES = Hint("browse.up", "Esc", "packages")
SPECS = Hint("browse.up", "Esc", "specs")

HELP = Hint("browse.help", "?", "help")
QUIT = Hint("browse.quit", "q", "quit")

LAST = (HELP, QUIT)
"""What is always said: the way to all else, and the way out."""

HIDE = Hint("browse.facets", "f", "hide")

DETAIL_HINTS = (Hint("rows.down", "Up Down", "scroll"), SPECS, FILTER, HASH)


def hints(
    view: View,
    pane: str | None,
    width: int,
    on_enter: str,
    keys: Mapping[str, str],
    in_facets: Sequence[Hint] = (),
    keeps: Hint = KEEPS,
) -> Sequence[Hint]:
    """As many hints for a pane as there is room for, and the last ones.

    `on_enter`: what Enter does with a spec; `keys`: the keys of bindings that are not as they are by themselves;
    `in_facets`: what is of use in the facets, where their cursor is; `keeps`: what the key does with a query that is
    typed that keeps it.
    """
    if pane in TYPING:
        shown: Sequence[Hint] = TYPING[pane]
        if pane == "query-line":
            shown = (keeps, *shown[1:])
        return fitting(shown[:-1], shown[-1:], width, keys)
    wanted = _wanted(view, pane, on_enter, in_facets)
    last = (HELP,) if pane == "specs" and (view.marks or view.query.fits) else LAST
    if pane == "facets" and view.inside is not None:
        last = (SPECS, *last)
    elif pane == "facets" or (pane == "specs" and view.way_back is None):
        last = (PACKAGES, *last)
    shown = fitting(wanted, last, width, keys)
    has_room = len("  ".join(hint.text(keys) for hint in (*shown, QUIT))) <= width
    return (*shown, QUIT) if has_room and QUIT not in shown else shown


def old_query_hints(mended: Sequence[str], width: int, keys: Mapping[str, str], keeps: Hint = KEEPS) -> Sequence[Hint]:
    """What the keys do in a query line that holds a query of before; `mended`: what Tab puts in for its wrong end."""
    empties, _, leaves = OLD_QUERY
    last = (keeps, leaves)
    if not mended:
        return (empties, *last)
    return fitting((Hint("prompt.complete", "Tab", mended[0]), empties), last, width, keys)


def puts_in(texts: Sequence[str]) -> str:
    """What a key does that puts these in place of what is typed; empty for none."""
    words = [", ".join(texts[:-1]), *texts[-1:]]
    return visible(f"puts in {' and '.join(filter(None, words))}") if texts else ""


def puts_words_in(words: int) -> str:
    """The same of so many words that are named elsewhere, or have no room; empty for none."""
    return f"puts the right word{'s' * (words > 1)} in" if words else ""


def keeps_hint(put_in: Sequence[str], room: int, keys: Mapping[str, str]) -> Hint:
    """What the key does that keeps what is typed, in so much room; `put_in`: what is put in place of that."""
    if not put_in:
        return KEEPS
    hint = KEEPS._replace(word=puts_in(put_in))
    return hint if measure(hint.text(keys)) <= room else KEEPS._replace(word=puts_words_in(len(put_in)))


def fitting(wanted: Sequence[Hint], last: Sequence[Hint], width: int, keys: Mapping[str, str]) -> Sequence[Hint]:
    """The last hints, and before them as many of the others as there is room for, but at least one."""
    number = len(wanted)
    while number > 1 and len("  ".join(hint.text(keys) for hint in (*wanted[:number], *last))) > width:
        number -= 1
    return (*wanted[:number], *last)


def _runs(view: View) -> Hint:
    """On which host what is left would run: by its name alone, which leaves room for it in a narrow terminal."""
    return RUNS if view.host == view.assumed_host else RUNS._replace(word=visible(view.host.name))


def _wanted(view: View, pane: str | None, on_enter: str, in_facets: Sequence[Hint]) -> Sequence[Hint]:
    """What is useful in a pane: it depends on what is filtered, found and marked."""
    steps = ((UNDO,) if view.history.can_go_back else ()) + ((REDO,) if view.history.can_go_forth else ())
    if pane == "facets":
        return (*in_facets, *steps, *((CLEAR,) if view.is_filtered else ()), HIDE)
    if pane in ("detail", "needs"):
        return DETAIL_HINTS
    all_hosts, host = ((ALL,), ()) if view.query.fits else ((), (_runs(view),))
    filtered = (*steps, *all_hosts, CLEAR, WHY) if view.is_filtered else ()
    marked = MARKED._replace(word=f"{len(view.marks)} marked")
    compare = () if len(view.marks) < 2 else (COMPARE,) if len(view.marks) == 2 else (PAIRS,)
    marks = (marked, *compare, EXPORT) if view.marks else ()
    graph = (NEEDS, INSTALL) if view.records_needs else ()
    back = () if view.way_back is None else (PACKAGES._replace(word=view.way_back.word),)
    if pane == "specs" and view.shown:
        first = (Hint("table.choose", "Enter", on_enter), *back, *marks)
        mark = (COPY, MARK) if marks else (MARK, COPY)  # whoever has marked some knows how
        if view.query.fits:
            return (*first, *steps, *all_hosts, *mark, CLEAR, *graph, FILTER, HASH, FACETS, SORT)
        now, later = ((*steps, CLEAR), ()) if filtered else ((), steps)
        return (*first, *now, *mark, *graph, FILTER, *later, HASH, FACETS, *host, SORT)
    if not view.shown and filtered:
        from cachetui.explain.mending import words_to_mend  # late, as most queries have an answer

        why = MEND if words_to_mend(view.index, view.shown_in(view.lists.emptied)) else WHY
        return (why, *steps, CLEAR, *all_hosts, FILTER, TAG, HASH)
    if view.lists.emptied is not None:
        return (*steps, TAG, FILTER, HASH)
    first = (ENTER, *back)
    if filtered:
        taken = (marked, *compare, *steps, *all_hosts, CLEAR, EXPORT, FILTER, WHY) if marks else (FILTER, *filtered)
        return (*first, *taken, *host, FACETS, HASH, COVERAGE, TAG, DIFF, TIMELINE, VIEWS)
    ways = (COVERAGE, FACETS, *marks[1:], *host) if marks else (*host, FACETS, COVERAGE)
    return (*first, FILTER, HASH, *steps, *marks[:1], *ways, TAG, DIFF, TIMELINE, VIEWS, SORT, *graph)
