"""The formats in which documents are written. `FORMATS` contains all formats.

A document has methods that return data for JSON, records for CSV, and blocks (tables and lines) for people. Some
documents also return test cases (passed or failed) or metrics. A format calls one of these methods and yields text.
Input: documents of the other modules, with text from the content. All text for people goes through `visible`, which
escapes control characters.
"""

import io
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Literal, Protocol, Self, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from cachetui.mappings import grouped
from cachetui.model.problem import UserError
from cachetui.report.aligned import aligned, matrix
from cachetui.safe_text import json_visible, listed, plural, visible

BLOCK_VALUES = 100
"""Number of values in each written block of a JSON list."""

MAX_OPEN_ROWS = 5
"""By default, a report folds a table if it has more than this number of rows."""

CASE_CHARACTERS = 1000
"""Maximum number of characters of a string in a test case. JSON and CSV contain the whole string."""


SPEC_COLUMNS = frozenset(("asked", "build", "new", "old", "spec", "variants"))
"""The columns of CSV that contain variants or specs."""

_FORMULA = re.compile(r"[\t\r\n]|\s*[=+@\uff1d\uff0b\uff20\uff0d\ufe62-\ufe66\ufe6b\u2212-][\s\S]")
"""The beginning of a cell that a spreadsheet reads as a formula. The signs may be wide or small Unicode forms."""

_OF_SPEC = re.compile(r"[+@-][^(|!]*")
"""A variant or a spec that begins with a sign and cannot call a function or a program."""

_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")

_NAME_COLUMNS = SPEC_COLUMNS | {
    *("content", "hash", "name", "package", "root", "row", "shortest", "stack", "stacks", "tag", "tags", "tree"),
    *("cause", "missing", "removable", "unused"),
    *("compiler", "os", "platform", "target", "version", "versions", "appeared", "vanished", "needed by"),
}
"""The table columns that contain names from pages or indexes. Markdown shows these names as code spans."""


class Code(str):
    """A string to paste, such as a command or a spec. Markdown shows it as a code span."""

    __slots__ = ()


BLOCKS = "▁▂▃▄▅▆▇█"


class Bars(str):
    """A string that shows numbers as bars, one character for each number. In HTML, low numbers have coloured bars."""

    __slots__ = ("low",)
    low: Sequence[bool]

    @classmethod
    def of(cls, figures: Sequence[int], largest: int, low: Sequence[bool]) -> "Bars":
        """Return bars for numbers from 0 to `largest`. The bar of 0 is a space. `low`: whether each number is low."""
        heights = (math.ceil(len(BLOCKS) * figure / max(largest, 1)) for figure in figures)
        bars = cls("".join(BLOCKS[height - 1] if height else " " for height in heights))
        bars.low = low
        return bars


class TableBlock(Struct, frozen=True):
    columns: Sequence[str]
    rows: Iterable[Sequence[str]]
    right: Sequence[int] = ()
    """The indices (from 0) of the columns that are aligned on the right, because they contain numbers."""
    headed: bool = True
    """Whether aligned text has headings in a pipe. On a terminal and in other formats, a table always has headings."""
    shrinking: Sequence[int] = ()
    """The indices of the columns that may be cut so that a line fits into the terminal."""
    totals: Sequence[Sequence[str]] = ()
    """The last rows of CSV, with totals. `--limit` does not apply to these rows."""
    fold: str = ""
    """The word for a row, such as `root`, in the summary of a folded table; empty for a table that is never folded."""
    unfolded: int = MAX_OPEN_ROWS
    """A report folds the table if it has more than this number of rows."""


class MatrixBlock(TableBlock, frozen=True):
    """A table with many columns of numbers. The first column contains names. `totals` has one row, with the sums."""


class TitleBlock(Struct, frozen=True):
    """The title of the blocks that follow."""

    text: str
    query: str = ""
    """The query; may be empty."""
    reload_seconds: int = 0
    """If not 0, the page is for a wall display: dark, and reloaded after this number of seconds."""


class FactsBlock(Struct, frozen=True):
    """Named facts. Each fact is a name, followed by one or more texts, which may be `Code`."""

    facts: Sequence[tuple[str, ...]]


class ReportBlock(Struct, frozen=True):
    """Blocks that only Markdown and HTML show. On a terminal, the notes and the command line have the same facts."""

    blocks: Sequence[TitleBlock | FactsBlock | TableBlock]


