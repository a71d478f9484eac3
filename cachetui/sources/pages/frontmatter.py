"""The front matter of a page: its keys, the text of each, and that text as plain data.

Each key is read by itself, so that a fault in one loses no other. Nothing here trusts its input:
nesting and length are bounded.
A YAML scalar stays the text that was written, so that a version `1.10` is not the number 1.1.
Input: the bytes of a file in a content folder.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from cachetui.sources.yaml_data import MAX_DEPTH, MAX_VALUES, YamlError, read_yaml

MAX_LINES = 1_000_000

_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?(?=\n)")
_CLOSING = re.compile(rb"\n---[ \t]*\r?(?:\n|\Z)")
_LAYOUT = re.compile(rb"\n([\"']?)layout\1[ \t]*:[ \t]+([\"']?)cache\2[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)")
# Only the keys of a page count when quoted: a row of JSON may begin a line with `"hash":`.
_KEY = re.compile(
    r"(?:([A-Za-z_][\w-]*)|([\"'])(title|layout|category|categories|meta|spec_details|spec_files|spec_names)\2)"
    r"[ \t]*:(?=[ \t\r\n]|\Z)"
)
_WORD = re.compile(r"[A-Za-z0-9][\w.+-]*")
_WORDS = re.compile(r"\[ *[A-Za-z0-9][\w.+-]*(?: *, *[A-Za-z0-9][\w.+-]*)* *\]")
_ITEM = re.compile(
    r"[ \t]*-[ \t]+(?:\"([^\"\\]*)\"|'([^']*)'|([A-Za-z0-9][\w.+-]*))(?:[ \t]*:[ \t]+([\w.-]+))?[ \t\r]*"
)
_ITEM_START = re.compile(r"[ \t]*-(?=[ \t]|\Z)")
# Quotes stand within quotes on some pages of 2021, which is no YAML.
_LOOSE_ITEM = re.compile(r"\s*-[ \t]+\"(.*)\"(?:[ \t]*:[ \t]+([\w.-]+))?\s*")
_BLANK = re.compile(r"\s*")
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))


class FrontMatterError(Exception):
    """A value that cannot be read."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


class WrittenValue(Struct, frozen=True):
    """One key's value as it is written."""

    line: int
    """The line of the key in the file, counted from 1."""
    text: str
    """All that stands after the colon, up to the next key."""


class FrontMatter(Struct, frozen=True):
    """The front matter of one page."""

    entries: dict[str, WrittenValue]
    repeated: tuple[tuple[str, int], ...]
    """Keys that stood before, and their lines; the last one counts."""
    end_line: int
    """The last line of the front matter."""
    closed: bool
    """Whether a closing `---` line follows."""
    broken_line: int | None
    """The first line with bytes that are not UTF-8; they are replaced by U+FFFD."""

    def line(self, key: str) -> int | None:
        """Return the line of a key; None where it is absent."""
        entry = self.entries.get(key)
        return entry.line if entry else None


def front_matter(data: bytes) -> FrontMatter | None:
    """Return the front matter of a page, or None if this is no page; FrontMatterError if it is too long."""
    opening = _OPENING.match(data)
    if opening is None:
        return None
    closing = _CLOSING.search(data, opening.end())
    end = closing.start() + 1 if closing else len(data)
    if _LAYOUT.search(data, opening.end(), end) is None:
        return None
    if data.count(b"\n", 0, end) > MAX_LINES:
        raise FrontMatterError(1, f"the front matter has more than {MAX_LINES:,} lines")
    raw = data[opening.end() + 1 : end]
    broken_line = None
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        broken_line = 2 + raw.count(b"\n", 0, error.start)
        text = raw.decode(errors="replace")
    entries: dict[str, WrittenValue] = {}
    repeated = []
    for key, entry in _entries(text):
        if key in entries:
            repeated.append((key, entry.line))
        entries[key] = entry
    lines = 1 + text.rstrip().count("\n")
    return FrontMatter(entries, tuple(repeated), 1 + lines, closing is not None, broken_line)


