"""The rows of a newer page (2023 and later), read element by element, so that a fault costs one field.

`fast_rows` is the fast way to the same rows, for a page without any fault.
Input: the text after `spec_details:`.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from cachetui.model.spec import Row
from cachetui.sources.pages.findings import Findings, check_hash, is_digits, is_size, is_text, kind_of
from cachetui.sources.pages.frontmatter import FrontMatterError, WrittenValue, json_list, yaml_value
from cachetui.sources.pages.spec_strings import split_architecture

REQUIRED = ("hash", "compiler", "versions", "os", "platform", "target", "variants", "stacks")
"""The fields that every newer page writes in every row."""


class Details(Struct, frozen=True):
    """The rows of one page as far as they could be read."""

    rows: tuple[Row, ...]
    absent: dict[str, list[int]]
    """For each required field that is missing somewhere, the rows without it, counted from 1."""
    ended: bool
    """Whether the list was read to its end."""
    whole: bool
    """Whether every row and field was read."""


def careful_rows(entry: WrittenValue, findings: Findings) -> Details:
    """All rows that can be read from `spec_details`, with a problem for each fault in them."""
    elements, ended = _elements(entry, findings)
    reader = _RowReader(entry.line, findings)
    rows = tuple(row for number, element in enumerate(elements, 1) if (row := reader.row(number, element)))
    for field, numbers in reader.absent.items():
        message = f"{len(numbers)} of {len(elements)} rows without {field}, the first is row {numbers[0]}"
        findings.add("missing-field", message, entry.line)
    return Details(rows, reader.absent, ended, ended and reader.whole)


def _elements(entry: WrittenValue, findings: Findings) -> tuple[list[Any], bool]:
    """The elements of the list, and whether it was read to its end."""
    elements, end = json_list(entry.text)
    if end is None:
        return elements, True
    try:
        found = yaml_value(entry)
    except FrontMatterError as error:
        if elements:
            line = entry.line + entry.text.count("\n", 0, end)
            message = f"spec_details breaks off behind row {len(elements)}: nothing further is read"
            findings.add("unreadable", message, line)
        else:
            findings.add("unreadable", f"spec_details: {error.reason}", error.line)
        return elements, False
    if not isinstance(found, list):
        findings.add("unreadable", f"spec_details is {kind_of(found)}, not a list", entry.line)
        return [], False
    for element in found:
        # YAML is read without numbers.
        if isinstance(element, dict) and is_digits(element.get("size")):
            element["size"] = int(element["size"])
    return found, True


class _RowReader:
    """Reads rows one by one, and gathers what is wrong with them."""

    def __init__(self, line: int, findings: Findings) -> None:
        self.line = line
        self.findings = findings
        self.absent: dict[str, list[int]] = {}
        self.whole = True

    def row(self, number: int, element: object) -> Row | None:
        if not isinstance(element, dict):
            self._fault(number, f"is {kind_of(element)}, not a mapping")
            return None
        if isinstance(element.get("architecture"), str):
            element = split_architecture(element["architecture"]) | element
        for field in REQUIRED:
            if element.get(field) is None or (field == "versions" and element[field] == []):
                self.absent.setdefault(field, []).append(number)
        found = Row(
            hash=self._text(number, element, "hash"),
            compiler=self._text(number, element, "compiler"),
            versions=self._texts(number, element, "versions"),
            os=self._text(number, element, "os"),
            platform=self._text(number, element, "platform"),
            target=self._text(number, element, "target"),
            variants=self._texts(number, element, "variants"),
            stacks=self._texts(number, element, "stacks"),
            size=self._size(number, element),
            tarball=self._text(number, element, "tarball"),
            dependencies=self._texts(number, element, "dependencies"),
        )
        check_hash(found.hash, f"row {number}", self.line, self.findings)
        return found

    def _fault(self, number: int, message: str) -> None:
        self.whole = False
        self.findings.add("row", f"row {number} {message}", self.line)

    def _text(self, number: int, element: dict[str, Any], field: str) -> str | None:
        written = element.get(field)
        if written is None or is_text(written):
            return written
        self._fault(number, f"has {kind_of(written)} as {field}")
        return None

    def _texts(self, number: int, element: dict[str, Any], field: str) -> tuple[str, ...]:
        written = element.get(field)
        if written is None:
            return ()
        if not isinstance(written, list):
            self._fault(number, f"has {kind_of(written)} as {field}, not a list")
            return ()
        texts = tuple(text for text in written if is_text(text))
        if len(texts) < len(written):
            wrong = next(item for item in written if not is_text(item))
            self._fault(number, f"has {kind_of(wrong)} among its {field}")
        return texts

    def _size(self, number: int, element: dict[str, Any]) -> str | int | None:
        written: str | int | None = element.get("size")
        if is_size(written):
            return written
        self._fault(number, f"has {kind_of(written)} as size")
        return None