Block = TitleBlock | FactsBlock | TableBlock | ReportBlock
"""A part of a document for people."""


CaseKey = tuple[str, ...]
"""The identity of an error, which is the same in every run. It contains no counts."""


class Case(Struct, frozen=True, kw_only=True):
    """A test case for CI: an error of a checked item, or a checked item without errors."""

    command: str
    name: str
    """The name of the checked item, which is the same in every run."""
    key: CaseKey = ()
    """The identity of the error; empty if the item passes."""
    reason: str | None = None
    """The code of the reason for the error; None if the item passes."""
    message: str = ""
    """The text of the reason for the error."""
    is_known: bool = False
    """Whether the error is in the baseline. A known error does not make the command fail."""
    severity: Literal["info", "major", "blocker"] = "major"
    """The severity. `info`: something was added. `blocker`: the command itself failed."""
    path: str = ""
    """The file with the error; may be empty."""
    line: int | None = None


ErrorState = Literal["new", "known", "fixed"]


def numbered(keys: Iterable[CaseKey]) -> Iterator[CaseKey]:
    """Yield the keys, and make them distinct. A repeated key gets a number at its end: 2, 3, and so on."""
    seen: Counter[CaseKey] = Counter()
    for key in keys:
        seen[key] += 1
        yield key if seen[key] == 1 else (*key, str(seen[key]))


class ErrorRecord(Struct, frozen=True):
    """An error that exists now or in the baseline."""

    key: CaseKey
    message: str
    state: ErrorState
    """Whether the error is new, known or fixed since the baseline. Without a baseline, every error is new."""


AnyStruct = TypeVar("AnyStruct", bound=Struct)


class Judged(Struct, frozen=True, kw_only=True):
    """A report that can be compared with a baseline. Its document has `cases` and `errors`."""

    before: Mapping[CaseKey, str] | None = None
    """The messages of the errors in the baseline, by key; None if the user omits the option."""
    path: str = ""
    """The path to use for test cases without a path."""

    def cases(self: Any) -> Iterator[Case]:
        yield from self.marked(self.document().cases())

    def marked(self, cases: Iterable[Case]) -> Iterator[Case]:
        """Yield each test case once. If the baseline has the same error, mark the test case as known."""
        seen = set()
        for case in cases:
            if case.key not in seen or not case.key:
                seen.add(case.key)
                yield replace(case, is_known=case.key in (self.before or ()), path=case.path or self.path)

    def judged(self, document: AnyStruct) -> AnyStruct:
        """Return a copy of the document in which `errors` is an iterator over its errors."""
        return replace(document, errors=self.errors(document.cases()))  # type: ignore[attr-defined]  # each document has `errors`

    def errors(self, cases: Iterable[Case] | None = None) -> Iterator[ErrorRecord]:
        """Yield the errors in `cases`, then the errors that only the baseline has. By default, use all test cases."""
        fixed = dict(self.before or {})
        for case in self.cases() if cases is None else self.marked(cases):
            if case.key:
                fixed.pop(case.key, None)
                yield ErrorRecord(case.key, case.message, "known" if case.is_known else "new")
        yield from (ErrorRecord(*each, "fixed") for each in fixed.items())


class _Failure(Struct, frozen=True):
    """The document of a failed command: the reason for the failure."""

    message: str

    def document(self) -> object:
        return {"error": {"status": 2, "message": self.message}}

    def cases(self) -> Iterator[Case]:
        key = ("cachetui", "error")
        yield Case(
            command=key[0],
            name=key[0],
            key=key,
            reason=key[1],
            message=self.message,
            severity="blocker",
            path=key[0],
        )

    def figures(self) -> Iterator["Figures"]:
        yield "error", "Whether the command failed.", [({}, 1)]


Figures = tuple[str, str, Sequence[tuple[Mapping[str, str], Any]]]
"""A metric of Prometheus: the name without `cachetui_`, the help text, and pairs of labels and value."""


class Document(Protocol):
    """The result of a command, which can be written in any format."""

    def document(self) -> object:
        """Return the value for JSON. An iterator is written as a list, value by value."""

    def records(self) -> TableBlock:
        """Return all data as rows, for CSV."""

    def blocks(self, width: int | None) -> Iterable[Block]:
        """Return the blocks for people. `width`: the width of the terminal; None if the output is a file or a pipe."""


