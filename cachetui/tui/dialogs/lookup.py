"""The hash lookup: a dialog that searches all tags while the user types."""

import re
from collections.abc import Collection, Hashable, Sequence
from functools import cached_property
from io import BytesIO

from cachetui.analysis.which import LookupAnswer, look_up, package_query
from cachetui.model.budget import OverBudgetError
from cachetui.model.spec import HASH, normal_compiler
from cachetui.query.terms import NameTerm
from cachetui.report.specs import spec_name
from cachetui.safe_text import plural, visible
from cachetui.search.hash_extraction import HashQuery, asked_by, asked_while_typed
from cachetui.search.hashes import HashMatch, lookup
from cachetui.search.index import Index
from cachetui.search.log_hashes import asked_in_log
from cachetui.search.names import NameMatch, matched_spans
from cachetui.tui.dialogs.list_dialog import ListDialog
from cachetui.tui.frame import Answer, AnyScreen, ScreenAsked
from cachetui.tui.lines import BAD, GOOD, Cell, Column, FixedRows, KeyedRows, Line
from cachetui.tui.view.rows import IndexViews, spec_key
from cachetui.tui.view.view import View

COLUMNS = (
    Column("hash", 32),
    Column("match", 7),
    Column("spec", 15, 36, weight=8, middle=True),
    Column("compiler", 11, weight=1, rank=2, middle=True),
    Column("os", 11, rank=4, middle=True),
    Column("target", 11, rank=3, middle=True),
    Column("tags", 12, weight=2, rank=1),
)

LOG_COLUMNS = (
    Column("line", 6, right=True),
    Column("hash", 32),
    Column("spec", 15, 36, weight=8, middle=True),
    Column("tags", 12, weight=2, rank=1),
)
"""The columns for the hashes in a pasted log."""

MIN_NAME_CHARACTERS = 2
"""Minimum number of typed characters for a search in package names."""

MAX_HASHES, MAX_NAMES = 200, 20


class LookupRows(KeyedRows, frozen=True, dict=True):
    """The rows of the lookup: hashes, then packages. If a hash is in several tags, it has only one row."""

    index: Index
    hashes: Sequence[HashMatch]
    names: Sequence[NameMatch]
    name: str
    """The typed text that was compared with the package names."""

    @cached_property
    def keys(self) -> Sequence[Hashable]:
        packages = self.index.packages
        return [*(each.hash for each in self.hashes), *(("package", packages[each.number]) for each in self.names)]

    def make_line(self, k: int) -> Line:
        if k >= len(self.hashes):
            match = self.names[k - len(self.hashes)]
            name = self.index.packages[match.number]
            spans = matched_spans(self.name, name) if visible(name) == name else []
            spec = Cell(visible(name), "", [(start, end, "match") for start, end in spans])
            return Line(("", "package" if match.is_written else "similar", spec, "", "", "", ""))
        found = self.hashes[k]
        how = plural(found.errors, "typo") if found.errors else found.kind
        of = self.index.spec(self.index.hash_rows(found.number)[0])
        compiler = normal_compiler(of.compiler) if of.compiler else None
        texts = (spec_name(of), compiler, of.os, of.target, ", ".join(of.tags))
        hash = Cell(visible(found.hash), "", [(start, end, "match") for start, end in found.spans])
        return Line((hash, how, *(visible(text or "-") for text in texts)))


def found_by(views: IndexViews, text: str) -> LookupRows:
    """Search for hashes and packages. For `PACKAGE/HASH`, prefer hashes of this package."""
    asked = asked_while_typed(text)
    hashes = _hashes(views, asked)
    if not hashes and (whole := asked_by(text)).label:  # parse a complete text, such as name-ver-hash
        asked, hashes = whole, _hashes(views, whole)
    name = re.split("[@%+~]", asked.label, maxsplit=1)[0] or asked.hash
    names = views.index.names_like[name][:MAX_NAMES] if len(name) >= MIN_NAME_CHARACTERS else ()
    return LookupRows(views.index, hashes, names, name)


