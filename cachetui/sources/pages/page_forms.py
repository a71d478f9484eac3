"""One file becomes a page, of whatever form, or problems, or nothing.

A page is known by its front matter alone; names and folders prove nothing. Whatever a file holds, `read` returns
what could be read, and a problem for what could not.
A faultless page of the newest form takes the fast way (`_sound_page`), every other one `_PageReader`.
Input: files of a folder that anybody may have written.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from cachetui.model.problem import Problem
from cachetui.model.spec import UNTAGGED, Page, Row
from cachetui.sources.pages.fast_rows import Memory, sound_rows
from cachetui.sources.pages.folders import SUFFIXES, unreadable
from cachetui.sources.pages.frontmatter import (
    FrontMatter,
    FrontMatterError,
    WrittenValue,
    front_matter,
    items_one_by_one,
    value,
)
from cachetui.sources.pages.legacy import WrittenSpec, parse_sidecar, parse_spec
from cachetui.sources.pages.lost import Neighbours, contradictions, lost_page
from cachetui.sources.pages.rows import Findings, careful_rows, check_hash, check_meta, kind_of, shortened
from cachetui.store.stamps import FileStamp, no_stamp, stamp_of

MAX_PAGE = 64 * 2**20
"""Bytes of a page; the largest real one has under 2 MB."""

MAX_SIDECAR = 16 * 2**20
"""Bytes of a sidecar."""

MAX_SPEC = 2**18
"""Characters of a spec string; the longest real one has some thousands."""

MAX_DEPENDENCIES = 500_000
"""Dependencies in all spec strings of a page; a real one has some thousands."""

_OPENING_BYTES = 64 * 2**10
_OPEN_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
_SOUND_HEAD = re.compile(
    rb"(?:\xef\xbb\xbf)?---\r?\n"
    rb'title: "([\w.+-]+)"\r?\n'
    rb"layout: cache\r?\n"
    rb"categories: \[package, ([\w.+-]+)\]\r?\n"
    rb"meta: "
)
_ROWS_KEY = b"\nspec_details: "
_SIDECAR_NAME = re.compile(r"spec-[0-9]{1,9}\.json")


class Reading(Struct, frozen=True):
    """What one file gave: a page, problems, both, or (if it is no page) neither."""

    page: Page | None
    problems: tuple[Problem, ...]
    files: tuple[FileStamp, ...]
    """All files that were read for it: itself, then sidecars."""


def read(root: str, path: str, memory: Memory | None = None, neighbours: Neighbours | None = None) -> Reading:
    """Reads one file; never raises for anything that it may hold.

    The `memory` of files read before, and what is known of the `neighbours` of such files, make it faster.
    """
    try:
        stamp, data = _load(f"{root}/{path}", path, MAX_PAGE)
    except OSError as error:
        return Reading(None, (unreadable(path, error),), (no_stamp(path),))
    if page := _sound_page(path, data, memory or Memory()):
        return Reading(page, contradictions(path, page.package, page.tag), (stamp,))
    try:
        front = front_matter(data)
    except FrontMatterError as error:
        problem = Problem(path=path, line=error.line, kind="unreadable", message=error.reason)
        return Reading(None, (problem,), (stamp,))
    if front is None:
        return Reading(None, lost_page(path, data, neighbours or Neighbours(root)), (stamp,))
    if stamp.size > MAX_PAGE:
        message = f"larger than {MAX_PAGE // 2**20} MB"
        return Reading(None, (Problem(path=path, kind="unreadable", message=message),), (stamp,))
    reader = _PageReader(root, path, front)
    page = reader.page()
    misplaced = contradictions(path, page.package, page.tag) if page else ()
    return Reading(page, (*reader.findings.problems, *misplaced), (stamp, *reader.sidecars))


def read_lone_page(root: str, folder: str, memory: Memory) -> Reading | None:
    """The reading of a folder that holds one faultless page and nothing else, as nearly all do; None for any other.

    The folder's stamp is the first of its files. The folder is opened once, so that its path is looked up only once.
    """
    try:
        descriptor = os.open(f"{root}/{folder}", os.O_RDONLY | os.O_DIRECTORY)
        try:
            status = os.fstat(descriptor)
            names = os.listdir(descriptor)
            if len(names) != 1 or not names[0].endswith(SUFFIXES):
                return None
            stamp, data = _load(names[0], folder + names[0], MAX_PAGE, folder=descriptor)
        finally:
            os.close(descriptor)
    except OSError:
        return None
    page = _sound_page(stamp.path, data, memory)
    if page is None:
        return None
    return Reading(page, contradictions(page.path, page.package, page.tag), (stamp_of(folder, 0, status), stamp))


def _load(where: str, path: str, limit: int, *, flags: int = 0, folder: int | None = None) -> tuple[FileStamp, bytes]:
    """The stamp of a regular file (in this open folder), and its bytes: all of them up to the limit, else the first."""
    descriptor = os.open(where, _OPEN_FLAGS | flags, dir_fd=folder)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        size = status.st_size
        wanted = size if size <= limit else _OPENING_BYTES
        data = os.read(descriptor, wanted)
        while len(data) < wanted and (more := os.read(descriptor, wanted - len(data))):
            data += more
    finally:
        os.close(descriptor)
    return stamp_of(path, size, status), data


def _sound_page(path: str, data: bytes, memory: Memory) -> Page | None:
    """A page of the newest form without any fault, or None."""
    head = _SOUND_HEAD.match(data)
    if head is None:
        return None
    meta_end = data.find(_ROWS_KEY, head.end())
    rows_end = data.rfind(b"\n---")
    if meta_end < 0 or rows_end < meta_end or data[rows_end:].rstrip() != b"\n---":
        return None
    found = sound_rows(data[meta_end + len(_ROWS_KEY) : rows_end], data[head.end() : meta_end], memory)
    if found is None:
        return None
    return Page(
        path=path,
        package=head[1].decode(),
        tag=head[2].decode(),
        hashes=found.hashes,
        builds=found.builds,
        tarballs=found.tarballs,
    )


class _PageReader:
    """Reads a page of any form, key by key, and says what is wrong with it."""

    def __init__(self, root: str, path: str, front: FrontMatter) -> None:
        self.root = root
        self.path = path
        self.front = front
        self.findings = Findings(path)
        self.sidecars: list[FileStamp] = []
        self.dependencies = 0
        self.list_line = self._line("spec_files") or self._line("spec_names")

    def page(self) -> Page | None:
        for key, line in self.front.repeated:
            self.findings.add("unreadable", f"{key} stands twice; the last one counts", line)
        if self.front.broken_line is not None:
            self.findings.add("unreadable", "bytes that are not UTF-8", self.front.broken_line)
        package = self._package()
        if package is None:
            return None
        tag = self._tag()
        rows, ended = self._rows(package)
        if ended and not self.front.closed:
            self.findings.add("unreadable", "no closing `---` line", self.front.end_line)
        return Page.of(self.path, package, tag, rows)

    def _value(self, key: str) -> Any:
        """The value of a key, None if it is absent or cannot be read."""
        entry = self.front.entries.get(key)
        if entry is None:
            return None
        try:
            return value(entry)
        except FrontMatterError as error:
            self.findings.add("unreadable", f"{key}: {error.reason}", error.line)
            return None

    def _package(self) -> str | None:
        entry = self.front.entries.get("title")
        if entry is None:
            self.findings.add("unreadable", "a page without title")
            return None
        try:
            title = value(entry)
        except FrontMatterError as error:
            self.findings.add("unreadable", f"title: {error.reason}", error.line)
            return None
        if _is_name(title):
            return str(title)
        said = f"{kind_of(title)}, not a name" if title else "empty"
        self.findings.add("unreadable", f"title is {said}", entry.line)
        return None

    def _line(self, key: str) -> int | None:
        entry = self.front.entries.get(key)
        return entry.line if entry else None

    def _tag(self) -> str:
        key = "categories" if "categories" in self.front.entries else "category"
        stated = self._value(key)
        names = [stated] if key == "category" else stated
        if stated is None:
            return UNTAGGED
        if not isinstance(names, list) or not all(map(_is_name, names)):
            self.findings.add("unreadable", f"{key} is not a list of names", self._line(key))
            names = [name for name in names if _is_name(name)] if isinstance(names, list) else []
        return next((name for name in names if name != "package"), UNTAGGED)

    def _rows(self, package: str) -> tuple[tuple[Row, ...], bool]:
        """The rows, and whether the list of them was read to its end."""
        details = self.front.entries.get("spec_details")
        if details is not None:
            return self._detailed(details)
        if not {"spec_files", "spec_names"} & self.front.entries.keys():
            self.findings.add("unreadable", "a page without spec_details", self.front.end_line)
            return (), True
        specs = list(self._listed())
        rows = tuple(self._completed(package, number, *spec) for number, spec in enumerate(specs, 1))
        if self.dependencies > MAX_DEPENDENCIES:
            message = f"more than {MAX_DEPENDENCIES:,} dependencies: further ones are not read"
            self.findings.add("unreadable", message, self.list_line)
        return rows, True

    def _detailed(self, entry: WrittenValue) -> tuple[tuple[Row, ...], bool]:
        details = careful_rows(entry, self.findings)
        check_meta(self._value("meta"), self._line("meta") or entry.line, details, self.findings)
        return details.rows, details.ended

    def _listed(self) -> Iterator[tuple[str, str]]:
        """The spec string and the sidecar's name of each row of an older page; either may be empty."""
        files, names = (self._list(key) for key in ("spec_files", "spec_names"))
        if names and len(names) != len(files):
            message = f"{len(files)} spec_files, but {len(names)} spec_names"
            self.findings.add("row", message, self.list_line)
        for index in range(max(len(files), len(names))):
            file = files[index] if index < len(files) else ""
            name = names[index] if index < len(names) else ""
            if isinstance(file, dict) and len(file) == 1:
                ((name, file),) = file.items()
            if isinstance(name, str) and isinstance(file, str | None):
                yield name, file or ""
            elif not isinstance(file, FrontMatterError) and not isinstance(name, FrontMatterError):
                wrong = file if isinstance(name, str) else name
                self.findings.add("row", f"row {index + 1} is {kind_of(wrong)}", self.list_line)

    def _list(self, key: str) -> list[Any]:
        """The elements of a list; FrontMatterError in place of one that cannot be read."""
        entry = self.front.entries.get(key)
        try:
            stated = value(entry) if entry else None
        except FrontMatterError as error:
            items = items_one_by_one(entry) if entry else None
            if items is None:
                self.findings.add("unreadable", f"{key}: {error.reason}", error.line)
                return []
            lost = [item for item in items if isinstance(item, FrontMatterError)]
            for each in lost:
                self.findings.add("row", f"{key}: {each.reason}", each.line)
            if not lost:
                self.findings.add("unreadable", f"{key}: {error.reason}; read line by line", error.line)
            return items
        if stated is None or isinstance(stated, list):
            return stated or []
        self.findings.add("unreadable", f"{key} is {kind_of(stated)}, not a list", self._line(key))
        return []

    def _completed(self, package: str, number: int, text: str, sidecar: str) -> Row:
        """The row of a spec string, with the hash and the details of its sidecar."""
        if len(text) > MAX_SPEC:
            message = f"row {number} has {len(text):,} characters, of which {MAX_SPEC:,} are read"
            self.findings.add("row", message, self.list_line)
        spec = parse_spec(text[:MAX_SPEC])
        self.dependencies += len(spec.row.dependencies)
        if self.dependencies > MAX_DEPENDENCIES:
            spec = msgspec.structs.replace(spec, row=msgspec.structs.replace(spec.row, dependencies=()))
        if spec.unread:
            message = f"row {number} cannot be read from here: {shortened(spec.unread)}"
            self.findings.add("row", message, self.list_line)
        found = self._sidecar(sidecar)
        if found is None:
            return spec.row
        # Pages of several packages in one flat folder all call their sidecars the same.
        if found.name != package or found.contradicts(spec):
            message = f"row {number}: {sidecar} is about another spec and was left out"
            self.findings.add("row", message, self.list_line, level="note")
            return spec.row
        check_hash(found.row.hash, sidecar, None, self.findings)
        return found.completed_by(spec)

    def _sidecar(self, name: str) -> WrittenSpec | None:
        """The sidecar beside the page; None where there is none, which is no fault."""
        if _SIDECAR_NAME.fullmatch(name) is None:
            return None
        path = self.path[: self.path.rfind("/") + 1] + name
        try:
            # A link could lead out of the folder.
            stamp, data = _load(f"{self.root}/{path}", path, MAX_SIDECAR, flags=os.O_NOFOLLOW)
            self.sidecars.append(stamp)
            if stamp.size > MAX_SIDECAR:
                raise ValueError(f"larger than {MAX_SIDECAR // 2**20} MB")
            return parse_sidecar(data)
        except FileNotFoundError:
            return None
        except OSError as error:
            is_link = error.errno == errno.ELOOP
            if not is_link:
                self.sidecars.append(no_stamp(path))
            reason = "a link" if is_link else error.strerror
        except ValueError as error:
            reason = str(error)
        self.findings.add("unreadable", f"{path} was not read: {reason}")
        return None


def _is_name(written: object) -> bool:
    return isinstance(written, str) and bool(written.strip()) and kind_of(written) == "a string"
