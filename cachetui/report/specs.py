"""Lists of specs and of packages, and texts made of a spec's fields by a template of the user's own.

Input: specs, whose text quotes pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from cachetui.model.spec import Spec
from cachetui.report.formats import Block, FormatError, TableBlock
from cachetui.safe_text import plural, visible
from cachetui.search.results import Results

FIELDS = Spec.__struct_fields__
"""The fields of a spec, in the order of the JSON output."""

PACKAGE_FIELDS = ("package", "specs", "versions")
"""What `find --packages` says of each package."""

COLUMNS = ("hash", "package", "version", "compiler", "os", "target", "stacks", "tag")
"""What a table for people shows of a spec."""

_DIFFERS_AT = COLUMNS.index("stacks")
"""Where the column stands that tells specs apart that are alike in those before it."""


def field_text(spec: Spec, field: str) -> str:
    """One field as text: lists joined by commas, nothing for what the page does not have."""
    value = getattr(spec, field)
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, tuple) else str(value)


def specs_counted(results: Results) -> str:
    """How many specs there are, and in how many rows where several tags have the same: `413 specs in 425 rows`."""
    rows = "" if results.specs == len(results) else f" in {plural(len(results), 'row')}"
    return f"{plural(results.specs, 'spec')}{rows}"


def spec_name(spec: Spec) -> str:
    """`hdf5@1.14.3`, or the package alone where the version is not known."""
    return f"{spec.package}@{spec.version}" if spec.version else spec.package


class SpecList:
    """Specs in their order; they are gone through once."""

    def __init__(self, specs: Iterable[Spec], differs: Callable[[], tuple[str, Sequence[str]]] | None = None) -> None:
        """`differs` gives of each what tells it apart, for people to read, in their order; a heading before it."""
        self._specs = specs
        self._differs = differs

    def document(self) -> Iterator[Spec]:
        return iter(self._specs)

    def records(self) -> TableBlock:
        return TableBlock(FIELDS, ([field_text(spec, field) for field in FIELDS] for spec in self._specs))

    def blocks(self, width: int | None) -> Iterator[Block]:
        """One table; a terminal gets the seven letters of each hash that Spack shows."""
        length = None if width is None else 7
        rows = (_cells(spec, length) for spec in self._specs)
        heading, differs = self._differs() if self._differs else ("", ())
        if any(differs):
            columns, pairs = _with(COLUMNS, heading), zip(rows, differs, strict=True)
            yield TableBlock(columns, (_with(cells, text or "-") for cells, text in pairs), headed=False)
        else:
            yield TableBlock(COLUMNS, rows, headed=False)


def _cells(spec: Spec, hash_length: int | None) -> list[str]:
    cells = [field_text(spec, field) or "-" for field in COLUMNS]
    return [cells[0][:hash_length], *cells[1:]]


def _with(cells: Sequence[str], differs: str) -> list[str]:
    return [*cells[:_DIFFERS_AT], differs, *cells[_DIFFERS_AT:]]


class PackageList:
    """Packages, each with its number of specs and its versions."""

    def __init__(self, packages: Sequence[tuple[str, int, Sequence[str]]]) -> None:
        self._packages = packages

    def document(self) -> object:
        return [dict(zip(PACKAGE_FIELDS, package, strict=True)) for package in self._packages]

    def records(self) -> TableBlock:
        rows = ((name, str(specs), ",".join(versions)) for name, specs, versions in self._packages)
        return TableBlock(PACKAGE_FIELDS, rows, right=(1,), headed=False)

    def blocks(self, width: int | None) -> Iterator[Block]:
        yield self.records()


def template(text: str) -> Callable[[Spec], str]:
    """A format of the user's own: `{field}`, `{field:N}` cut to N letters, `\\n` and `\\t`; raises FormatError."""
    pieces: list[str | tuple[str, int | None]] = []
    at = 0
    for match in re.finditer(r"\{\{|\}\}|\{([a-z]+)(?::([^{}]*))?\}|[{}]|\\[nt]", text):
        pieces.append(text[at : match.start()])
        at = match.end()
        found = match.group()
        if match.group(1):
            pieces.append(_placeholder(match.group(1), match.group(2)))
        elif found in "{}":
            raise FormatError(f"a single {found!r} at column {match.start() + 1} of --format: write {found * 2!r}")
        else:
            pieces.append({"{{": "{", "}}": "}", "\\n": "\n", "\\t": "\t"}[found])
    pieces.append(text[at:])

    def line(spec: Spec) -> str:
        return "".join(p if isinstance(p, str) else visible(field_text(spec, p[0]))[: p[1]] for p in pieces)

    return line


def _placeholder(name: str, width: str | None) -> tuple[str, int | None]:
    """The field of this name and the letters it is cut to."""
    field = "package" if name == "name" else name
    if field not in FIELDS:
        raise FormatError(f"no field {name!r} in --format: there are {', '.join(('name', *FIELDS))}")
    if width is not None and not re.fullmatch(r"[0-9]{1,4}", width):
        raise FormatError(f"no width {width!r} in --format: write a number of letters, as in {{{field}:7}}")
    return field, int(width) if width else None