def _hashes(views: IndexViews, asked: HashQuery) -> Sequence[HashMatch]:
    index, hashes = views.index, views.typed_hashes
    query = package_query(index, asked) if asked.label and not HASH.fullmatch(asked.hash) else None
    among: Collection[int] | None = None
    if query is not None:
        among = {index.columns.hash[row] for row in index.rows(query)}
    found = lookup(hashes, asked.hash, MAX_HASHES, among)
    if among is not None and all(match.errors for match in found):
        return lookup(hashes, asked.hash, MAX_HASHES)
    return found


def found_in_log(index: Index, log: str) -> FixedRows:
    """Return a row for each hash in a log: the line number, the hash, and the spec (or `missing`)."""
    asked = asked_in_log(BytesIO(log.encode()), frozenset(index.packages))
    lines: dict[Hashable, Line] = {}
    for each in look_up(index, asked, offer=False):
        found = each.matches[0].spec if each.matches else None
        spec = visible(spec_name(found)) if found else Cell("missing", "bad")
        tags = visible(", ".join(found.tags)) if found else ""
        cells = (f"{each.asked.line}", visible((found and found.hash) or each.asked.hash), spec, tags)
        lines[(found and found.hash) or each] = Line(cells, symbol=GOOD if found else BAD)
    return FixedRows(lines)


def opened(view: View, key: Hashable) -> View:
    """Return a view of a package or a hash. `key` is the key of the row in the lookup.

    If possible, keep the shown tag. If this tag lacks the package, show all tags. If this tag lacks the hash, show the
    newest tag with the hash.
    """
    index = view.index
    if isinstance(key, tuple):
        rows, tag = index.term_rows(NameTerm(key[1])), view.shown_tag
        return view.of_package(key[1], tag if tag and rows.intersect(index.value_rows("tag", tag)) else None)
    by_tag = {index.tag_of(row): row for row in index.hash_rows(index.columns.hashes.index(str(key)))}
    tag = view.shown_tag if view.shown_tag in by_tag else min(by_tag, key=index.tags.index)
    return view.of_spec(spec_key(index, by_tag[tag]))


class LookupDialog(ListDialog):
    """The dialog to look up a hash or a package by a part of its text, even if the text contains typing errors."""

    def __init__(self, below: AnyScreen) -> None:
        super().__init__(below, "Hash", COLUMNS, symbol="#", placeholder="a hash, part of a hash, or a pasted log")

    def rows(self, text: str) -> LookupRows | FixedRows:
        typed, log = self.line.pasted
        if text and text == typed.strip():
            self.table.use_columns(LOG_COLUMNS)
            try:
                found = found_in_log(self.view.index, log)
                there = sum(not isinstance(key, LookupAnswer) for key in found.keys)
                self.title_answer = f"found {there:,} of {plural(len(found), 'hash')}"
                return found
            except OverBudgetError as error:
                self.title_answer = str(error)
                return FixedRows({})
        self.table.use_columns(COLUMNS)
        rows = found_by(self.view.views, text)
        near = sum(match.errors > 0 for match in rows.hashes)
        more = "first " if len(rows.hashes) == MAX_HASHES else ""
        counted = f"{more}{plural(len(rows.hashes), 'hash')}" + (f", {near} with typing errors" if near else "")
        self.title_answer = counted if rows.hashes else ""
        return rows

    def nothing(self, text: str) -> Sequence[str]:
        return [f"No hash like {text} in any tag." if text else "Type a hash, or paste a log."]

    def rest(self) -> None:
        self.view.views.typed_hashes.search_ahead(asked_while_typed(self.line.text).hash)

    def answer(self, key: Hashable) -> Answer:
        if isinstance(key, LookupAnswer):
            return "the content does not have this hash"
        return ScreenAsked("browse", opened(self.view, key))
