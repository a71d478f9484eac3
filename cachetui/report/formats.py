"""The formats that documents are written in: one entry each in `FORMATS`.

A document shows what was found in three ways: as data for JSON, as records for CSV, as blocks (tables and lines) for
people. A format takes the one that suits it and gives text, piece by piece.
Input: documents of the other modules, whose text quotes pages: all that people read goes through `visible`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from cachetui.report.aligned import aligned, matrix
from cachetui.safe_text import json_visible, visible

TOGETHER = 100
"""Values of a JSON list that are written together."""


class Code(str):
    """A text to be pasted, such as a command or a spec; in Markdown it is a code span."""

    __slots__ = ()


class TableBlock(Struct, frozen=True):
    columns: Sequence[str]
    rows: Iterable[Sequence[str]]
    right: Sequence[int] = ()
    """The columns that hold figures, counted from 0."""
    headed: bool = True
    """Whether the names of the columns stand above aligned text; other formats always name them."""
    shrinking: Sequence[int] = ()
    """The columns that a terminal may cut short so that a line fits."""


class MatrixBlock(Struct, frozen=True):
    """A table of figures with many columns: the first holds names, the last row the totals."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    totals: Sequence[str]


class TitleBlock(Struct, frozen=True):
    """The title of the blocks that follow."""

    text: str
    query: str = ""
    """The query, if any."""


class FactsBlock(Struct, frozen=True):
    """A few named facts: each the name, then the text, in several pieces where some of it is `Code`."""

    facts: Sequence[tuple[str, ...]]


Block = TitleBlock | FactsBlock | TableBlock | MatrixBlock
"""A part of a document for people."""


Context = Mapping[str, str]
"""What an exported file is of, by name: content, tags, query, date, command."""


class Document(Protocol):
    """What was found, ready to be written in any format."""

    def document(self) -> object:
        """Return the value for JSON; an iterator is a list that is written value by value."""

    def records(self) -> TableBlock:
        """Return everything as rows, for CSV."""

    def blocks(self, width: int | None) -> Iterable[Block]:
        """Return what people read; `width` is that of the terminal, None for a file or a pipe."""


def cell_text(value: object, between: str = ",") -> str:
    """Return a value as the text of a cell: empty for None, the values of a tuple with commas between them."""
    match value:
        case str():
            return value
        case None:
            return ""
        case bool():
            return str(value).lower()
        case tuple():
            return between.join(value)
        case float():
            return f"{value:.0f}"
    return str(value)


class ListDocument(Struct, frozen=True):
    """A list of values with the same fields: a value or a row each."""

    items: Iterable[object]
    """Iterated once; JSON writes an iterator value by value."""
    fields: Sequence[str]
    """The columns of CSV, and of the table unless `shown` gives another one."""
    right: Sequence[int] = ()
    headed: bool = True
    shrinking: Sequence[int] = ()
    """See `TableBlock`."""
    cell: Callable[[object], str] = cell_text
    shown: Callable[[int | None], Iterable[Block]] | None = None
    as_json: Callable[[Any], object] | None = None
    """What JSON has of a value; None for all of it."""

    def document(self) -> object:
        return map(self.as_json, self.items) if self.as_json else self.items

    def records(self) -> TableBlock:
        rows = ([self.cell(getattr(item, field)) for field in self.fields] for item in self.items)
        return TableBlock(self.fields, rows, self.right, self.headed, self.shrinking)

    def blocks(self, width: int | None) -> Iterable[Block]:
        return self.shown(width) if self.shown else [self.records()]


class Format(Struct, frozen=True):
    name: str
    """What `--format` calls it."""
    ending: str
    """The ending of a file that the browser exports; empty where it does not offer the format."""
    use: str
    """What such a file is for; empty with the ending."""
    write: Callable[[Document, int | None], Iterable[str]]
    """Text, piece by piece, of a document for a terminal of this width (None: no terminal)."""
    head: Callable[[Document, Context], Document] = lambda document, context: document
    """The document with its context in it, for a file that is read long after; as it is where that has no place."""
    for_programs: bool = False
    """Whether it has every field and nothing else: what people read beside these, a command says in notes."""


def written(document: Document, form: str, width: int | None = None) -> Iterable[str]:
    """Return a document in a format, piece by piece."""
    return FORMATS[form].write(document, width)


def exported(document: Callable[[], Document], context: Context) -> dict[str, Callable[[], Iterable[str]]]:
    """Return for each ending of a file that can be exported what gives its text, with the context in it."""

    def writer(form: Format) -> Callable[[], Iterable[str]]:
        return lambda: form.write(form.head(document(), context), None)

    endings = sorted((form for form in FORMATS.values() if form.ending), key=lambda form: form.ending)
    return {form.ending: writer(form) for form in endings}


class _WithContext(Struct, frozen=True):
    """A document with its context: in JSON a key beside its own ones, or beside `found`; else lines above it."""

    found: Document
    context: Context

    def document(self) -> object:
        found = self.found.document()
        rest = msgspec.to_builtins(found) if isinstance(found, Struct) else {"found": found}
        lists = {key: list(value) if isinstance(value, Iterator) else value for key, value in rest.items()}
        return {"context": {name: str(value) for name, value in self.context.items()}, **lists}

    def records(self) -> TableBlock:
        return self.found.records()

    def blocks(self, width: int | None) -> Iterator[Block]:
        yield TitleBlock("Exported by cachetui")
        yield FactsBlock(list(self.context.items()))
        yield from self.found.blocks(width)