def cell_text(value: object, between: str = ",") -> str:
    """Return a value as text for a table cell; empty for None. `between`: the separator for the values of a tuple."""
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


class OwnDocument(Struct, frozen=True):
    """A JSON document that is also its own report."""

    def document(self) -> Self:
        return self


class ListDocument(Struct, frozen=True):
    """A list of values with the same fields. Each value becomes one JSON value and one table row."""

    items: Iterable[object]
    """The values, which are iterated only once. An iterator is written to JSON value by value."""
    fields: Sequence[str]
    """The columns of CSV, and of the table if `shown` is None."""
    right: Sequence[int] = ()
    headed: bool = True
    shrinking: Sequence[int] = ()
    """The columns that may be cut, see `TableBlock`."""
    cell: Callable[[object], str] = cell_text
    shown: Callable[[int | None], Iterable[Block]] | None = None
    as_json: Callable[[Any], object] | None = None
    """A function that returns the JSON form of a value. If None, JSON contains the value itself."""

    def document(self) -> object:
        return map(self.as_json, self.items) if self.as_json else self.items

    def records(self) -> TableBlock:
        rows = ([self.cell(getattr(item, field)) for field in self.fields] for item in self.items)
        return TableBlock(self.fields, rows, self.right, self.headed, self.shrinking)

    def blocks(self, width: int | None) -> Iterable[Block]:
        return self.shown(width) if self.shown else [self.records()]


class Format(Struct, frozen=True):
    name: str
    """The name of the format in `--format`."""
    ending: str
    """The extension of exported files; empty if the browser does not export the format."""
    use: str
    """The purpose of exported files, as shown to users; empty if `ending` is empty."""
    write: Callable[[Any, int | None], Iterable[str]]
    """A function that yields the text of a document. The second argument is the terminal's width; None for a file."""
    for_programs: bool = False
    """Whether the format contains all fields and nothing else. Other information is then printed as notes."""
    needs: Literal["", "cases", "figures"] = ""
    """The method that a document must have for this format; empty if every document can be written."""


def format_names(*needs: str) -> tuple[str, ...]:
    """Return the names of the formats in which a document can be written.

    `needs`: the optional methods of the document, such as `cases`. Some formats call such a method.
    """
    return tuple(form.name for form in FORMATS.values() if not form.needs or form.needs in needs)


def written(
    document: Document,
    form: str,
    width: int | None = None,
    limit: int | None = None,
    cut: Callable[[str], object] = str,
) -> Iterable[str]:
    """Return the text of a document, piece by piece; raises UserError if the document has no such format.

    `form`: the name of the format. Each table has at most `limit` rows, also in CSV. For each shortened table, `cut` is
    called with a sentence for the user.
    """
    needs = FORMATS[form].needs
    if needs and not hasattr(document, needs):
        own = [each for each in ("cases", "figures") if hasattr(document, each)]
        raise UserError(f"--format cannot be {form} for these results: choose one of {', '.join(format_names(*own))}")
    return FORMATS[form].write(document if needs else _Shown(document, limit, cut), width)


class _Shown(Struct, frozen=True):
    """A document with at most `limit` rows in each table. With a baseline, the document also has a table of errors."""

    found: Document
    limit: int | None
    cut: Callable[[str], object]

    def document(self) -> object:
        return self.found.document()

    def records(self) -> TableBlock:
        table: TableBlock = self._cut(self.found.records())[0]
        return table

    def blocks(self, width: int | None) -> Iterator[Block]:
        for block in self.found.blocks(width):
            shown, said = self._cut(block) if isinstance(block, TableBlock) else (block, "")
            yield shown
            if said:
                yield ReportBlock([FactsBlock([("shown", said)])])
        if isinstance(self.found, Judged) and self.found.before is not None:
            errors = list(self.found.errors())
            counts = Counter(each.state for each in errors)
            said = ", ".join(f"{counts[state]:,} {state}" for state in ("new", "known", "fixed"))
            rows = [(each.state, each.message) for each in errors]
            table = TableBlock(("state", "error"), rows, fold="error")
            yield ReportBlock([FactsBlock([("compared with the baseline", said)]), *[table] * bool(rows)])

    def _cut(self, block: Any) -> tuple[Any, str]:
        """Return a table with at most `self.limit` rows, and a text that says how many rows are shown.

        The text is empty if all rows are shown.
        """
        if self.limit is None:
            return block, ""
        rows = list(islice(block.rows, min(self.limit, sys.maxsize - 1) + 1))
        if len(rows) <= self.limit:
            return replace(block, rows=rows), ""
        said = (
            f"{self.limit:,} of {len(block.rows):,} rows"
            if isinstance(block.rows, Sequence)
            else plural(self.limit, "row")
        )
        self.cut(f"{said} shown: to show more rows, give a higher --limit")
        return replace(block, rows=rows[: self.limit]), said


