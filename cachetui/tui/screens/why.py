"""Why a query takes nothing, or so little: each part with the count without it, and the nearest builds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import chain, repeat
from itertools import count as count_from
from textwrap import wrap
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from cachetui.explain.fuzzy_name import meant
from cachetui.explain.host_meant import HostMeant, host_meant
from cachetui.explain.mending import MendedQuery, mended_queries
from cachetui.explain.unknown_values import UnknownValue, unknown_values
from cachetui.explain.why import ExplainedPart, Explanation, counts_without, why_nothing
from cachetui.query.parts.part import Part
from cachetui.query.query import Query
from cachetui.report.detail import Field
from cachetui.report.find import spec_name
from cachetui.safe_text import plural, visible
from cachetui.search.results import Results
from cachetui.suggest.no_match import host_fit
from cachetui.tui.rows.layout import Cell, Column, FixedRows, Line
from cachetui.tui.rows.specs import spec_key
from cachetui.tui.screens.hints import Hint
from cachetui.tui.screens.list_screens import BACK, SheetScreen, list_help
from cachetui.tui.state.view import View
from cachetui.tui.widgets.table import Table

MOST = 9
"""Most parts that have a key to take them out."""

NARROWEST = 62
"""Letters of a line beside the counts in a terminal of 80 columns; what is longer goes on below it."""

CHOOSE = Hint("table.choose", "Enter", "")

MOVE = Hint("rows.up rows.down", "Up Down", "to a line to choose")
"""Where the cursor is on a heading or on a line that only says something."""


def short_lines(view: View) -> tuple[list[str], list[Field]]:
    """Why the query of a view takes nothing: what nothing in the catalogue has, as lines that stand where a list would,
    and how many specs there would be without each part, to stand where a spec would.

    What a misspelt name was taken for stands before them. Where only a value is unknown that was to be left out, the
    part that is the cause stands first. Behind them what runs on the host whose os and target are asked for.
    """
    inside = view.lists.emptied
    query = view.shown_in(inside)
    without = counts_without(view.index, query)
    helpful = _helpful(view, without, 0)
    others = [part.specs for part in helpful if part.part not in view.query.parts]
    helpful = [part for part in helpful if part.part in view.query.parts]
    parts = [_without(view, part, part.part.text) for part in helpful]
    if inside is not None:
        parts += [(specs, "in other packages") for specs in others]
    counts = [Field(f"{specs:,}", (visible(said),)) for specs, said in parts if specs]
    found = host_fit(view.index, query) if counts else None
    if found is not None and found.left_out:
        most = found.left_out[0]
        counts.append(Field("host", (visible(f"{most.specs:,} left out: {most.reason}"),)))
    unknown = unknown_values(view.index, query)
    causes = []
    if counts:
        if unknown and unknown[0].takes_nothing_away:
            # of several the one that is given up most easily: the package is what is wanted
            cause = min((part for part in helpful if part.specs), key=lambda part: part.part.reluctance)
            specs, said = _without(view, cause, cause.part.text)
            causes = [visible(f"{plural(specs, 'spec')} {said}")]
        counts.insert(0, Field("specs", ("there would be",)))
    host = host_meant(view.index, query)
    hosts = [] if host is None else [visible(host.counted)]
    named = "" if query.package is None else visible(meant(Results.of(view.index, query.only_key(query.package.key))))
    return [*causes, *filter(None, [named]), *(visible(value.phrase) for value in unknown), *hosts], counts


def _without(view: View, part: ExplainedPart, said: str) -> tuple[int, str]:
    """How many specs there are without a part, and what is said of that; where it goes back to a tag, in that tag."""
    if part.part.key == "tag" and view.plain_tag is not None:
        return part.specs, f"in all tags, not in {view.tag_label} alone"
    query = view.query_without(part.part)
    if query == view.query.without(part.part):
        return part.specs, f"without {said}"
    return view.index.counter(query)(view.index.rows(query)), f"without {said}, in {query.tag} again"


def _helpful(view: View, without: Sequence[ExplainedPart], count: int) -> list[ExplainedPart]:
    """The parts that can be taken out; last the tag that the header alone names, and that only where there is more
    without it, or nothing else."""
    if view.plain_tag is None:
        return list(without[:MOST])
    typed = [each for each in without if each.part.key != "tag"]
    tag = [each for each in without if each.part.key == "tag" and (each.specs > count or not typed)]
    return [*typed[: MOST - len(tag)], *tag]


class WhyScreen(SheetScreen):
    """Ends with the part that is to be taken out of the query, the query with a typing error mended or with the host
    that was meant, the key of a build to go to, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(str(number), f"take_out({number})", "Take out", id=f"why.{number}", tooltip="Take this part out")
        for number in range(1, MOST + 1)
    ]

    KEYS = list_help(
        "Why",
        "how many specs there would be without each part of the query",
        (f"1-{MOST}", "take that part out, or put the right word in; u in the browser takes that back"),
        enter="take the part out, or go to the build",
    )

    def __init__(self, view: View) -> None:
        query = view.shown_in(view.lists.emptied or view.inside)
        explanation = why_nothing(view.index, query)
        table = Table([Column("", 2), Column("", 9, right=True), Column("", 20, share=1, words=True)], header=False)
        count = len(view.index.rows(query))
        lines, keys = _lines(view, query, explanation, count)
        self._choices = [key for key in keys if isinstance(key, Part | Query)][:MOST]
        table.show(FixedRows(lines, keys), key=next(iter(self._choices), None))
        title = f"Why only {plural(count, 'spec')}?" if count else "Why nothing?"
        super().__init__(title, table, (BACK,))
        self._table = table
        self._asks_host = {key for key in keys if isinstance(key, Query) and key.fits and not query.fits}
        """The choice that puts a host in, where there is one."""
        self._goes_to_all_tags = view.plain_tag is not None
        """Whether all tags are looked at without the part that names one."""
        self._show_keys()

    @on(Table.Moved)
    def follow_cursor(self) -> None:
        self._show_keys()
        self.hint("")

    def _show_keys(self) -> None:
        """Has the last line say what Enter does on the line under the cursor, and which numbers do so elsewhere."""
        key = self._table.cursor_key
        word = self._word(key)
        enter = CHOOSE._replace(word=word) if word else MOVE
        numbers = f"1-{len(self._choices)}" if len(self._choices) > 1 else "1"
        is_only_one = self._choices in ([], [key])
        others = () if is_only_one else (Hint("why.1", numbers, "by number"),)
        self._key_hints = (enter, *others, BACK)

    def _word(self, key: object) -> str:
        """What Enter does with a line; empty for one with nothing to choose."""
        if isinstance(key, Part):
            return "look at all tags" if key.key == "tag" and self._goes_to_all_tags else "take it out"
        if isinstance(key, Query):
            if key in self._asks_host:
                return "ask what runs there"
            return "put the right word in"
        return "go to this build" if isinstance(key, tuple) else ""

    def action_take_out(self, number: int) -> None:
        if number <= len(self._choices):
            self.dismiss(self._choices[number - 1])

    def choose(self, event: Table.Chosen) -> None:
        if not isinstance(event.key, str):
            self.dismiss(event.key)


