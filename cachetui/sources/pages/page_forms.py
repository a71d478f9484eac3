"""One file becomes a page, of whatever form, or problems, or nothing.

A page is known by its front matter alone; names and folders prove nothing. Whatever a file holds, `read` returns
what could be read, and a problem for what could not.
A faultless page of the newest form takes the fast way (`_sound_page`), every other one `_PageReader`.
Input: files of a folder that anybody may have written.
"""

from __future__ import annotations

import os
import re
from typing import Any

from msgspec import Struct

from cachetui.model.problem import Problem
from cachetui.model.spec import UNTAGGED, Page, Row
from cachetui.sources.files import read_file
from cachetui.sources.pages.broken_pages import Neighbours, contradictions, lost_page
from cachetui.sources.pages.fast_rows import Memory, sound_page_rows
from cachetui.sources.pages.frontmatter import FrontMatter, FrontMatterError, WrittenValue, front_matter, value
from cachetui.sources.pages.listing import SUFFIXES, unreadable
from cachetui.sources.pages.newer_rows import careful_rows, check_meta
from cachetui.sources.pages.older_rows import OlderRows
from cachetui.sources.pages.problems import PageProblems, kind_of
from cachetui.store.stamps import FileStamp, no_stamp, stamp_of

MAX_PAGE = 64 * 2**20
"""Bytes of a page; the largest real one has under 2 MB."""

SHORT = 2**18
"""Bytes of a file that may wait in memory for being worked out, beside some hundred others."""

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


class Loaded(Struct, frozen=True):
    """The bytes of one file, of which nothing is worked out yet."""

    files: tuple[FileStamp, ...]
    """The folder where it was opened for this file alone, and the file."""
    data: bytes

    @property
    def can_wait(self) -> bool:
        """Whether it can be worked out later: it is short, and begins as pages do that need no other file."""
        return len(self.data) <= SHORT and _SOUND_HEAD.match(self.data.decode(errors="replace")) is not None


def read(root: str, path: str, memory: Memory | None = None, neighbours: Neighbours | None = None) -> Reading:
    """Read one file; never raises for anything that it may hold.

    The `memory` of files read before, and what is known of the `neighbours` of such files, make it faster.
    """
    loaded = load(root, path)
    if isinstance(loaded, Reading):
        return loaded
    return sound_reading(loaded, memory or Memory()) or careful_reading(root, loaded, neighbours)


def load(root: str, path: str) -> Loaded | Reading:
    """Return the bytes of one file, or what is to be said of one that cannot be opened."""
    try:
        stamp, data = read_file(f"{root}/{path}", path, MAX_PAGE)
    except OSError as error:
        return Reading(None, (unreadable(path, error),), (no_stamp(path),))
    return Loaded((stamp,), data)


def load_lone_page(root: str, folder: str) -> Loaded | None:
    """Return the bytes of the only file in a folder that holds nothing else, as nearly all do; None for any other.

    The folder's stamp, taken before it is listed, is the first of its files.
    """
    try:
        path = f"{root}/{folder}"
        status = os.stat(path)
        names = os.listdir(path)
        if len(names) != 1 or not names[0].endswith(SUFFIXES):
            return None
        stamp, data = read_file(path + names[0], folder + names[0], MAX_PAGE)
    except OSError:
        return None
    return Loaded((stamp_of(folder, 0, status), stamp), data)


def sound_reading(loaded: Loaded, memory: Memory) -> Reading | None:
    """Return the reading of a file that is a page of the newest form without any fault; None for any other."""
    try:
        text = loaded.data.decode()
    except UnicodeDecodeError:
        return None
    head = _SOUND_HEAD.match(text)
    if head is None:
        return None
    path, package, tag = loaded.files[-1].path, head[1], head[2]
    found = sound_page_rows(text[head.end() :], tag, memory, look_up=memory.looks_up(package))
    if found is None:
        return None
    page = Page(path=path, package=package, tag=tag, hashes=found.hashes, builds=found.builds)
    return Reading(page, contradictions(path, package, tag), loaded.files)


def careful_reading(root: str, loaded: Loaded, neighbours: Neighbours | None = None) -> Reading:
    """Return the reading of any file that was loaded by itself."""
    (stamp,), data = loaded.files, loaded.data
    path = stamp.path
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