# JSON


def _json(document: Document, width: int | None) -> Iterable[str]:
    found = document.document()
    return json_list(found) if isinstance(found, Iterator) else [json_text(found)]


def json_list(values: Iterable[object]) -> Iterator[str]:
    """Yield the JSON document of a list, laid out as by `json_text`, some values at a time."""
    rest, before = iter(values), "[\n"
    while some := list(islice(rest, TOGETHER)):
        yield before + json_text(some).removeprefix("[\n").removesuffix("\n]\n")
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def json_text(value: object) -> str:
    """Return a JSON document, indented, with a newline at its end; characters that are not visible are escaped."""
    try:
        text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    except UnicodeEncodeError:  # the name of a file, with bytes that are not UTF-8
        import json

        text = json.dumps(msgspec.to_builtins(value), indent=2)
    return json_visible(text) + "\n"


# CSV


def _csv(document: Document, width: int | None) -> Iterable[str]:
    table = document.records()
    yield csv_line(table.columns)
    yield from map(csv_line, table.rows)


def csv_line(cells: Iterable[str]) -> str:
    """Return a line of CSV with its newline; as CSV has no escapes, cells are made `visible`."""
    out = io.StringIO()
    import csv

    csv.writer(out, lineterminator="\n").writerow(map(_csv_cell, cells))
    return out.getvalue()


def _csv_cell(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula; `+mpi` and `-rf`, values of specs, stay as they are."""
    return f"'{visible(text)}" if text.startswith(("=", "@", "\t", "\r")) else visible(text)


# Text in columns


def _text(document: Document, width: int | None) -> Iterable[str]:
    above: Block | None = None
    for block in document.blocks(width):
        if above is not None and not isinstance(above, TitleBlock):
            yield "\n"
        above = block
        match block:
            case TitleBlock(text, query):
                yield visible(", ".join(filter(None, (text, query)))) + "\n"
            case FactsBlock(facts):
                yield from (f"{visible(name)}: {visible(''.join(pieces))}\n" for name, *pieces in facts)
            case MatrixBlock():
                yield from matrix(block.columns, block.rows, block.totals, width)
            case TableBlock():
                header = block.columns if block.headed else None
                yield from aligned(header, block.rows, block.right, block.shrinking, width)


# Markdown

_OWN_SIGN = re.compile(r"[\\`*\[\]<>|&]|_(?:(?<![A-Za-z0-9]_)|(?![A-Za-z0-9]))|~(?:(?<=\S~)|(?![A-Za-z0-9]))")
"""A character with a meaning in Markdown; `_` within a word and `~` before one have none."""

_FENCES = re.compile("`+")


def _markdown(document: Document, width: int | None) -> Iterable[str]:
    between = ""
    for block in document.blocks(width):
        yield between
        between = "\n"
        match block:
            case TitleBlock(text, query):
                yield f"## {', '.join(map(markdown_word, filter(None, (text, Code(query)))))}\n"
            case FactsBlock(facts):
                yield from (
                    f"- {markdown_word(name)}: {''.join(map(markdown_word, pieces))}\n" for name, *pieces in facts
                )
            case MatrixBlock():
                yield from markdown_table(block.columns, [*block.rows, block.totals], range(1, len(block.columns)))
            case TableBlock():
                yield from markdown_table(block.columns, block.rows, block.right)


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> Iterator[str]:
    """Yield a Markdown table line by line; the columns with the numbers in `right` hold figures."""
    yield f"| {' | '.join(map(markdown_cell, header))} |\n"
    yield f"| {' | '.join('---:' if k in right else '---' for k in range(len(header)))} |\n"
    for row in rows:
        yield f"| {' | '.join(map(markdown_cell, row))} |\n"


def markdown_word(text: str) -> str:
    """Return a text that Markdown shows as it is, with escapes, or for `Code` as a code span."""
    if isinstance(text, Code):
        return _code_span(visible(text))
    return _OWN_SIGN.sub(r"\\\g<0>", visible(text))


def markdown_cell(text: str) -> str:
    """Return the same for a cell; code with a `|`, which ends a cell even in a code span, is escaped as other text."""
    return markdown_word(str(text) if "|" in text else text)


def _code_span(text: str) -> str:
    """Return a code span whose fences have more backticks than any run in the text."""
    if not text.strip(" "):
        return text
    fence = "`" * (1 + max(map(len, _FENCES.findall(text)), default=0))
    # Markdown drops one blank at each side, which lets the text begin or end with a backtick or a blank
    needs_room = text[0] in "` " or text[-1] in "` "
    return f"{fence} {text} {fence}" if needs_room else f"{fence}{text}{fence}"


FORMATS = {
    form.name: form
    for form in (
        Format("table", "", "", _text),
        Format("json", "json", "for programs", _json, _WithContext, for_programs=True),
        Format("csv", "csv", "for spreadsheets", _csv, for_programs=True),
        Format("markdown", "md", "Markdown, to be read", _markdown, _WithContext),
    )
}
"""All formats by name."""
