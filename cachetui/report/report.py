"""Results as text: tables for people, JSON, CSV and Markdown, and everything about one spec.

Input is what the engine found; nothing is worked out here but widths. What people read goes through `visible`.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest
from operator import itemgetter
from textwrap import indent
from typing import NamedTuple

import msgspec

from cachetui.model.host import Host
from cachetui.model.spec import ROOT, Spec
from cachetui.report.paste import install_line, mirror_lines, spec_text
from cachetui.search.index import Index
from cachetui.search.results import Results
from cachetui.text import json_visible, visible

BLOCK = 10_000
"""So many lines of a table are aligned together."""

FIELDS = Spec.__struct_fields__
"""The fields of a spec, in the order of the JSON output."""

PACKAGE_FIELDS = ("package", "specs", "versions")
"""What `find --packages` says of each package."""

COLUMNS = ("hash", "package", "version", "compiler", "os", "target", "stacks", "tag")
"""What a table for people shows of a spec."""


class FormatError(ValueError):
    """A format that cannot be read; the message says why."""


# Specs in every format


def json_list(values: Iterable[object]) -> Iterator[str]:
    """The JSON document of a list, as `json_text` lays it out, value by value."""
    before = "[\n"
    for value in values:
        yield before + indent(json_text(value).rstrip("\n"), "  ")
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def json_text(value: object) -> str:
    """One JSON document, laid out for people, with a newline at its end; what is not visible in it is escaped."""
    try:
        text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    except UnicodeEncodeError:  # the name of a file, with bytes that are not UTF-8
        import json

        text = json.dumps(msgspec.to_builtins(value), indent=2)
    return json_visible(text) + "\n"


def field_text(spec: Spec, field: str) -> str:
    """One field as text: lists joined by commas, nothing for what the page does not have."""
    value = getattr(spec, field)
    if value is None:
        return ""
    return ",".join(value) if isinstance(value, tuple) else str(value)


def spec_cells(spec: Spec, *, short: bool = False) -> list[str]:
    """What a table for people shows of a spec; `short` cuts the hash to the seven letters that Spack shows."""
    cells = [field_text(spec, field) or "-" for field in COLUMNS]
    return [cells[0][:7], *cells[1:]] if short else cells


def spec_csv(specs: Iterable[Spec]) -> Iterator[str]:
    """All fields of the specs as CSV, line by line, a header first."""
    yield csv_line(FIELDS)
    for spec in specs:
        yield csv_line([field_text(spec, field) for field in FIELDS])


def csv_line(cells: Iterable[str]) -> str:
    """One line of CSV with its newline; CSV has no escapes of its own for what is not visible."""
    out = io.StringIO()
    import csv

    csv.writer(out, lineterminator="\n").writerow(map(visible, cells))
    return out.getvalue()


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> Iterator[str]:
    """A Markdown table line by line; the columns numbered in `right` hold figures."""
    yield f"| {' | '.join(map(_markdown, header))} |\n"
    yield f"| {' | '.join('---:' if k in right else '---' for k in range(len(header)))} |\n"
    for row in rows:
        yield f"| {' | '.join(map(_markdown, row))} |\n"


def _markdown(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|~&])", r"\\\1", visible(text))


def text_table(header: Sequence[str] | None, rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> Iterator[str]:
    """Aligned columns, line by line; the columns numbered in `right` hold figures. Nothing is cut off.

    A very long table is aligned block by block, so that it is never in memory as a whole.
    """
    left = chain([header] if header else [], rows)
    widths: list[int] = []
    while block := [[visible(cell) for cell in row] for row in islice(left, BLOCK)]:
        longest = [max(map(len, column)) for column in zip(*block, strict=True)]
        widths = [max(pair) for pair in zip_longest(widths, longest, fillvalue=0)]
        for row in block:
            cells = (
                cell.rjust(width) if k in right else cell.ljust(width)
                for k, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            yield "  ".join(cells).rstrip() + "\n"


def template(text: str) -> Callable[[Spec], str]:
    """A format of the user's own: `{field}`, `{field:N}` cut to N letters, `\\n` and `\\t`; raises FormatError."""
    pieces: list[str | tuple[str, int | None]] = []
    at = 0
    for match in re.finditer(r"\{\{|\}\}|\{([a-z]+)(?::([^{}]*))?\}|[{}]|\\[nt]", text):
        pieces.append(text[at : match.start()])
        at = match.end()
        found = match.group()
        if match.group(1):
            field = "package" if match.group(1) == "name" else match.group(1)
            if field not in FIELDS:
                raise FormatError(f"no field {match.group(1)!r} in --format: there are {', '.join(('name', *FIELDS))}")
            width = match.group(2)
            if width is not None and not re.fullmatch(r"[0-9]{1,4}", width):
                raise FormatError(f"no width {width!r} in --format: write a number of letters, as in {{{field}:7}}")
            pieces.append((field, int(width) if width else None))
        elif found in "{}":
            raise FormatError(f"a single {found!r} at column {match.start() + 1} of --format: write {found * 2!r}")
        else:
            pieces.append({"{{": "{", "}}": "}", "\\n": "\n", "\\t": "\t"}[found])
    pieces.append(text[at:])

    def line(spec: Spec) -> str:
        return "".join(p if isinstance(p, str) else visible(field_text(spec, p[0]))[: p[1]] for p in pieces)

    return line


