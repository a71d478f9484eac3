"""The signature of a binary: what a page says of it but its hash and stacks, in normal spellings.

A rebuild changes the hash and leaves the signature as it is, so builds of two tags are compared by it.
Builds of two tags are paired that are one build which changed: their signatures differ in a single field, and they
share a stack, or one of them is in none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any, Literal, NamedTuple

from cachetui.model.spec import natural_key, split_compiler
from cachetui.model.version import sort_key


class Signature(NamedTuple):
    """What must be equal for a build to be the same one again."""

    version: str
    compiler: str
    os: str
    platform: str
    target: str
    variants: tuple[str, ...]
    """Sorted."""

    @property
    def text(self) -> str:
        """All of it but the variants, in Spack's syntax."""
        version = f"@{self.version} " if self.version else ""
        return f"{version}%{self.compiler} arch={self.platform or None}-{self.os or None}-{self.target or None}"


def names_apart(signatures: Iterable[Signature]) -> dict[Signature, str]:
    """A name for each signature: its text, and where several have that text the variants that not all of them have."""
    alike: dict[str, list[Signature]] = {}
    for signature in signatures:
        alike.setdefault(signature.text, []).append(signature)
    names: dict[Signature, str] = {}
    for text, group in alike.items():
        common = frozenset.intersection(*(frozenset(each.variants) for each in group))
        for each in group:
            names[each] = " ".join([text, *(variant for variant in each.variants if variant not in common)])
    return names


def listed(texts: Iterable[str], between: str = ",") -> str | None:
    """Return the texts in natural order as one; None where there are none."""
    return between.join(sorted(texts, key=natural_key)) or None


# Pairs

PairedField = Literal["version", "target", "os", "compiler", "variants"]
"""The fields in which alone two signatures may differ to be one build that changed."""

PAIRED_FIELDS: tuple[PairedField, ...] = ("version", "target", "os", "compiler", "variants")
"""In the order in which they are tried."""

Unit = tuple[Signature, frozenset[str]]
"""What builds are paired by: their signature, and their stacks without `root`."""


def pairs(name: PairedField, gone: Iterable[Unit], came: Iterable[Unit]) -> Iterator[tuple[Unit, Unit]]:
    """Pairs of an old and a new build that differ in this field alone; of those alike in the rest the nearest first."""
    like = _by_rest(name, came)
    for rest, olds in _by_rest(name, gone).items():
        found = [pair for pair in product(olds, like.get(rest, ())) if _may_pair(*pair)]
        yield from sorted(found, key=lambda pair: _distance(name, *pair))


def differing(name: str, old: Signature, new: Signature) -> tuple[str | None, str | None]:
    """Return the two values of one field, None where there is none; of the variants those alone that not both have."""
    if name == "variants":
        return listed(set(old.variants) - set(new.variants), " "), listed(set(new.variants) - set(old.variants), " ")
    return getattr(old, name) or None, getattr(new, name) or None


def _by_rest(name: PairedField, units: Iterable[Unit]) -> dict[tuple[object, ...], list[Unit]]:
    """Return the units, in order, by what their signatures are without one field."""
    left_out = Signature._fields.index(name)
    found: dict[tuple[object, ...], list[Unit]] = {}
    for unit in sorted(units, key=lambda each: (_order_key(name, each[0]), sorted(each[1])), reverse=name == "version"):
        found.setdefault((*unit[0][:left_out], *unit[0][left_out + 1 :]), []).append(unit)
    return found


def _may_pair(old: Unit, new: Unit) -> bool:
    """Return whether they have a stack in common, or one of them is in none."""
    return not old[1] or not new[1] or not old[1].isdisjoint(new[1])


def _order_key(name: PairedField, signature: Signature) -> Any:
    """Sort signatures by one field."""
    value = getattr(signature, name)
    if name == "version":
        return sort_key(value)
    return value if name == "variants" else natural_key(value)


def _distance(name: PairedField, old: Unit, new: Unit) -> tuple[bool, int, int]:
    """Return whether just one is in a stack, then how far they are apart in this field, then in their stacks."""
    own = int(name == "compiler" and split_compiler(old[0].compiler)[0] != split_compiler(new[0].compiler)[0])
    if name == "variants":
        own = len(set(old[0].variants) ^ set(new[0].variants))
    return bool(old[1]) != bool(new[1]), own, len(old[1] ^ new[1])
