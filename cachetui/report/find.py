"""The documents of `find`: lists of specs or packages, and text from a template with the fields of a spec.

Input: specs with text from pages.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cachetui.model.problem import UserError
from cachetui.model.spec import Spec, at_version
from cachetui.model.tags import spans
from cachetui.query.query import Query
from cachetui.report.formats import Block, ListDocument, TableBlock, cell_text
from cachetui.report.places import Places
from cachetui.safe_text import plural, visible
from cachetui.search.index import Index
from cachetui.search.results import Results

FIELDS = Spec.__struct_fields__
"""The fields of a spec, in the order of the JSON output."""

COLUMNS = ("hash", "package", "version", "compiler", "os", "target", "stacks", "tag")
"""The fields of a spec that a table shows."""


class PackageRow(Struct, frozen=True):
    """The facts about a package that `find --packages` prints."""

    package: str
    specs: int
    versions: tuple[str, ...]
    """The versions, the newest first."""


def specs_counted(results: Results) -> str:
    """Return the number of specs as text. If the number of rows differs, add this number: `413 specs in 425 rows`."""
    rows = "" if results.specs == len(results) else f" in {plural(len(results), 'row')}"
    return f"{plural(results.specs, 'spec')}{rows}"


def hidden_notes(index: Index, query: Query) -> Iterator[str]:
    """Yield a note on hidden records of specs that are not installed: their number, and the term that shows them."""
    if hidden := index.hidden(query):
        counts = " and ".join(f"{count:,} {state}" for state, count in hidden.items())
        yield f"{counts} not shown: to show them, add installed={','.join(hidden)}"


def spec_name(spec: Spec) -> str:
    """Return the package and version, such as `hdf5@1.14.3`, or only the package if the version is unknown."""
    return at_version(spec.package, spec.version)


def with_spans(spec: Spec, snapshots: Sequence[str]) -> Spec:
    """Return a spec with the snapshots among its tags replaced by spans. `snapshots`: all snapshots."""
    return replace(spec, tags=(*(tag for tag in spec.tags if tag not in snapshots), *spans(spec.tags, snapshots)))


def spec_list(
    specs: Iterable[Spec], places: Places, snapshots: Sequence[str] = (), *, with_state: bool = False
) -> ListDocument:
    """Return the document of these specs. The specs are iterated only once. `with_state`: show the installation state.

    If `snapshots` lists snapshots, the table shows all tags of each spec, with spans of snapshots.
    """
    columns = (*COLUMNS[:-1], *["tags" if snapshots else "tag"], *["state"] * with_state)

    def table(width: int | None) -> Iterator[Block]:
        """Yield the table. On a terminal, it shows the first seven characters of each hash, like Spack."""
        length = None if width is None else 7
        shown = (with_spans(spec, snapshots) if snapshots else spec for spec in specs)
        cells = ([cell_text(getattr(spec, field)) or "-" for field in columns] for spec in shown)
        yield TableBlock(columns, ([spec_hash[:length], *others] for spec_hash, *others in cells), headed=False)

    return ListDocument(specs, FIELDS, shown=table, as_json=places.spec)


def template(text: str) -> Callable[[Spec], str]:
    """Return a function that formats a spec according to a template; raises UserError.

    The template contains text, `{field}`, `{field:N}` (cut to N characters), `\\n` and `\\t`.
    """
    pieces: list[str | tuple[str, int | None]] = []
    at = 0
    for match in re.finditer(r"\{\{|\}\}|\{([a-z]+)(?::([^{}]*))?\}|[{}]|\\[nt]", text):
        pieces.append(text[at : match.start()])
        at = match.end()
        found = match.group()
        if match.group(1):
            pieces.append(_placeholder(match.group(1), match.group(2)))
        elif found in "{}":
            raise UserError(f"--format has a single {found!r} at column {match.start() + 1}: write {found * 2!r}")
        else:
            pieces.append({"{{": "{", "}}": "}", "\\n": "\n", "\\t": "\t"}[found])
    pieces.append(text[at:])

    def line(spec: Spec) -> str:
        return "".join(p if isinstance(p, str) else visible(cell_text(getattr(spec, p[0])))[: p[1]] for p in pieces)

    return line


def _placeholder(name: str, width: str | None) -> tuple[str, int | None]:
    """Return a field and its maximum number of characters; raises UserError."""
    field = "package" if name == "name" else name
    if field not in FIELDS:
        raise UserError(f"--format has an unknown field {name!r}: choose one of {', '.join(('name', *FIELDS))}")
    if width is not None and not re.fullmatch(r"[0-9]{1,4}", width):
        raise UserError(f"--format has an invalid width {width!r}: write a number of characters, such as {{{field}:7}}")
    return field, int(width) if width else None