def failure(message: str, form: str) -> Iterable[str]:
    """Return a document with the reason for a failure, as text. CSV and formats for people have no such document."""
    found: Any = _Failure(message)
    return FORMATS[form].write(found, None) if form == "json" or (form in FORMATS and FORMATS[form].needs) else ()


# JSON


def _json(document: Document, width: int | None) -> Iterable[str]:
    found = document.document()
    if isinstance(found, Struct):
        return _json_object(found)
    return json_list(found) if isinstance(found, Iterator) else [json_text(found)]


def _json_object(found: Struct) -> Iterator[str]:
    """Yield the JSON text of an object. Its lists are written in parts, because they may be long."""
    lists = {name: value for name, value in asdict(found).items() if isinstance(value, list | Iterator)}
    rest = json_text(replace(found, **dict.fromkeys(lists, ())))
    for name, values in lists.items():
        before, rest = rest.split(f'\n  "{name}": []', 1)
        yield f'{before}\n  "{name}": '
        yield from (piece.replace("\n", "\n  ") for piece in json_list(values, end=""))
    yield rest


def json_list(values: Iterable[object], end: str = "\n") -> Iterator[str]:
    """Yield the JSON text of a list, `BLOCK_VALUES` values at a time. The layout is the same as in `json_text`."""
    rest, before = iter(values), "[\n"
    while some := list(islice(rest, BLOCK_VALUES)):
        yield before + json_text(some).removeprefix("[\n").removesuffix("\n]\n")
        before = ",\n"
    yield ("[]" if before == "[\n" else "\n]") + end


def json_text(value: object) -> str:
    """Return a value as indented JSON text with a newline at its end. Invisible characters are escaped."""
    try:
        text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    except UnicodeEncodeError:  # a file name with bytes that are not UTF-8
        import json

        text = json.dumps(msgspec.to_builtins(value), indent=2)
    return json_visible(text) + "\n"


def quoted(text: str) -> str:
    """Return text in double quotes, with escapes that are valid in JSON, YAML, Graphviz and Prometheus."""
    return msgspec.json.encode(visible(text)).decode()


# CSV


def _csv(document: Document, width: int | None) -> Iterable[str]:
    table = document.records()
    free = [number for number, name in enumerate(table.columns) if name in SPEC_COLUMNS]
    yield csv_line(table.columns)
    yield from (csv_line(row, free) for row in chain(table.rows, table.totals))


def csv_line(cells: Iterable[str], free: Collection[int] = ()) -> str:
    """Return a line of CSV with its newline. Control characters are escaped by `visible`, because CSV has no escapes.

    If a spreadsheet could read a cell as a formula, the cell gets a `'` in front. `free`: the indices of the columns
    with variants and specs. These cells may begin with `+`, `-` or `@`. They get the `'` only if they could call a
    function.
    """
    out = io.StringIO()
    import csv

    csv.writer(out, lineterminator="\n").writerow(
        _csv_cell(cell, is_free=number in free) for number, cell in enumerate(cells)
    )
    return out.getvalue()


def _csv_cell(text: str, *, is_free: bool) -> str:
    is_formula = _FORMULA.match(text) and not (is_free and _OF_SPEC.fullmatch(text)) and not _NUMBER.fullmatch(text)
    return f"'{visible(text)}" if is_formula else visible(text)


# Text in columns


