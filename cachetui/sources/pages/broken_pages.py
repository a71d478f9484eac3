"""Files that should be pages and are none, and pages that contradict the path at which they lie.

Nobody complains about a README. But a file is a page that was destroyed where the keys of one are left in it, where
it has the name that the website gives its pages, or where those beside it are pages.
Input: files of a content folder that are no pages, and the paths of pages.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice

from cachetui.model.problem import Problem
from cachetui.sources.pages.frontmatter import FrontMatterError, front_matter

PAGE_NAME = "specs.md"
"""The name of all pages on the website."""

BESIDE = 3
"""Files beside one that is no page that are looked into."""

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

_NUMBER = re.compile(r"[0-9a-f]{8,}|[0-9]+")
_TAG = r"develop|develop-\d{4}-\d{2}-\d{2}|v\d+(?:\.\d+)*[^/]*"
_PLACE = re.compile(rf"(?:^|/)({_TAG})/([^/]+)/{re.escape(PAGE_NAME)}")


class Neighbours:
    """Whether what lies beside a file are pages; asked of the disk once for each place."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._known: dict[tuple[str, str], bool] = {}

    def are_pages(self, path: str) -> bool:
        """Whether a page lies beside this file: with its name but for numbers, or with its name in a folder beside its
        own."""
        folder, _, name = path.rpartition("/")
        shape = _NUMBER.sub("0", name)
        if shape != name and self._any_page((folder, shape), self._alike(folder, shape), path):
            return True
        upper = os.path.dirname(folder)
        return bool(folder) and self._any_page((upper, f"/{name}"), self._below(upper, name), path)

    def _any_page(self, place: tuple[str, str], beside: Iterator[str], path: str) -> bool:
        if place not in self._known:
            others = islice((other for other in beside if other != path), BESIDE)
            self._known[place] = any(map(self._is_page, others))
        return self._known[place]

    def _alike(self, folder: str, shape: str) -> Iterator[str]:
        return (os.path.join(folder, name) for name in self._names(folder) if _NUMBER.sub("0", name) == shape)

    def _below(self, folder: str, name: str) -> Iterator[str]:
        paths = (os.path.join(folder, below, name) for below in self._names(folder))
        return (path for path in paths if os.path.isfile(f"{self._root}/{path}"))

    def _names(self, folder: str) -> list[str]:
        try:
            return sorted(os.listdir(f"{self._root}/{folder}"))
        except OSError:
            return []

    def _is_page(self, path: str) -> bool:
        try:
            descriptor = os.open(f"{self._root}/{path}", os.O_RDONLY | os.O_NONBLOCK)
            try:
                return front_matter(os.read(descriptor, HEAD)) is not None
            finally:
                os.close(descriptor)
        except (OSError, FrontMatterError):
            return False


def lost_page(path: str, data: bytes, neighbours: Neighbours) -> tuple[Problem, ...]:
    """Return the problem of a file that is no page but should be one; none where it need not be one."""
    head = data[:HEAD]
    opens = _OPENING.match(head) is not None
    if _OTHER_LAYOUT.match(head):
        return ()
    has_name = path.rpartition("/")[2] == PAGE_NAME
    if (
        not has_name
        and sum(key.search(head) is not None for key in _KEYS) < MOST_KEYS
        and not neighbours.are_pages(path)
    ):
        return ()
    reason = "it has no `layout: cache`" if opens else "it does not begin with `---`" if head else "it is empty"
    return (Problem(path=path, line=1, kind="unreadable", message=f"should be a page, but {reason}"),)


def contradictions(path: str, package: str, tag: str) -> tuple[Problem, ...]:
    """Return notes on a page that states another package or tag than its path does."""
    if path.endswith(f"{tag}/{package}/{PAGE_NAME}"):
        return ()
    place = _PLACE.search(path)
    if place is None:
        return ()
    stated = (("tag", place[1], tag), ("package", place[2], package))
    return tuple(
        Problem(path=path, level="note", kind="place", message=f"a page of the {what} {inside} in the folder {outside}")
        for what, outside, inside in stated
        if inside != outside
    )
