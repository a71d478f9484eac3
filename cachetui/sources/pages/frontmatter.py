"""The front matter of a page: its keys, their values as plain data, and what is wrong with them.

Each key is read by itself, so that a fault in one loses no other. Nothing here trusts its input:
nesting and length are bounded.
A YAML scalar stays the text that was written, so that a version `1.10` is not the number 1.1.
Input: the bytes of a file in a content folder.
"""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from itertools import zip_longest
from typing import Any, Literal

from msgspec import Struct

from cachetui.model.problem import Problem
from cachetui.model.spec import HASH
from cachetui.sources.yaml_data import MAX_DEPTH, MAX_VALUES, YamlError, read_yaml

MAX_PROBLEMS = 100
"""Most problems of one page that are reported."""

MAX_SIZE = 2**63 - 1

_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?(?=\n)")
_CLOSING = re.compile(rb"\n---[ \t]*\r?(?:\n|\Z)")
_LAYOUT = re.compile(rb"\n([\"']?)layout\1[ \t]*:[ \t]+([\"']?)cache\2[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)")
# Only the keys of a page count when quoted: a row of JSON may begin a line with `"hash":`.
_KEY = re.compile(
    r"^(?:([A-Za-z_][\w-]*)|([\"'])(title|layout|category|categories|meta|spec_details|spec_files|spec_names)\2)"
    r"[ \t]*:(?=[ \t\r\n]|\Z)",
    re.MULTILINE,
)
# Quotes stand within quotes on some pages of 2021, which is no YAML.
_ITEM = re.compile(
    r"""[ \t]*-[ \t]+(?:"((?:[^\\\n]|\\")*?)"|'([^'\n]*)'|([A-Za-z0-9][\w.+-]*))(?:[ \t]*:[ \t]+(["']?)([\w.-]+)\4)?"""
)
_ITEM_START = re.compile(r"\n(?=[ \t]*-(?:[ \t]|$))", re.MULTILINE)
_LIST_START, _LIST_END = re.compile(r"\s*\[\s*"), re.compile(r"\]\s*\Z")
_BETWEEN = re.compile(r"\s*(?:,\s*|(?=\]))")


class WrittenValue(Struct, frozen=True):
    """One key's value as it is written."""

    line: int
    """The line of the key in the file, counted from 1."""
    text: str
    """All that stands after the colon, up to the next key."""