def _text(document: Document, width: int | None) -> Iterable[str]:
    above: Block | None = None
    for block in document.blocks(width):
        if isinstance(block, ReportBlock):
            continue
        if above is not None and not isinstance(above, TitleBlock):
            yield "\n"
        above = block
        match block:
            case TitleBlock(text, query, _):
                yield visible(", ".join(filter(None, (text, query)))) + "\n"
            case FactsBlock(facts):
                yield from (f"{visible(name)}: {visible(''.join(pieces))}\n" for name, *pieces in facts)
            case MatrixBlock():
                yield from matrix(block.columns, list(block.rows), block.totals[0], width)
            case TableBlock():
                rows = iter(block.rows)
                first = list(islice(rows, 1))
                header = block.columns if block.headed or (width and first) else None
                yield from aligned(header, chain(first, rows), block.right, block.shrinking, width)


# Reports


def _report(blocks: Iterable[Block]) -> Iterator[tuple[TitleBlock | FactsBlock | TableBlock, str]]:
    """Yield each block, and its summary. The summary is shown while the block is folded.

    The summary is empty if the block cannot be folded.
    """
    for block in blocks:
        if isinstance(block, ReportBlock):
            yield from _report(block.blocks)
        elif isinstance(block, TableBlock) and block.fold:
            rows = list(block.rows)
            yield replace(block, rows=rows), plural(len(rows), block.fold) if len(rows) > block.unfolded else ""
        else:
            yield block, ""


def _escaped(text: str) -> str:
    """Return text with escapes for an element or a quoted attribute of HTML or XML."""
    from html import escape  # late, because its table of entities is large

    return escape(visible(text))


# Markdown

_OWN_SIGN = re.compile(r"[\\`*\[\]<>|&]|_(?:(?<![A-Za-z0-9]_)|(?![A-Za-z0-9]))|~(?:(?<=\S~)|(?![A-Za-z0-9]))")
"""A character with a meaning in Markdown. The pattern omits `_` within a word and `~` before a word."""

_LINKED = re.compile(r"[@#!$%&~^*][A-Za-z0-9_]|://|[A-Za-z0-9]\.[A-Za-z]{2}")
"""A part of a word that GitHub or GitLab turns into a link: `@all`, `#1`, a URL, the name of a host."""

_FENCES = re.compile("`+")


def _markdown(document: Document, width: int | None) -> Iterable[str]:
    between = ""
    for block, fold in _report(document.blocks(width)):
        yield between + (fold and f"<details><summary>{_escaped(fold)}</summary>\n\n")
        between = "\n"
        match block:
            case TitleBlock(text, query, _):
                yield f"## {', '.join(map(markdown_word, filter(None, (text, Code(query)))))}\n"
            case FactsBlock(facts):
                yield from (f"- {markdown_word(name)}: {_markdown_pieces(pieces)}\n" for name, *pieces in facts)
            case MatrixBlock():
                first, specs, *names = block.columns
                rows = ([_name(row[0]), *row[1:]] for row in block.rows)
                columns = (first, specs, *map(_name, names))
                yield from markdown_table(columns, chain(rows, block.totals), range(1, len(columns)))
            case TableBlock():
                named = {k for k, name in enumerate(block.columns) if name in _NAME_COLUMNS and k not in block.right}
                rows = ([_name(cell) if k in named else cell for k, cell in enumerate(row)] for row in block.rows)
                yield from markdown_table(block.columns, rows, block.right)
        yield fold and "\n</details>\n"


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> Iterator[str]:
    """Yield a Markdown table line by line. `right`: the indices (from 0) of the columns to align on the right."""
    yield f"| {' | '.join(map(markdown_cell, header))} |\n"
    yield f"| {' | '.join('---:' if k in right else '---' for k in range(len(header)))} |\n"
    for row in rows:
        yield f"| {' | '.join(map(markdown_cell, row))} |\n"


def markdown_word(text: str) -> str:
    """Return the Markdown of a string: `Code` as a code span, other text with escapes.

    In other text, a word that GitHub or GitLab could turn into a link or a mention also becomes a code span.
    """
    if isinstance(text, Code):
        return _code_span(visible(text))
    return " ".join(map(_markdown_word, visible(text).split(" ")))


def _markdown_word(word: str) -> str:
    """Return the Markdown of a word without spaces."""
    core = word.strip("(),:;.")
    if not _LINKED.search(core):
        return _OWN_SIGN.sub(r"\\\g<0>", word)
    before, after = word.split(core, 1)
    return f"{before}{_code_span(core)}{after}"


