"""Files that should be pages and are none, and pages that contradict the path at which they lie.

Nobody complains about a README. But a file is a page that was destroyed where the keys of one are left in it, or where
it has a name that pages alone have.
Input: files of a content folder that are no pages, and the paths of pages.
"""

from __future__ import annotations

import re

from cachetui.model.problem import Problem

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
_TAG = r"develop|develop-\d{4}-\d{2}-\d{2}|v\d+(?:\.\d+)*[^/]*"
_PLACE = re.compile(rf"(?:^|/)({_TAG})/([^/]+)/{re.escape(PAGE_NAME)}")


def lost_page(path: str, data: bytes) -> tuple[Problem, ...]:
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