# One spec in full


class Field(NamedTuple):
    """One thing to know of a spec."""

    label: str
    lines: tuple[str, ...]
    """Text that is safe to show."""
    is_command: bool = False
    is_list: bool = False
    """Whether each line is one value of many, which may stand side by side."""


def detail(index: Index, row: int, host: Host, mirror: str | None = None) -> list[Field]:
    """Everything there is to know of a spec, what becomes of it on the host, and the commands for it.

    What is asked for most and takes as many lines in each spec stands first, so that it stays where it is from one
    spec to the next. `mirror` is the URL pattern of the user's own.
    """
    spec = index.spec(row)
    twins = len(index.twins(row))
    arch = f"arch={spec.platform or 'None'}-{spec.os or 'None'}-{spec.target or 'None'}"
    mirrors = mirror_lines(spec, mirror)
    verdict = host.verdict(spec.platform, spec.os, spec.target)
    fails = "" if verdict.kind in ("native", "runs", "unknown") else "does not run: "
    return [
        Field("spec", (visible(f"{spec.package}@{spec.version or '?'} %{spec.compiler or '?'} {arch}"),)),
        Field("hash", (visible(spec.hash or "none: the page does not record it"),)),
        install_field(spec),
        Field("host", (visible(f"{fails}{verdict.reason}"), visible(f"os: {verdict.os_note} ({host})"))),
        Field("stacks", (visible(", ".join(spec.stacks)) or "none",)),
        Field("tags" if len(spec.tags) > 1 else "tag", (visible(", ".join(spec.tags)),)),
        Field("variants", (visible(" ".join(spec.variants)) or "none",)),
        *([Field("twins", (f"alike in all that the page records: {twins + 1} specs",))] if twins else []),
        Field("mirror", mirrors, True) if mirrors else Field("mirror", ("none: the page names no tag",)),
        Field("as a spec", (spec_text(spec),), True),
        *([Field("tarball", (visible(spec.tarball),), True)] if spec.tarball else []),
        *([Field("size", (f"{spec.size:,} bytes",))] if isinstance(spec.size, int) else []),
        *([Field("needs", tuple(map(visible, index.dependencies(row))))] if index.dependencies(row) else []),
        Field("page", (visible(index.columns.page_path[index.page(row)]),)),
    ]


def install_field(spec: Spec) -> Field:
    """The command that installs a spec."""
    return Field("install", (install_line(spec) or "no hash, so no command",), True)


def package_detail(results: Results, number: int, *, tags: bool = False, counted: bool = True) -> list[Field]:
    """A package in a result: the versions, compilers, oses, targets, stacks and, if asked, tags of its specs.

    Versions stand from the newest, all else by how many specs have it, then in natural order, `root` last. Where they
    are `counted`, a value that not every spec has stands with its count.
    """
    index = results.index
    rows = results.rows & index.package_rows(number)
    version, table = index.columns.rows["version"], index.columns.tables["version"]
    versions = Counter(table[value] for value in map(version.__getitem__, rows))

    def listed(label: str, counts: Iterable[tuple[str, int]]) -> Field:
        told = (
            f"{visible(value)} ({count})" if counted and count < len(rows) else visible(value)
            for value, count in counts
        )
        return Field(label, tuple(told) or ("none",), is_list=True)

    def by_count(key: str) -> list[tuple[str, int]]:
        counts = {value: rows.intersection_cardinality(index.value_rows(key, value)) for value in index.values(key)}
        return sorted(filter(itemgetter(1), counts.items()), key=lambda each: (each[0] == ROOT, -each[1]))

    return [
        listed("versions", ((value, versions[value]) for value in index.versions(rows))),
        listed("compilers", by_count("compiler")),
        listed("oses", by_count("os")),
        listed("targets", by_count("target")),
        listed("stacks", by_count("stack")),
        *([listed("tags", by_count("tag"))] if tags else []),
    ]