def _markdown_pieces(pieces: Iterable[str]) -> str:
    """Return the texts of a fact as Markdown. A space separates adjacent code spans."""
    line = ""
    for word in map(markdown_word, pieces):
        line += " " * (line.endswith("`") and word.startswith("`")) + word
    return line


def _name(cell: str) -> str:
    """Return the name in a cell as `Code`. Return `-`, which stands for a missing name, unchanged."""
    return cell if cell == "-" else Code(cell)


def markdown_cell(text: str) -> str:
    """Return the Markdown of a cell. `Code` with a `|` becomes several code spans, because a `|` would end the cell."""
    return "\\|".join(markdown_word(Code(piece) if isinstance(text, Code) else piece) for piece in text.split("|"))


def _code_span(text: str) -> str:
    """Return text as a code span. The delimiter of the span is longer than each sequence of backticks in the text."""
    if not text.strip(" "):
        return text
    fence = "`" * (1 + max(map(len, _FENCES.findall(text)), default=0))
    # Markdown drops one space at each end of a span, so with these spaces the text may begin or end with a backtick
    needs_room = text[0] in "` " or text[-1] in "` "
    return f"{fence} {text} {fence}" if needs_room else f"{fence}{text}{fence}"


# HTML

_WALL = '\n<meta http-equiv="refresh" content="{}">\n<style>:root {{ color-scheme: dark }}</style>'


def _html(document: Document, width: int | None) -> Iterable[str]:
    """Yield one complete HTML file. It is free of scripts and of links to other files. Long tables can be folded."""
    from importlib.resources import files  # late, because this import takes longer than most answers

    blocks = list(_report(document.blocks(width)))
    title = next((block for block, _ in blocks if isinstance(block, TitleBlock)), TitleBlock("cachetui"))
    head, tail = (files("cachetui.report") / "report.html").read_text(encoding="utf-8").split("{body}")
    wall = _WALL.format(title.reload_seconds) if title.reload_seconds else ""
    yield head.replace("{wall}", wall).replace("{title}", _escaped(title.text))
    for block, fold in blocks:
        yield fold and f"<details{' open' * bool(getattr(block, 'unfolded', 0))}><summary>{_escaped(fold)}</summary>\n"
        match block:
            case TitleBlock(text, query, _):
                yield f"<h1>{_escaped(text)} {_html_word(Code(query))}</h1>\n"
            case FactsBlock(facts):
                lines = (f"<li>{_escaped(name)}: {''.join(map(_html_word, pieces))}\n" for name, *pieces in facts)
                yield "".join(("<ul>\n", *lines, "</ul>\n"))
            case _:
                yield from _html_table(block)
        yield fold and "</details>\n"
    yield tail


def _html_word(text: str) -> str:
    if isinstance(text, Bars):
        cells = (f"<i>{bar}</i>" if low else bar for bar, low in zip(text, text.low, strict=True))
        return f"<code class=bars>{''.join(cells)}</code>"
    return f"<code>{_escaped(text)}</code>" if text and isinstance(text, Code) else _escaped(text)


def _html_table(block: TableBlock) -> Iterator[str]:
    """Yield an HTML table. In a matrix, each cell has a CSS class for its colour, h0 to h5, in logarithmic steps."""
    is_map = isinstance(block, MatrixBlock)
    right, heated = ((1,), 2) if is_map else (block.right, len(block.columns))
    yield f"<table{' class=map' if is_map else ''}>\n<thead><tr>"
    yield "".join(f"<th scope=col><span>{_escaped(name)}</span>" for name in block.columns) + "\n<tbody>\n"
    figures = [int(cell) for row in (block.rows if is_map else ()) for cell in row[heated:] if cell.isdecimal()]
    scale = 5 / math.log1p(max(figures, default=1))
    for row in chain(block.rows, block.totals if is_map else ()):
        heights = (math.ceil(scale * math.log1p(int(cell))) if cell.isdecimal() else 0 for cell in row[heated:])
        kinds = (*("n" if k in right else "" for k in range(heated)), *(f"h{height}" for height in heights))
        cells = (f'<td class="{kind}">{_html_word(cell)}' for kind, cell in zip(kinds, row, strict=False))
        yield f"<tr>{''.join(cells)}\n"
    yield "</table>\n"