class _Lines:
    """Lines and their keys, each choice with its number."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.keys: list[object] = []
        self._numbers = count_from(1)

    def add(self, line: Line, key: object = None) -> None:
        self.lines.append(line)
        self.keys.append(f"line {len(self.lines)}" if key is None else key)

    def add_title(self, title: str) -> None:
        """Adds a title, below what stands there a line apart."""
        if self.lines:
            self.add(Line(("",)))
        self.add(Line((Cell(visible(title), "title"),)))

    def add_unknown(self, values: Sequence[UnknownValue]) -> None:
        for value in values:
            signs = chain(["!"], repeat(""))
            for sign, said in zip(signs, wrap(visible(value.phrase), NARROWEST), strict=False):
                self.add(Line((Cell(sign, "warn"), "", Cell(said, "warn"))))

    def add_choices(self, choices: Sequence[tuple[Part | Query, int, str]]) -> None:
        for choice, specs, said in choices:
            number = next(self._numbers)
            self.add(Line((Cell(str(number) if number <= MOST else "", "key"), f"{specs:,}", visible(said))), choice)


def _lines(view: View, query: Query, explanation: Explanation, count: int) -> tuple[list[Line], list[object]]:
    """The lines and their keys, first what runs on the host that is meant, then the query mended where there is a
    typing error; last where that gives no specs.

    Behind them the nearest builds, and each reason for which the host leaves specs out.

    `query`: that of the view, in the package that the user stays in where nothing of it is left.
    `count`: so many specs it takes, so a part without more holds none back.
    """
    shown = _Lines()
    inside = [part for part in query.parts if part not in view.query.parts]
    found = mended_queries(view.index, query, explanation.unknown)
    choices: list[HostMeant | MendedQuery] = [*([] if explanation.host is None else [explanation.host]), *found]
    outside = [part for part in view.query.parts if part not in query.parts]  # a name that the package was found by
    mendings = [
        (reduce(Query.with_part, outside, reduce(Query.without, inside, each.query)), each.specs, each.phrase)
        for each in choices
    ]
    helpful, needless = [each for each in mendings if each[1]], [each for each in mendings if not each[1]]
    no_causes = [value for value in explanation.unknown if value.takes_nothing_away and not count]
    shown.add_unknown([value for value in explanation.unknown if value not in no_causes])
    shown.add_choices(helpful)
    fits = view.query.fits
    parts: list[tuple[Part | Query, int, str]] = [
        (part.part, *_without(view, part, part.phrase if part.specs > count and part.part != fits else part.part.text))
        for part in _helpful(view, explanation.without, count)
        if part.part not in inside
    ]
    if parts:
        shown.add_title("Take one out: how many there would be without it")
        shown.add_choices(parts)
    if needless:
        shown.add_title("How many there would be with the right word left out")
    shown.add_unknown(no_causes)
    shown.add_choices(needless)
    _add_nearest(shown, view, explanation)
    fit = host_fit(view.index, query)
    if fits is not None and fit is not None and fit.left_out:
        shown.add_title(f"What {fits.text} leaves out, and why")
        for reason in fit.left_out:
            shown.add(Line(("", f"{reason.specs:,}", visible(reason.reason))))
    return shown.lines, shown.keys


def _add_nearest(shown: _Lines, view: View, explanation: Explanation) -> None:
    """Adds the builds that come nearest to what is wanted."""
    # of a variant that nothing has each build says the same
    lacking = {value.part for value in explanation.unknown if value.kind == "variant" and not value.tags}
    nearest = [build for build in explanation.nearest if {each.part for each in build.differences} - lacking]
    if nearest:
        shown.add_title("The nearest builds, and what they have instead")
    for build in nearest:
        spec = view.index.spec(build.row)
        said = ", ".join(difference.phrase for difference in build.differences)
        text = f"{spec_name(spec)}  {said}  ({spec.tag})"
        shown.add(Line(("", visible((spec.hash or "")[:7]), visible(text))), spec_key(view.index, build.row))
