"""The `meta` of a newer page: what it says of the rows as a whole, and where they contradict it.

Input: `meta` as YAML gives it, and the rows as far as they could be read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from msgspec import Struct

from cachetui.model.spec import Row
from cachetui.sources.pages.findings import Findings, is_digits, is_text, kind_of, shortened
from cachetui.sources.pages.newer_rows import Details

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
    """What `meta` should say of these rows."""
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


def check_meta(meta: object, line: int, details: Details, findings: Findings) -> None:
    """Adds a problem for each thing in `meta` that the rows contradict; none where rows could not be read."""
    if meta is None:
        return
    if not isinstance(meta, dict):
        findings.add("meta", f"meta is {kind_of(meta)}, not a mapping", line)
    elif details.whole:
        for message in _contradictions(meta, summary(details.rows), details.absent):
            findings.add("meta", message, line)


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
            yield f"meta has {len(said)} values in {key}, the page has {len(found)}" + _difference(said, found)


def _other_count(stated: object, actual: int, where: str) -> Iterator[str]:
    if stated is None:
        return
    if is_digits(stated):
        stated = int(str(stated))
    if isinstance(stated, bool) or not isinstance(stated, int):
        yield f"meta has {kind_of(stated)} as the number of specs{where}"
    elif stated != actual:
        yield f"meta says {stated} {'spec' if stated == 1 else 'specs'}{where}, the page has {actual}"


def _difference(said: set[str], found: frozenset[str]) -> str:
    sides = (("only in meta", said - found), ("only in the rows", found - said))
    return "".join(f"; {side}: {shortened(', '.join(sorted(names)))}" for side, names in sides if names)
