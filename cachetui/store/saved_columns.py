"""The columns of a catalogue as the sections of a file, and back.

Invariant: what is read back equals the columns that were saved.
Input: columns to save; or the sections of a mapped file, which may be damaged in any way.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Callable, Mapping
from mmap import MADV_DONTNEED, PAGESIZE, mmap
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec
from msgspec import Struct

from cachetui.model.problem import Problem
from cachetui.store.arrays import Ints, Postings
from cachetui.store.checked import CheckedParts
from cachetui.store.columns import ROW_COLUMNS, Columns, Duplicate
from cachetui.store.graph import NO_GRAPH, Graph
from cachetui.store.strings import Strings
from cachetui.store.tag_graph import NODE_COLUMNS, DamagedGraphError, TagGraph

if TYPE_CHECKING:
    from _typeshed import StrPath

POSTINGS = ("profile", "version", "variants", "hash", "page_tag")
"""The postings that are saved: all that queries use."""

GRAPH_PART = "part."
"""How the names of the sections of the graph begin, which are checked when the graph is first used."""

DUPLICATES = ("duplicate_path", "duplicate_package", "duplicate_tag")


def columns_in(sections: MappedSections, identity: str, path: StrPath) -> Columns:
    """The columns of this content that a file has; `path` is what messages call the file.

    Raises ValueError, KeyError, IndexError, TypeError or MsgspecError where they are damaged or of other content; the
    graph raises DamagedGraphError when it is first used.
    """
    sections.check("columns", lambda name: not name.startswith(GRAPH_PART))

    def parts() -> list[TagGraph]:
        try:
            sections.check("graph", lambda name: name.startswith(GRAPH_PART))
            named = zip(graph_names, mirrors, strict=True)
            return [_part(sections, f"{GRAPH_PART}{p}.", *names, own) for p, (names, own) in enumerate(named)]
        except (KeyError, ValueError, TypeError) as error:
            raise DamagedGraphError(f"the saved index {path} is damaged ({error}): not used") from None

    if list(sections.strings("identity")) != [identity]:
        raise ValueError(f"it is of {sections.strings('identity')[0]}")
    graph_names = list(zip(sections.strings("graph_path"), sections.strings("graph_tag"), strict=True))
    mirrors = [msgspec.json.decode(text, type=dict[str, str]) for text in sections.strings("graph_mirrors")]
    return Columns(
        packages=sections.strings("packages"),
        tags=sections.strings("tags"),
        tables={name: sections.strings(f"table.{name}") for name in ROW_COLUMNS},
        rows={name: sections.ints(f"row.{name}") for name in ROW_COLUMNS},
        page_path=sections.strings("page_path"),
        page_package=sections.ints("page_package"),
        page_tag=sections.ints("page_tag"),
        page_start=sections.ints("page_start"),
        file_path=sections.strings("file_path"),
        file_size=sections.ints("file_size"),
        file_time=sections.ints("file_time"),
        upper_folders=tuple(sections.strings("upper_folders")),
        problems=tuple(map(_problem, sections.strings("problem_path"), sections.strings("problem"))),
        duplicates=tuple(map(Duplicate, *map(sections.strings, DUPLICATES))),
        graph=Graph.later(sections.strings("graph_path"), sections.strings("graph_tag"), mirrors, parts)
        if graph_names
        else NO_GRAPH,
        postings={
            name: Postings(sections.ints(f"posting.{name}.rows"), sections.ints(f"posting.{name}.offsets"))
            for name in POSTINGS
        },
    )


def _part(sections: MappedSections, prefix: str, path: str, tag: str, mirrors: Mapping[str, str]) -> TagGraph:
    """The part of the graph whose sections have this prefix."""
    return TagGraph(
        path=path,
        tag=tag,
        tables={name: sections.strings(f"{prefix}table.{name}") for name in NODE_COLUMNS},
        columns={name: sections.ints(f"{prefix}node.{name}") for name in NODE_COLUMNS},
        hashes=sections.strings(f"{prefix}hashes"),
        kinds=sections.strings(f"{prefix}kinds"),
        state=sections.ints(f"{prefix}state"),
        first=sections.ints(f"{prefix}first"),
        target=sections.ints(f"{prefix}target"),
        kind=sections.ints(f"{prefix}kind"),
        mirrors=mirrors,
    )


def _problem(path: str, text: str) -> Problem:
    line, level, kind, message = msgspec.json.decode(text, type=_ProblemText)
    return Problem(path=path, line=line, level=level, kind=kind, message=message)


_ProblemText: TypeAlias = tuple[int | None, Literal["fault", "note"], str, str]


def sections_of(columns: Columns, identity: str) -> list[tuple[str, str, memoryview]]:
    """Each section: its name, its type code (empty for text) and its bytes."""
    pieces: list[tuple[str, str, memoryview]] = []

    def add_ints(name: str, column: Ints) -> None:
        view = memoryview(column)
        pieces.append((name, view.format, view.cast("B") if len(view) else memoryview(b"")))

    def add_strings(name: str, strings: Strings) -> None:
        pieces.append((f"{name}.text", "", memoryview(strings.buffer)[strings.base :][: strings.offsets[-1]]))
        add_ints(f"{name}.offsets", strings.offsets)

    # Paths may hold what no JSON can: bytes that are not UTF-8.
    add_strings("identity", Strings.of([identity]))
    add_strings("upper_folders", Strings.of(columns.upper_folders))
    add_strings("problem_path", Strings.of([problem.path for problem in columns.problems]))
    texts = (msgspec.json.encode((each.line, each.level, each.kind, each.message)) for each in columns.problems)
    add_strings("problem", Strings.of([text.decode() for text in texts]))
    for name in DUPLICATES:
        field = name.removeprefix("duplicate_")
        add_strings(name, Strings.of([getattr(duplicate, field) for duplicate in columns.duplicates]))
    for name in ("packages", "tags", "page_path", "file_path"):
        add_strings(name, getattr(columns, name))
    for name in ("page_package", "page_tag", "page_start", "file_size", "file_time"):
        add_ints(name, getattr(columns, name))
    for name in ROW_COLUMNS:
        add_strings(f"table.{name}", columns.tables[name])
        add_ints(f"row.{name}", columns.rows[name])
    add_strings("graph_path", Strings.of(columns.graph.paths))
    add_strings("graph_tag", Strings.of(columns.graph.tags))
    add_strings("graph_mirrors", Strings.of([msgspec.json.encode(each).decode() for each in columns.graph.mirrors]))
    for p, part in enumerate(columns.graph.parts):
        prefix = f"{GRAPH_PART}{p}."
        for name in ("hashes", "kinds"):
            add_strings(f"{prefix}{name}", getattr(part, name))
        for name in ("state", "first", "target", "kind"):
            add_ints(f"{prefix}{name}", getattr(part, name))
        for name in NODE_COLUMNS:
            add_strings(f"{prefix}table.{name}", part.tables[name])
            add_ints(f"{prefix}node.{name}", part.columns[name])
    for name in POSTINGS:
        posting = columns.posting(name)
        add_ints(f"posting.{name}.rows", posting.rows)
        add_ints(f"posting.{name}.offsets", posting.offsets)
    return pieces


# Sections of a file


AT_A_TIME = 2**20
"""Bytes that are checked at a time, and then need not stay in memory."""


class FileSection(Struct, frozen=True, array_like=True):
    offset: int
    """From the end of the header, in bytes."""
    length: int
    checksum: int
    code: str
    """The type code of an array; empty for text."""


class MappedSections:
    """The sections of a file by their names, as arrays that stay in it."""

    def __init__(self, mapped: mmap, base: int, sections: Mapping[str, FileSection], checked: CheckedParts) -> None:
        """`base` is where the first one begins; raises ValueError where one ends behind the file."""
        self._checked = checked
        self._mapped = mapped
        self._view = memoryview(mapped)
        self._base = base
        self._sections = sections
        if any(each.offset < 0 or base + each.offset + each.length > len(mapped) for each in sections.values()):
            raise ValueError("it is cut short")

    def check(self, part: str, takes: Callable[[str], bool]) -> None:
        """Raise ValueError where a section of a part, those whose names it takes, is not what was saved."""
        if part in self._checked:
            return
        for name, section in self._sections.items():
            if takes(name) and self._checksum(section) != section.checksum:
                raise ValueError(f"the checksum of {name} does not agree")
        self._checked.add(part)

    def _checksum(self, section: FileSection) -> int:
        return checksum(self._mapped, self._base + section.offset, section.length)

    def ints(self, name: str) -> Ints:
        """The numbers of a section; raises KeyError, and ValueError for one that is no array."""
        section = self._sections[name]
        start = self._base + section.offset
        piece = self._view[start : start + section.length]
        # An empty view cannot be cast.
        return piece.cast(_code(section.code)) if len(piece) else array(_code(section.code))

    def strings(self, name: str) -> Strings:
        """The texts of two sections, which hold their letters and where each begins; raises as `ints` does."""
        return Strings(self._mapped, self.ints(f"{name}.offsets"), self._base + self._sections[f"{name}.text"].offset)


def _code(code: str) -> Literal["I", "Q"]:
    if code == "I":
        return "I"
    if code == "Q":
        return "Q"
    raise ValueError(f"no array is of the type {code}")


def checksum(mapped: mmap, start: int, length: int) -> int:
    """The checksum of these bytes. Most are looked at for this alone, so they leave memory again."""
    view, found = memoryview(mapped), 0
    for at in range(start, start + length, AT_A_TIME):
        end = min(at + AT_A_TIME, start + length)
        found = zlib.crc32(view[at:end], found)
        if length > AT_A_TIME:
            page = at - at % PAGESIZE
            mapped.madvise(MADV_DONTNEED, page, end - page)
    return found