def _entries(text: str) -> Iterator[tuple[str, WrittenValue]]:
    key, key_line, start = "", 0, 0
    position, line = 0, 2
    while position >= 0:
        if found := _KEY.match(text, position):
            if key:
                yield key, WrittenValue(key_line, text[start:position])
            key, key_line, start = found[1] or found[3], line, found.end()
        position = text.find("\n", position) + 1 or -1
        line += 1
    if key:
        yield key, WrittenValue(key_line, text[start:])


def value(entry: WrittenValue) -> Any:
    """Return the value as plain data; FrontMatterError if it cannot be read."""
    text = entry.text.strip()
    if _WORD.fullmatch(text) or text in _NULLS:
        return _scalar(text)
    if text[0] in '[{"':
        try:
            found = _JSON.decode(text)
        except (ValueError, RecursionError):
            found = None
        if found is not None and not is_deep(text):
            return found
    if _WORDS.fullmatch(text):
        return [_scalar(word.strip()) for word in text[1:-1].split(",")]
    items = block_list(entry)
    for error in items or ():
        if isinstance(error, FrontMatterError):
            raise error
    return yaml_value(entry) if items is None else items


def _scalar(text: str) -> str | None:
    return None if text in _NULLS else text


def block_list(entry: WrittenValue) -> list[Any] | None:
    """Return the elements of a block list, each read by itself; None for any other text.

    An element is a FrontMatterError where it cannot be read. A short item a line needs no YAML, which allows a key
    only 1,024 characters.
    """
    items: list[tuple[int, list[str]]] = []
    for line, text in enumerate(entry.text.split("\n"), entry.line):
        if _ITEM_START.match(text):
            items.append((line, [text]))
        elif items and not _BLANK.fullmatch(text):
            items[-1][1].append(text)
        elif not _BLANK.fullmatch(text):
            return None
    return [_item(line, "\n".join(lines)) for line, lines in items] or None


def _item(line: int, text: str) -> Any:
    if found := _ITEM.fullmatch(text):
        double, single, word, mapped = found.groups()
        item = double if double is not None else single if single is not None else _scalar(word)
        return item if mapped is None else {item: _scalar(mapped)}
    try:
        (element,) = yaml_value(WrittenValue(line - 1, f"\n{text}"))
    except (FrontMatterError, TypeError, ValueError) as error:
        if loose := _LOOSE_ITEM.fullmatch(text):
            written, mapped = loose[1].replace('\\"', '"'), loose[2]
            return written if mapped is None else {written: mapped}
        reason = error.reason if isinstance(error, FrontMatterError) else "no element of a list"
        return FrontMatterError(getattr(error, "line", line), reason)
    return element


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) < 19 else math.inf


# A huge number becomes infinity: Python refuses to read it, and the rest of the page would be lost with it.
_JSON = json.JSONDecoder(parse_int=_integer, strict=False)


def json_list(text: str) -> tuple[list[Any], int | None]:
    """Return the elements of a JSON list, and where reading stopped if not at its end."""
    elements: list[Any] = []
    position = _blank(text, 0)
    if text[position : position + 1] != "[":
        return elements, position
    position = _blank(text, position + 1)
    if text[position : position + 1] != "]":
        while len(elements) < MAX_VALUES:
            try:
                element, end = _JSON.raw_decode(text, position)
            except (ValueError, RecursionError):
                return elements, position
            if is_deep(text[position:end]):
                return elements, position
            elements.append(element)
            position = _blank(text, end)
            if text[position : position + 1] != ",":
                break
            position = _blank(text, position + 1)
    if text[position : position + 1] != "]":
        return elements, position
    position = _blank(text, position + 1)
    return elements, position if position < len(text) else None


def is_deep(text: str) -> bool:
    """Return whether JSON may nest more than `MAX_DEPTH` deep, which is refused: a row or `meta` has a few brackets."""
    return text.count("[") + text.count("{") > MAX_DEPTH


def _blank(text: str, position: int) -> int:
    found = _BLANK.match(text, position)
    return found.end() if found else position


def yaml_value(entry: WrittenValue) -> Any:
    """Return the value read as YAML, every scalar a text; FrontMatterError if it cannot or must not be read."""
    try:
        return read_yaml("value:" + entry.text, texts_only=True)["value"]
    except YamlError as error:
        # the end of the text is reported on the line after it
        line = min(error.line - 1, entry.text.rstrip().count("\n"))
        raise FrontMatterError(entry.line + line, error.reason) from error
