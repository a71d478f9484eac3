"""Split the front matter of a page into keys and unparsed values, and collect the problems of the page.

Each value is parsed separately, so that the other keys are still readable after an error.
YAML scalars are not converted, so that the version `1.10` does not become the number 1.1.
Input: the bytes of any file.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import msgspec

from cachetui.model.problem import Problem
from cachetui.model.spec import HASH
from cachetui.sources.yaml_data import read_yaml

KEYS = ("title", "layout", "category", "categories", "meta", "spec_details", "spec_files", "spec_names")
"""The possible keys of a page."""

MAX_ROWS = 100_000
"""Maximum number of rows that are read from one page. The largest real page has 1,500 rows."""

OPENING = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?(?=\n)")
_CLOSING = re.compile(rb"\n---[ \t]*\r?(?:\n|\Z)")
_LAYOUT = re.compile(rb"\n([\"']?)layout\1[ \t]*:[ \t]+([\"']?)cache\2[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)")
# A quoted key must be in `KEYS`, because a line of JSON may begin with `"hash":`.
_KEY = re.compile(
    rf"^(?:([A-Za-z_][\w-]*)|([\"'])({'|'.join(KEYS)})\2)[ \t]*:(?=[ \t\r\n]|\Z)",
    re.MULTILINE,
)
_LIST_START, _LIST_END = re.compile(r"\s*\[\s*"), re.compile(r"\]\s*\Z")
_BETWEEN = re.compile(r"\s*(?:,\s*|(?=\]))")
# Numbers stay text, because Python refuses to convert huge numbers. Only the end of each element is used.
_SCANNER = json.JSONDecoder(parse_int=str, strict=False)


class WrittenValue(msgspec.Struct, frozen=True):
    """The unparsed value of a key."""

    at: int
    """The position of the value in the front matter, in characters."""
    text: str
    """The text between the colon and the next key."""


class FrontMatter:
    """The front matter of one page, and the problems that were found in the page."""

    def __init__(self, path: str, raw: bytes, *, closed: bool) -> None:
        """Split the front matter into keys. `raw` begins with the second line of the file.

        `closed` means that the file has a closing `---` line.
        """
        self.path = path
        self.closed = closed
        self.problems: list[Problem] = []
        self._text = raw.decode(errors="replace")
        self.end = len(self._text.rstrip())
        try:
            raw.decode()
        except UnicodeDecodeError as error:
            self.add("unreadable", "the page is not UTF-8 text", len(raw[: error.start].decode()))
        keys = list(_KEY.finditer(self._text))
        self.entries: dict[str, WrittenValue] = {}
        for found, following in zip(keys, [*keys[1:], None], strict=False):
            text = self._text[found.end() : following.start() if following else None]
            self.entries[found[1] or found[3]] = WrittenValue(found.end(), text)
        counts = Counter(found[1] or found[3] for found in keys)
        for key in KEYS:
            if counts[key] > 1:
                self.add("unreadable", f"{key} appears twice; the last one counts", self.entries[key].at)

    def add(self, kind: str, message: str, at: int | None = None, hashes: Iterable[str] = ()) -> None:
        """Add a problem. `at` is the position of the problem in the front matter, in characters.

        Lone surrogates in the message are escaped.
        """
        line = None if at is None else self._line(at)
        self.problems.append(Problem.of(self.path, kind, message, line=line, hashes=hashes))

    def _line(self, at: int) -> int:
        """Return the line number in the file, counted from 1, for a position in the front matter."""
        return 2 + self._text.count("\n", 0, at)

    def names(self, key: str) -> list[str] | None:
        """Return the names under a key: an empty list if the key is missing, None if the value is invalid."""
        entry = self.entries.get(key)
        if entry is None:
            return []
        try:
            written = self._texts(entry)
        except ValueError as error:
            self.add("unreadable", f"{key}: {error}", entry.at)
            return None
        names = written if isinstance(written, list) else [written]
        is_read = all(map(_is_name, names))
        if not is_read:
            self.add("unreadable", f"the value of {key} is not a name", entry.at)
        return names if is_read else None

    def _texts(self, entry: WrittenValue) -> Any:
        """Parse a value. Every scalar in the result is a string. Raises ValueError."""
        with suppress(ValueError):
            return msgspec.json.decode(entry.text, type=str | list[str])
        above = "\n" * (self._line(entry.at) - 1)  # so that the line number in an error message is correct
        return read_yaml(f"{above}value:{entry.text}", texts_only=True)["value"]


class RowFaults:
    """The errors in the rows of a page. Equal errors in several rows become one problem."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], list[tuple[int, str]]] = {}

    def add(self, number: int, kind: str, what: str, spec_hash: str = "") -> None:
        """Add an error, such as `os is missing`. `number` is the number of the row, counted from 1."""
        self._rows.setdefault((kind, what), []).append((number, spec_hash))

    def check_hash(self, number: int, written: str | None) -> None:
        """Add an error if the hash of a row is malformed. The row still keeps this hash."""
        if written is not None and HASH.fullmatch(written) is None:
            self.add(number, "hash", "the hash is malformed", written)

    def report(self, front: FrontMatter, rows: int, at: int) -> bool:
        """Add all errors to the problems of the page, and return whether there are errors.

        `rows` is the number of rows in the page. `at` is the position of the rows in the front matter.
        """
        for (kind, what), found in self._rows.items():
            message = f"{what} in {len(found)} of {rows} rows, first in row {found[0][0]}"
            front.add(kind, message, at, [spec_hash for _, spec_hash in found if spec_hash])
        return bool(self._rows)


def front_matter(path: str, data: bytes) -> FrontMatter | None:
    """Return the front matter of a page, or None for any other file."""
    opening = OPENING.match(data)
    if opening is None:
        return None
    closing = _CLOSING.search(data, opening.end())
    end = closing.start() + 1 if closing else len(data)
    if _LAYOUT.search(data, opening.end(), end) is None:
        return None
    return FrontMatter(path, data[opening.end() + 1 : end], closed=closing is not None)


def json_list(text: str) -> tuple[list[str], int | None]:
    """Return the text of each element of a JSON list, and the position of the first error, if any."""
    elements: list[str] = []
    between = _LIST_START.match(text)
    position = 0
    while between and len(elements) < MAX_ROWS:
        position = between.end()
        if _LIST_END.match(text, position):
            return elements, None
        try:
            _, end = _SCANNER.raw_decode(text, position)
        except (ValueError, RecursionError):
            break
        elements.append(text[position:end])
        position, between = end, _BETWEEN.match(text, end)
    return elements, position


def _is_name(written: object) -> bool:
    """Return whether a value is a string that has visible characters and no lone surrogates."""
    return isinstance(written, str) and bool(written.strip()) and written == written.encode(errors="replace").decode()
