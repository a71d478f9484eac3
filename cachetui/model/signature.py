"""The signature of a binary: all its recorded values but its hash and its stacks, in normal spelling.

A rebuild changes the hash and keeps the signature, so builds of two tags are compared by it. Two builds are paired, as
one build that changed, if their signatures differ in a single field and they share a stack or one has no stack.
"""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any, Literal, NamedTuple

from cachetui.model.spec import normal_compiler, normal_variant, split_compiler
from cachetui.model.version import natural_key, sort_key


class Signature(NamedTuple):
    """The values that are equal in two binaries of the same build."""

    version: str
    compiler: str
    os: str
    platform: str
    target: str
    variants: tuple[str, ...]
    """Sorted."""

    @property
    def text(self) -> str:
        """All values but the variants, in Spack's syntax."""
        version = f"@{self.version} " if self.version else ""
        return f"{version}%{self.compiler} arch={self.platform or None}-{self.os or None}-{self.target or None}"


def names_apart(signatures: Iterable[Signature]) -> dict[Signature, str]:
    """Return a name for each signature: its text, and the variants in which signatures with this text differ."""
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
    """Return the texts joined in natural order; None for an empty list."""
    return between.join(sorted(texts, key=natural_key)) or None


# Differences

SignatureValue = str | bool | int | tuple[str, ...] | None
"""A value as the page spells it. A list has only the entries that the other side lacks."""

Differences = dict[str, tuple[SignatureValue, SignatureValue]]
"""The values of both sides, for each field that differs."""


def differences(old: object, new: object, fields: Iterable[str]) -> Differences:
    """Return the fields that differ between two specs, nodes or signatures. Other spellings count as equal."""
    found: Differences = {}
    for name in fields:
        pair = getattr(old, name), getattr(new, name)
        if pair[0] == pair[1]:
            continue
        if isinstance(pair[0], tuple):
            texts = [set(map(normal_variant, values)) for values in pair]
            pair = (
                tuple(each for each in pair[0] if normal_variant(each) not in texts[1]),
                tuple(each for each in pair[1] if normal_variant(each) not in texts[0]),
            )
        mine, other = map(normal_compiler, pair) if name == "compiler" else pair
        if mine != other:
            found[name] = pair
    return found


def value_text(value: SignatureValue) -> str | None:
    """Return a value as text; None for no value."""
    return listed(value, " ") if isinstance(value, tuple) else None if value in (None, "") else str(value)


# Pairs

PairedField = Literal["version", "target", "os", "compiler", "variants"]
"""The field in which the signatures of two paired builds may differ."""

PAIRED_FIELDS: tuple[PairedField, ...] = ("version", "target", "os", "compiler", "variants")
"""All paired fields, in the order in which they are tried."""

Unit = tuple[Signature, frozenset[str]]
"""What pairs builds: their signature, and their stacks without `root`."""


def pairs(name: PairedField, gone: Iterable[Unit], came: Iterable[Unit]) -> Iterator[tuple[Unit, Unit]]:
    """Yield an old and a new build that differ only in this field; the nearest first if several could pair."""
    like = _by_rest(name, came)
    for rest, olds in _by_rest(name, gone).items():
        found = [pair for pair in product(olds, like.get(rest, ())) if _may_pair(*pair)]
        yield from sorted(found, key=lambda pair: _distance(name, *pair))


def _by_rest(name: PairedField, units: Iterable[Unit]) -> dict[tuple[object, ...], list[Unit]]:
    """Return the units, ordered by one field, grouped by the other fields of their signatures."""
    left_out = Signature._fields.index(name)
    found: dict[tuple[object, ...], list[Unit]] = {}
    for unit in sorted(units, key=lambda each: (_order_key(name, each[0]), sorted(each[1])), reverse=name == "version"):
        found.setdefault((*unit[0][:left_out], *unit[0][left_out + 1 :]), []).append(unit)
    return found


def _may_pair(old: Unit, new: Unit) -> bool:
    """Return whether two builds share a stack, or one of them has no stack."""
    return not old[1] or not new[1] or not old[1].isdisjoint(new[1])


def _order_key(name: PairedField, signature: Signature) -> Any:
    """Return the key that sorts signatures by one field."""
    value = getattr(signature, name)
    if name == "version":
        return sort_key(value)
    return value if name == "variants" else natural_key(value)


def _distance(name: PairedField, old: Unit, new: Unit) -> tuple[bool, int, int]:
    """Return how far apart two builds are: whether just one is in a stack, then by this field, then by stacks."""
    own = int(name == "compiler" and split_compiler(old[0].compiler)[0] != split_compiler(new[0].compiler)[0])
    if name == "variants":
        own = len(set(old[0].variants) ^ set(new[0].variants))
    return bool(old[1]) != bool(new[1]), own, len(old[1] ^ new[1])
