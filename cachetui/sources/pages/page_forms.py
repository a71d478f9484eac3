"""One file becomes a page, of whatever form, or problems, or nothing.

A page is known by its front matter alone; names and folders prove nothing. Whatever a file holds, `read` returns
what could be read, and a problem for what could not.
A faultless page of the newest form takes the fast way (`sound_page`), every other one `_PageReader`.
Input: files of a folder that anybody may have written.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from cachetui.model.problem import Problem
from cachetui.model.spec import UNTAGGED, Page, Row
from cachetui.sources.files import read_file
from cachetui.sources.pages.broken_pages import contradictions, lost_page
from cachetui.sources.pages.fast_rows import Memory, sound_rows
from cachetui.sources.pages.frontmatter import FrontMatter, FrontMatterError, WrittenValue, front_matter, value
from cachetui.sources.pages.listing import unreadable
from cachetui.sources.pages.newer_rows import careful_rows, check_meta
from cachetui.sources.pages.older_rows import OlderRows
from cachetui.sources.pages.problems import PageProblems, kind_of
from cachetui.store.stamps import FileStamp, no_stamp

MAX_PAGE = 64 * 2**20
"""Bytes of a page; the largest real one has under 2 MB."""

_SOUND_HEAD = re.compile(
    r"\ufeff?---\r?\n"
    r'title: "([\w.+-]+)"\r?\n'
    r"layout: cache\r?\n"
    r"categories: \[package, ([\w.+-]+)\]\r?\n"
    r"meta: ",
    re.ASCII,
)


class Reading(Struct, frozen=True):
    """What one file gave: a page, problems, both, or (if it is no page) neither."""

    page: Page | None
    problems: tuple[Problem, ...]
    files: tuple[FileStamp, ...]
    """All files that were read for it: itself, then sidecars."""


def read(root: str, path: str, memory: Memory) -> Reading:
    """Read one file; never raises for anything that it may hold.

    The `memory` of files read before makes it faster.
    """
    try:
        stamp, data = read_file(f"{root}/{path}", path, MAX_PAGE)
    except OSError as error:
        return Reading(None, (unreadable(path, error),), (no_stamp(path),))
    page = sound_page(path, data, memory)
    if page is not None:
        return Reading(page, contradictions(path, page.package, page.tag), (stamp,))
    return _careful_reading(root, stamp, data)


def sound_page(path: str, data: bytes, memory: Memory) -> Page | None:
    """Return the page of a file that is one of the newest form without any fault; None for any other."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    head = _SOUND_HEAD.match(text)
    if head is None:
        return None
    found = sound_rows(text[head.end() :], head[2], memory)
    if found is None:
        return None
    return Page(path=path, package=head[1], tag=head[2], hashes=found.hashes, builds=found.builds)


def _careful_reading(root: str, stamp: FileStamp, data: bytes) -> Reading:
    """Return the reading of any file."""
    path = stamp.path
    try:
        front = front_matter(data)
    except FrontMatterError as error:
        problem = Problem(path=path, line=error.line, kind="unreadable", message=error.reason)
        return Reading(None, (problem,), (stamp,))
    if front is None:
        return Reading(None, lost_page(path, data), (stamp,))
    if stamp.size > MAX_PAGE:
        message = f"larger than {MAX_PAGE // 2**20} MB"
        return Reading(None, (Problem(path=path, kind="unreadable", message=message),), (stamp,))
    reader = _PageReader(root, path, front)
    page = reader.page()
    misplaced = contradictions(path, page.package, page.tag) if page else ()
    return Reading(page, (*reader.problems.found, *misplaced), (stamp, *reader.sidecars))


class _PageReader:
    """Reads a page of any form, key by key, and says what is wrong with it."""

    def __init__(self, root: str, path: str, front: FrontMatter) -> None:
        self.root = root
        self.path = path
        self.front = front
        self.problems = PageProblems(path)
        self._older = OlderRows(root, path, front, self.problems)

    @property
    def sidecars(self) -> list[FileStamp]:
        """The files that were read beside the page."""
        return self._older.sidecars

    def page(self) -> Page | None:
        for key, line in self.front.repeated:
            self.problems.add("unreadable", f"{key} stands twice; the last one counts", line)
        if self.front.broken_line is not None:
            self.problems.add("unreadable", "bytes that are not UTF-8", self.front.broken_line)
        package = self._package()
        if package is None:
            return None
        tag = self._tag()
        rows, ended = self._rows(package)
        if ended and not self.front.closed:
            self.problems.add("unreadable", "no closing `---` line", self.front.end_line)
        return Page.of(self.path, package, tag, rows)

    def _value(self, key: str) -> Any:
        """Return the value of a key, None if it is absent, with a problem and the error where it cannot be read."""
        entry = self.front.entries.get(key)
        try:
            return None if entry is None else value(entry)
        except FrontMatterError as error:
            self.problems.add("unreadable", f"{key}: {error.reason}", error.line)
            return error

    def _package(self) -> str | None:
        title = self._value("title")
        if "title" not in self.front.entries:
            self.problems.add("unreadable", "a page without title")
        elif _is_name(title):
            return str(title)
        elif not isinstance(title, FrontMatterError):
            said = f"{kind_of(title)}, not a name" if title else "empty"
            self.problems.add("unreadable", f"title is {said}", self._line("title"))
        return None

    def _line(self, key: str) -> int | None:
        entry = self.front.entries.get(key)
        return entry.line if entry else None

    def _tag(self) -> str:
        key = "categories" if "categories" in self.front.entries else "category"
        stated = self._value(key)
        names = [stated] if key == "category" else stated
        if stated is None or isinstance(stated, FrontMatterError):
            return UNTAGGED
        if not isinstance(names, list) or not all(map(_is_name, names)):
            self.problems.add("unreadable", f"{key} is not a list of names", self._line(key))
            names = [name for name in names if _is_name(name)] if isinstance(names, list) else []
        return next((name for name in names if name != "package"), UNTAGGED)

    def _rows(self, package: str) -> tuple[tuple[Row, ...], bool]:
        """Return the rows, and whether the list of them was read to its end."""
        details = self.front.entries.get("spec_details")
        if details is not None:
            return self._detailed(details)
        if not {"spec_files", "spec_names"} & self.front.entries.keys():
            self.problems.add("unreadable", "a page without spec_details", self.front.end_line)
            return (), True
        return self._older.rows(package), True

    def _detailed(self, entry: WrittenValue) -> tuple[tuple[Row, ...], bool]:
        details = careful_rows(entry, self.problems)
        meta = self._value("meta")
        if not isinstance(meta, FrontMatterError):
            check_meta(meta, self._line("meta") or entry.line, details, self.problems)
        return details.rows, details.ended


def _is_name(written: object) -> bool:
    return isinstance(written, str) and bool(written.strip()) and kind_of(written) == "a string"
