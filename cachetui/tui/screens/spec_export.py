"""Specs as they are written to a file: those that are marked, else all that a view shows.

Input: a view and the command that gives what it shows. Text of a page is made safe by the formats.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from pyroaring import BitMap

from cachetui.model.spec import UNTAGGED, Spec
from cachetui.query.query import Query
from cachetui.report.find import spec_list, specs_counted
from cachetui.report.formats import Context, exported
from cachetui.report.paste import command, environment, hash_word
from cachetui.safe_text import plural
from cachetui.search.results import Results
from cachetui.sources.buildcache.signatures import is_signed
from cachetui.tui.rows.differences import what_differs
from cachetui.tui.rows.listed_differences import NEWEST, OTHER, Wording, other_is_newest, said_of, said_with_tag
from cachetui.tui.rows.spec_columns import DIFFERS
from cachetui.tui.screens.export import Writer, context
from cachetui.tui.state.marked import marked_in_order
from cachetui.tui.state.view import View

MOST_NAMED = 50
"""So many hashes stand in a command; more of them it reads out of the file."""

FILE = "FILE"
"""Stands for the file in a command that is written into it."""


def spec_writers(view: View, package: str | None, content: str, made_by: str) -> Mapping[str, Writer]:
    """For each ending of a file how the specs are written; `made_by`: the command that gives all that is shown."""
    index, results = view.index, view.results
    marked = marked_in_order(view)
    within = () if package is None else view.lists.specs(package).rows

    def rows() -> Iterable[int]:
        return marked or (results.in_order() if package is None else within)

    def specs() -> Iterable[Spec]:
        return map(index.spec, rows())

    of = context(content, view.shown_in(package), made_by)
    if marked:
        taken = results.rows if package is None else frozenset(within)
        counted = specs_counted(results if package is None else Results.of(index, view.shown_in(package)))
        beside = sum(row not in taken for row in marked)
        of = _of_marked(view, package, content, made_by, _how_many(len(marked), beside, counted), list(specs()))
    mirrors, graph = os.environ.get("CACHETUI_MIRROR"), index.graph
    found = exported(lambda: spec_list(specs(), partial(_differing, view, rows)), of)
    return found | {"yaml": lambda: environment(specs(), mirrors, graph, is_signed)}


def _how_many(marked: int, beside: int, shown: str) -> str:
    """How many specs are marked, of how many that are `shown`."""
    if not beside:
        return f"{marked:,} marked of {shown}"
    those = f"{plural(beside, 'marked spec')} that the query does not take"
    return f"{marked - beside:,} marked of {shown}, and {those}" if beside < marked else those


def _of_marked(
    view: View, package: str | None, content: str, made_by: str, shows: str, marked: Sequence[Spec]
) -> Context:
    """What a file of marked specs is of, with the command that gives these alone."""
    asked, words = view.shown_in(package), [word for spec in marked if (word := hash_word(spec))]
    if not words:
        return context(content, asked, made_by, shows, "the command gives those too that are not marked")
    tags = dict.fromkeys(spec.tag for spec in marked)
    options = [] if UNTAGGED in tags else [f"--tag={tag}" for tag in tags]
    unnamed = len(marked) - len(words)
    notes = [f"{unnamed:,} without a whole hash, which no command gives"] if unnamed else []
    if len(words) <= MOST_NAMED:
        line = command("which", content, [*options, *words], Query())
    else:
        line = f"{command('which', content, [*options, '-'], Query())} < {FILE}"
        notes.append(f"{FILE} is this file: the command reads the hashes in it")
    return context(content, asked, line, shows, "; ".join(notes))


def _differing(view: View, rows: Callable[[], Iterable[int]]) -> tuple[str, Sequence[str]]:
    """What tells each of the rows apart from all that the list told it apart from, in the words of the list; its
    heading first. What all rows of a package have that are written is left out."""
    index, found, packages = view.index, list(rows()), dict[int, list[int]]()
    for row in found:
        packages.setdefault(index.package_of(row), []).append(row)
    differences = [
        (own, what_differs(index, view.scope.rows & index.package_rows(number) | BitMap(own)), Wording.of(index, own))
        for number, own in packages.items()
    ]
    texts = dict[int, str]()
    newest = other_is_newest(map(index.tag_of, found))
    by_tag = any(row in each.by_tag for own, each, _ in differences for row in own)
    for own, each, wording in differences:
        texts |= said_with_tag(each, own, wording, newest=newest) if by_tag else said_of(index, each, own, wording)
    heading = (NEWEST if newest else OTHER)[0] if by_tag else DIFFERS
    return heading, [texts.get(row, "") for row in found]
