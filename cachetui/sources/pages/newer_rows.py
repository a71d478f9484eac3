"""The rows of a newer page (2023 and later), read element by element, so that a fault costs one field.

`fast_rows` is the fast way to the same rows, for a page without any fault.
Input: the text after `spec_details:`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from msgspec import Struct

from cachetui.model.spec import Row
from cachetui.safe_text import plural
from cachetui.sources.pages.frontmatter import (
    PageProblems,
    WrittenValue,
    is_digits,
    is_size,
    is_text,
    json_list,
    kind_of,
    shortened,
    yaml_value,
)
from cachetui.sources.pages.older_rows import split_architecture
from cachetui.sources.yaml_data import YamlError

REQUIRED = ("hash", "compiler", "versions", "os", "platform", "target", "variants", "stacks")
"""The fields that every newer page writes in every row."""


class CarefulRows:
    """All rows that can be read from `spec_details`, with a problem for each fault in them."""

    def __init__(self, entry: WrittenValue, problems: PageProblems) -> None:
        self.line = entry.line
        self.problems = problems
        self.absent: dict[str, list[int]] = {}
        """For each required field that is missing somewhere, the rows without it, counted from 1."""
        elements, self.ended = _elements(entry, problems)
        """Whether the list was read to its end."""
        self.whole = self.ended
        """Whether every row and field was read."""
        self.rows = tuple(row for number, element in enumerate(elements, 1) if (row := self._row(number, element)))
        for field, numbers in self.absent.items():
            message = f"{len(numbers)} of {len(elements)} rows without {field}, the first is row {numbers[0]}"
            problems.add("missing-field", message, self.line)

    def check_meta(self, meta: object, line: int) -> None:
        """Add a problem for each thing in `meta` that the rows contradict; none where rows could not be read."""
        if meta is None:
            return
        if not isinstance(meta, dict):
            self.problems.add("meta", f"meta is {kind_of(meta)}, not a mapping", line)
        elif self.whole:
            for message in _contradictions(meta, summary(self.rows), self.absent):
                self.problems.add("meta", message, line)

    def _row(self, number: int, element: object) -> Row | None:
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
        self.problems.check_hash(found.hash, f"row {number}", self.line)
        return found

    def _fault(self, number: int, message: str) -> None:
        self.whole = False
        self.problems.add("row", f"row {number} {message}", self.line)

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


def _elements(entry: WrittenValue, problems: PageProblems) -> tuple[list[Any], bool]:
    """Return the elements of the list, and whether it was read to its end."""
    elements, end = json_list(entry.text)
    if end is None:
        return elements, True
    try:
        found = yaml_value(entry)
    except YamlError as error:
        if elements:
            line = entry.line + entry.text.count("\n", 0, end)
            message = f"spec_details breaks off behind row {len(elements)}: nothing further is read"
            problems.add("unreadable", message, line)
        else:
            problems.add_unreadable("spec_details", error)
        return elements, False
    if not isinstance(found, list):
        problems.add("unreadable", f"spec_details is {kind_of(found)}, not a list", entry.line)
        return [], False
    for element in found:
        # YAML is read without numbers.
        if isinstance(element, dict) and is_digits(element.get("size")):
            element["size"] = int(element["size"])
    return found, True


# What `meta` says of the rows

_SETS = {
    "versions": "versions",
    "compilers": "compiler",
    "oss": "os",
    "platforms": "platform",
    "targets": "target",
    "stacks": "stacks",
}


class Meta(Struct, frozen=True, kw_only=True):
    """What a page says of its rows as a whole, or what they are; None where it says nothing."""

    num_specs: int | None = None
    num_specs_by_stack: dict[str, int] | None = None
    versions: frozenset[str] | None = None
    compilers: frozenset[str | None] | None = None
    oss: frozenset[str | None] | None = None
    platforms: frozenset[str | None] | None = None
    targets: frozenset[str | None] | None = None
    stacks: frozenset[str] | None = None


def summary(rows: Sequence[Row]) -> Meta:
    """Return what `meta` should say of these rows."""
    by_stack = dict(Counter(chain.from_iterable([row.stacks for row in rows])))
    return Meta(
        num_specs=len(rows),
        num_specs_by_stack=by_stack,
        versions=frozenset(chain.from_iterable([row.versions for row in rows])),
        compilers=frozenset([row.compiler for row in rows]),
        oss=frozenset([row.os for row in rows]),
        platforms=frozenset([row.platform for row in rows]),
        targets=frozenset([row.target for row in rows]),
        stacks=frozenset(by_stack),
    )


def _contradictions(meta: dict[str, Any], actual: Meta, absent: dict[str, list[int]]) -> Iterator[str]:
    yield from _other_count(meta.get("num_specs"), actual.num_specs or 0, "")
    by_stack = meta.get("num_specs_by_stack")
    if isinstance(by_stack, dict) and "stacks" not in absent:
        counts = actual.num_specs_by_stack or {}
        for stack in by_stack | counts:
            yield from _other_count(by_stack.get(stack, 0), counts.get(stack, 0), f" in {shortened(str(stack))}")
    elif by_stack is not None and not isinstance(by_stack, dict):
        yield f"meta has {kind_of(by_stack)} as num_specs_by_stack, not a mapping"
    for key, field in _SETS.items():
        stated = meta.get(key)
        if stated is None or field in absent:
            continue
        if not isinstance(stated, list) or not all(map(is_text, stated)):
            yield f"meta has no list of strings as {key}"
        elif (said := set(stated)) != (found := getattr(actual, key)):
            yield f"meta has {len(said)} values in {key}, the page has {len(found)}"


def _other_count(stated: object, actual: int, where: str) -> Iterator[str]:
    if stated is None:
        return
    if is_digits(stated):
        stated = int(str(stated))
    if isinstance(stated, bool) or not isinstance(stated, int):
        yield f"meta has {kind_of(stated)} as the number of specs{where}"
    elif stated != actual:
        yield f"meta says {plural(stated, 'spec')}{where}, the page has {actual}"
