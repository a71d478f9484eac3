"""One file becomes a page, of whatever form, or problems, or nothing.

A page is known by its front matter alone; names and folders prove nothing. Whatever a file holds, `read` returns what
could be read, and a problem for what could not. Nobody complains about a README, but a file with the keys of a page, or
with a name that pages alone have, is a page that was destroyed.
A faultless page of the newest form takes the fast way (`sound_page`), every other one `_PageReader`.
Input: files of a folder that anybody may have written.
"""

from __future__ import annotations

import re

from msgspec import Struct

from cachetui.model.problem import Problem
from cachetui.model.spec import UNTAGGED, Page, Row
from cachetui.sources.files import read_file
from cachetui.sources.pages.fast_rows import Memory, sound_rows
from cachetui.sources.pages.frontmatter import FrontMatter, front_matter, kind_of
from cachetui.sources.pages.listing import unreadable
from cachetui.sources.pages.newer_rows import CarefulRows
from cachetui.sources.pages.older_rows import OlderRows
from cachetui.sources.yaml_data import YamlError
from cachetui.store.mtimes import FileMtimes, no_mtimes

MAX_PAGE = 64 * 2**20
"""Bytes of a page; the largest real one has under 2 MB."""

PAGE_NAME = "specs.md"
"""The name of all pages on the website."""

HEAD = 64 * 2**10
"""Bytes of a file by which it is judged."""

_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n")
_OTHER_LAYOUT = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?:(?!---)[^\n]*\n)*?[\"']?layout[\"']?[ \t]*:[ \t]*\S")
_KEYS = tuple(
    re.compile(rb"^%b[ \t]*:" % keys, re.MULTILINE)
    for keys in (rb"title", rb"layout", rb"(?:category|categories)", rb"(?:spec_details|spec_files|spec_names)")
)
MOST_KEYS = 3
"""From this many of these keys at the beginnings of lines on, a text is what is left of a page."""

_PAGE_FILE = re.compile(rf"(?:.*/)?(?:{re.escape(PAGE_NAME)}|[0-9]+_[0-9a-f]{{16}}\.(?:md|markdown|txt))")

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
    files: tuple[FileMtimes, ...]
    """All files that were read for it: itself, then sidecars."""


def read(root: str, path: str, memory: Memory) -> Reading:
    """Read one file; never raises for anything that it may hold.

    The `memory` of files read before makes it faster.
    """
    try:
        stamp, data = read_file(f"{root}/{path}", path, MAX_PAGE)
    except OSError as error:
        return Reading(None, (unreadable(path, error),), (no_mtimes(path),))
    page = sound_page(path, data, memory)
    if page is not None:
        return Reading(page, (), (stamp,))
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
    return None if found is None else Page(path=path, package=head[1], tag=head[2], hashes=found[0], builds=found[1])


def _careful_reading(root: str, stamp: FileMtimes, data: bytes) -> Reading:
    """Return the reading of any file."""
    path = stamp.path
    front = front_matter(path, data)
    if front is None:
        return Reading(None, _lost_page(path, data), (stamp,))
    if stamp.size > MAX_PAGE:
        message = f"larger than {MAX_PAGE // 2**20} MB"
        return Reading(None, (Problem(path=path, kind="unreadable", message=message),), (stamp,))
    reader = _PageReader(root, path, front)
    page = reader.page()
    return Reading(page, tuple(front.problems.found), (stamp, *reader.older.sidecars))


class _PageReader:
    """Reads a page of any form, key by key, and says what is wrong with it."""

    def __init__(self, root: str, path: str, front: FrontMatter) -> None:
        self.path = path
        self.front = front
        self.problems = front.problems
        self.older = OlderRows(root, path, front)

    def page(self) -> Page | None:
        package = self._package()
        if package is None:
            return None
        tag = self._tag()
        rows, ended = self._rows(package)
        if ended and not self.front.closed:
            self.problems.add("unreadable", "no closing `---` line", self.front.end_line)
        return Page.of(self.path, package, tag, rows)

    def _package(self) -> str | None:
        title = self.front.value("title")
        if _is_name(title):
            return str(title)
        if not isinstance(title, YamlError):
            self.problems.add("unreadable", f"title is {kind_of(title)}, not a name", self.front.line("title"))
        return None

    def _tag(self) -> str:
        key = "categories" if "categories" in self.front.entries else "category"
        stated = self.front.value(key)
        names = [stated] if key == "category" else stated
        if stated is None or isinstance(stated, YamlError):
            return UNTAGGED
        if not isinstance(names, list) or not all(map(_is_name, names)):
            self.problems.add("unreadable", f"{key} is not a list of names", self.front.line(key))
            names = [name for name in names if _is_name(name)] if isinstance(names, list) else []
        return next((name for name in names if name != "package"), UNTAGGED)

    def _rows(self, package: str) -> tuple[tuple[Row, ...], bool]:
        """Return the rows, and whether the list of them was read to its end."""
        entry = self.front.entries.get("spec_details")
        if entry is not None:
            details, meta = CarefulRows(entry, self.problems), self.front.value("meta")
            if not isinstance(meta, YamlError):
                details.check_meta(meta, self.front.line("meta") or entry.line)
            return details.rows, details.ended
        if not {"spec_files", "spec_names"} & self.front.entries.keys():
            self.problems.add("unreadable", "a page without spec_details", self.front.end_line)
            return (), True
        return self.older.rows(package), True


def _is_name(written: object) -> bool:
    return isinstance(written, str) and bool(written.strip()) and kind_of(written) == "a string"


# Files that should be pages


def _lost_page(path: str, data: bytes) -> tuple[Problem, ...]:
    """Return the problem of a file that is no page but should be one; none where it need not be one."""
    head = data[:HEAD]
    if _OTHER_LAYOUT.match(head):
        return ()
    keys = sum(key.search(head) is not None for key in _KEYS)
    if keys < MOST_KEYS and not _PAGE_FILE.fullmatch(path):
        return ()
    opens = _OPENING.match(head) is not None
    reason = "it has no `layout: cache`" if opens else "it does not begin with `---`" if head else "it is empty"
    return (Problem(path=path, line=1, kind="unreadable", message=f"should be a page, but {reason}"),)