class PageProblems:
    """The problems of one page, in the order in which they are found; at most MAX_PROBLEMS."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.found: list[Problem] = []

    def add(self, kind: str, message: str, line: int | None = None, level: Literal["fault", "note"] = "fault") -> None:
        """Note a problem; what is no text in it is written with backslashes."""
        if len(self.found) > MAX_PROBLEMS:
            return
        if len(self.found) == MAX_PROBLEMS:
            kind, message, line = "unreadable", "more problems, not listed", None
        text = message.encode(errors="backslashreplace").decode()
        self.found.append(Problem(path=self.path, line=line, level=level, kind=kind, message=text))

    def add_unreadable(self, key: str, error: YamlError) -> None:
        """Note that the value of a key cannot be read."""
        self.add("unreadable", f"{key}: {error.reason}", error.line)

    def check_hash(self, written: str | None, where: str, line: int | None) -> None:
        """Add a problem for a malformed hash; the row keeps it as it is written."""
        if written is not None and HASH.fullmatch(written) is None:
            self.add("hash", f"{where} has a malformed hash: {shortened(written)}", line)


class FrontMatter:
    """The front matter of one page."""

    def __init__(self, path: str, raw: bytes, *, closed: bool) -> None:
        """`raw` begins in the second line; `closed` says whether a closing `---` line follows."""
        self.problems = PageProblems(path)
        self.closed = closed
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            self.problems.add("unreadable", "bytes that are not UTF-8", 2 + raw.count(b"\n", 0, error.start))
            text = raw.decode(errors="replace")
        self.end_line = 2 + text.rstrip().count("\n")
        self.entries: dict[str, WrittenValue] = {}
        keys = list(_KEY.finditer(text))
        line, position = 2, 0
        for found, following in zip_longest(keys, keys[1:]):
            line += text.count("\n", position, found.start())
            position, key = found.start(), found[1] or found[3]
            if key in self.entries:
                self.problems.add("unreadable", f"{key} stands twice; the last one counts", line)
            self.entries[key] = WrittenValue(line, text[found.end() : following.start() if following else None])

    def line(self, key: str) -> int | None:
        """Return the line of a key; None where it is absent."""
        entry = self.entries.get(key)
        return entry.line if entry else None

    def value(self, key: str) -> Any:
        """Return the value of a key as plain data, None if it is absent.

        One that cannot be read is a problem, and the error is returned.
        """
        entry = self.entries.get(key)
        if entry is None:
            return None
        text = entry.text.strip()
        if text.startswith(("[", "{", '"')) and not is_deep(text):
            with suppress(ValueError, RecursionError):
                return _JSON.decode(text)
        try:
            return yaml_value(entry)
        except YamlError as error:
            self.problems.add_unreadable(key, error)
            return error


def front_matter(path: str, data: bytes) -> FrontMatter | None:
    """Return the front matter of a page, or None if this is no page."""
    opening = _OPENING.match(data)
    if opening is None:
        return None
    closing = _CLOSING.search(data, opening.end())
    end = closing.start() + 1 if closing else len(data)
    if _LAYOUT.search(data, opening.end(), end) is None:
        return None
    return FrontMatter(path, data[opening.end() + 1 : end], closed=closing is not None)


def yaml_value(entry: WrittenValue) -> Any:
    """Return the value read as YAML, every scalar a text; YamlError if it cannot or must not be read."""
    return _yaml("value:" + entry.text, entry.line)["value"]


def _yaml(text: str, line: int) -> Any:
    """Return the data of YAML that begins in this line of the file."""
    try:
        return read_yaml(text, texts_only=True)
    except YamlError as error:
        # the end of the text is reported on the line after it
        raise YamlError(error.reason, line + min(error.line - 1, text.rstrip().count("\n"))) from None


def block_list(entry: WrittenValue) -> list[Any]:
    """Return the elements of a block list, each read by itself; none for any other text.

    An element is a YamlError where it cannot be read. A short item a line needs no YAML, which allows a key only 1,024
    characters.
    """
    first, *items = _ITEM_START.split(entry.text)
    line = entry.line + first.count("\n")
    elements: list[Any] = []
    for text in () if first.strip() else items:
        elements.append(_item(line + 1, text.rstrip()))
        line += 1 + text.count("\n")
    return elements


def _item(line: int, text: str) -> Any:
    if found := _ITEM.fullmatch(text):
        item = (found[1] or found[2] or found[3] or "").replace('\\"', '"')
        return {item: found[5]} if found[5] else item
    try:
        return _yaml(text, line)[0]
    except YamlError as error:
        return error


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) < 19 else math.inf


# A huge number becomes infinity: Python refuses to read it, and the rest of the page would be lost with it.
_JSON = json.JSONDecoder(parse_int=_integer, strict=False)


def json_list(text: str) -> tuple[list[Any], int | None]:
    """Return the elements of a JSON list, and where reading stopped if not at its end."""
    elements: list[Any] = []
    between = _LIST_START.match(text)
    position = 0
    while between:
        position = between.end()
        if _LIST_END.match(text, position):
            return elements, None
        try:
            element, end = _JSON.raw_decode(text, position)
        except (ValueError, RecursionError):
            break
        if is_deep(text[position:end]) or len(elements) == MAX_VALUES:
            break
        elements.append(element)
        position, between = end, _BETWEEN.match(text, end)
    return elements, position


def is_deep(text: str) -> bool:
    """Return whether JSON may nest more than `MAX_DEPTH` deep, which is refused: a row or `meta` has a few brackets."""
    return text.count("[") + text.count("{") > MAX_DEPTH


# What a value is


def is_size(written: object) -> bool:
    """Return whether a row may have this as its size: bytes, a text such as `-`, or nothing."""
    if isinstance(written, int) and not isinstance(written, bool):
        return 0 <= written <= MAX_SIZE
    return written is None or is_text(written)


def is_text(written: object) -> bool:
    """Return whether it is a string that can be written out again: JSON may hold half of a surrogate pair."""
    if not isinstance(written, str):
        return False
    try:
        written.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_digits(written: object) -> bool:
    return isinstance(written, str) and written.isascii() and written.isdecimal() and len(written) < 19


def shortened(text: str) -> str:
    """Return at most 60 characters of a text, for a message."""
    return text if len(text) <= 60 else text[:59] + "…"


def kind_of(written: object) -> str:
    """Return what a value is, in the words of JSON."""
    if isinstance(written, str):
        return "a string" if is_text(written) else "a string that is no valid text"
    if isinstance(written, bool):
        return "a boolean"
    if isinstance(written, int | float):
        return "a huge number" if written > MAX_SIZE else "a number" if written >= 0 else "a negative number"
    return "null" if written is None else "a list" if isinstance(written, list) else "a mapping"
