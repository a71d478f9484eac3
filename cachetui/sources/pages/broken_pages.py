"""Files that should be pages and are none, and pages that contradict the path at which they lie.

Nobody complains about a README. But a file is a page that was destroyed where the keys of one are left in it, where
it has the name that the website gives its pages, or where those beside it are pages.
Input: files of a content folder that are no pages, and the paths of pages.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from cachetui.model.problem import Problem
from cachetui.sources.files import read_file
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
        """Return whether a page lies beside this file.

        Beside it is what has its name but for numbers, or its name in a folder beside its own.
        """
        folder, _, name = path.rpartition("/")
        shape, upper = _NUMBER.sub("0", name), os.path.dirname(folder)
        alike = (os.path.join(folder, each) for each in self._names(folder) if _NUMBER.sub("0", each) == shape)
        if shape != name and self._any_page((folder, shape), alike, path):
            return True
        below = (os.path.join(upper, each, name) for each in self._names(upper))
        return bool(folder) and self._any_page((upper, f"/{name}"), below, path)

    def _any_page(self, place: tuple[str, str], beside: Iterator[str], path: str) -> bool:
        if place not in self._known:
            others = (other for other in beside if other != path and os.path.isfile(f"{self._root}/{other}"))
            self._known[place] = any(map(self._is_page, islice(others, BESIDE)))
        return self._known[place]

    def _names(self, folder: str) -> Iterator[str]:
        with suppress(OSError):
            yield from sorted(os.listdir(f"{self._root}/{folder}"))

    def _is_page(self, path: str) -> bool:
        with suppress(OSError, FrontMatterError):
            return front_matter(read_file(f"{self._root}/{path}", path, HEAD)[1]) is not None
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