# Formats for CI


def fingerprint(case: Case) -> str:
    """Return the identity of an error as a fingerprint for GitLab."""
    from hashlib import sha256

    return sha256("\0".join((case.command, *case.key)).encode(errors="surrogatepass")).hexdigest()[:32]


def _junit(document: Any, width: int | None) -> Iterator[str]:
    """Yield JUnit XML with a test for each checked item. A test with new errors contains only the new errors.

    A test with only known errors is marked as skipped. The file always has at least one test, because otherwise
    Jenkins reports an error.
    """
    cases = list(document.cases()) or [Case(command="cachetui", name="nothing fails")]
    found = []
    for name, own in grouped((case.name, case) for case in cases).items():
        failing = [case for case in own if case.reason is not None]
        new = [case for case in failing if not case.is_known]
        is_error = any(case.severity == "blocker" for case in new)
        kind = "error" if is_error else "failure" if new else "skipped" if failing else ""
        found.append((kind, name, new or failing))
    kinds = Counter(kind for kind, *_ in found)
    counts = f'tests="{len(found)}" failures="{kinds["failure"]}" errors="{kinds["error"]}"'
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="cachetui" {counts}>\n'
    yield f'<testsuite name="{_short(cases[0].command)}" {counts} skipped="{kinds["skipped"]}">\n'
    for kind, name, errors in found:
        text = _short(listed([case.message for case in errors]))
        fault = f'<{kind} type="{_short(errors[0].reason or "")}" message="{text}">{text}</{kind}>' if kind else ""
        yield f'<testcase classname="{_short(cases[0].command)}" name="{_short(name)}">{fault}</testcase>\n'
    yield "</testsuite>\n</testsuites>\n"


def _short(text: str) -> str:
    return _escaped(text[:CASE_CHARACTERS])


def _gitlab(document: Any, width: int | None) -> Iterator[str]:
    """Yield the new errors as a code quality report for GitLab."""
    return json_list(
        {
            "description": visible(case.message[:CASE_CHARACTERS]),
            "check_name": f"cachetui/{case.command}/{visible(case.reason)}",
            "fingerprint": fingerprint(case),
            "severity": case.severity,
            "location": {"path": visible(case.path[:CASE_CHARACTERS]), "lines": {"begin": case.line or 1}},
        }
        for case in document.cases()
        if case.reason is not None and not case.is_known
    )


# Prometheus


def figures_of(kind: str, records: Iterable[object], labels: Sequence[str], helps: Mapping[str, str]) -> list[Figures]:
    """Return a metric for each field in `helps`. The metric `KIND_FIELD` has a value for each record.

    `helps`: the help text for each field. `labels`: the fields of a record that become labels of its values.
    """
    found = [({name: getattr(each, name) for name in labels}, each) for each in records]
    return [
        (f"{kind}_{field}", text, [(own, getattr(each, field)) for own, each in found]) for field, text in helps.items()
    ]


def _prometheus(document: Any, width: int | None) -> Iterator[str]:
    """Yield metrics in the text format of Prometheus. If values have the same labels, yield only the last of them."""
    for kind, text, figures in document.figures():
        yield f"# HELP cachetui_{kind} {text}\n# TYPE cachetui_{kind} gauge\n"
        found = {_labels(labels): len(value) if isinstance(value, Sequence) else value for labels, value in figures}
        yield from (f"cachetui_{kind}{own} {value}\n" for own, value in found.items() if value is not None)


def _labels(labels: Mapping[str, str]) -> str:
    written = ",".join(f"{name}={quoted(text[:CASE_CHARACTERS])}" for name, text in labels.items())
    return f"{{{written}}}" if written else ""


FORMATS = {
    form.name: form
    for form in (
        Format("table", "", "", _text),
        Format("json", "json", "for programs", _json, for_programs=True),
        Format("csv", "csv", "for spreadsheets", _csv, for_programs=True),
        Format("markdown", "md", "Markdown, for people to read", _markdown),
        Format("html", "html", "for a browser and a printer", _html),
        Format("junit", "", "", _junit, needs="cases"),
        Format("gitlab", "", "", _gitlab, needs="cases"),
        Format("prometheus", "", "", _prometheus, needs="figures"),
    )
}
"""All formats, by name."""
