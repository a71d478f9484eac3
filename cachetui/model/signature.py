"""The signature of a binary: all its recorded values in normal spelling, without hash and stacks.

This is not a GPG signature. A rebuild changes the hash but keeps the signature, so comparisons of two tags use
signatures. If an old and a new build share a stack and differ in only one field, they form a pair. A pair is shown as
one changed build. A build without a stack can form a pair with a build of any stack.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

from cachetui.mappings import grouped
from cachetui.model.spec import normal_compiler, normal_variant, split_compiler
from cachetui.model.version import natural_key, sort_key


class Signature(NamedTuple):
    """The values that are equal in a binary and its rebuild: the version, the compiler and so on."""

    version: str
    compiler: str
    os: str
    platform: str
    target: str
    variants: tuple[str, ...]
    """The variants, sorted."""

    @property
    def text(self) -> str:
        """All values except the variants, in Spack's syntax."""
        version = f"@{self.version} " if self.version else ""
        return f"{version}%{self.compiler} arch={self.platform or None}-{self.os or None}-{self.target or None}"


def names_apart(signatures: Iterable[Signature]) -> dict[Signature, str]:
    """Return a distinct name for each signature: its text. If several texts are equal, their names include variants."""
    names: dict[Signature, str] = {}
    for text, group in grouped((each.text, each) for each in signatures).items():
        common = frozenset.intersection(*(frozenset(each.variants) for each in group))
        names |= {each: " ".join([text, *(one for one in each.variants if one not in common)]) for each in group}
    return names


def listed(texts: Iterable[str], between: str = ",") -> str | None:
    """Return the texts joined in natural order; None for an empty list."""
    return between.join(sorted(texts, key=natural_key)) or None


# Differences

SignatureValue = str | bool | int | tuple[str, ...] | None
"""A value in the spelling of the page. If two lists differ, each contains only the entries that the other lacks."""

Differences = dict[str, tuple[SignatureValue, SignatureValue]]
"""The old and the new value of each field that differs."""


def differences(old: object, new: object, fields: Iterable[str]) -> Differences:
    """Return the fields that differ between two specs, nodes or signatures. Ignore differences in spelling."""
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
    """Return a value as text; None if the value is missing."""
    return listed(value, " ") if isinstance(value, tuple) else None if value in (None, "") else str(value)


# Pairs

PairedField = Literal["version", "target", "os", "compiler", "variants"]
"""The field in which the signatures of two paired builds may differ."""

PAIRED_FIELDS: tuple[PairedField, ...] = ("version", "target", "os", "compiler", "variants")
"""All fields that may differ in a pair, in the order in which pairs are searched."""

Unit = tuple[Signature, frozenset[str]]
"""The signature of builds, and their stacks without `root`."""


def pairs(name: PairedField, gone: Iterable[Unit], came: Iterable[Unit]) -> Iterator[tuple[Unit, Unit]]:
    """Yield pairs: an old build, and a new build that differs only in the field `name`. The most similar are first."""
    like = _by_rest(name, came)
    for rest, olds in _by_rest(name, gone).items():
        # the builds must have a common stack, or one of them must have no stack
        found = [(old, new) for old in olds for new in like.get(rest, ()) if not (old[1] and new[1]) or old[1] & new[1]]
        yield from sorted(found, key=lambda pair: _distance(name, *pair))


def _by_rest(name: PairedField, units: Iterable[Unit]) -> dict[tuple[object, ...], list[Unit]]:
    """Group builds with equal signatures, without regard to one field (`name`). Sort each group by this field."""
    left_out = Signature._fields.index(name)
    ordered = sorted(units, key=lambda each: (_order_key(name, each[0]), sorted(each[1])), reverse=name == "version")
    return grouped(((*unit[0][:left_out], *unit[0][left_out + 1 :]), unit) for unit in ordered)


def _order_key(name: PairedField, signature: Signature) -> Any:
    """Return the key that sorts signatures by one field."""
    value = getattr(signature, name)
    if name == "version":
        return sort_key(value)
    return value if name == "variants" else natural_key(value)


def _distance(name: PairedField, old: Unit, new: Unit) -> tuple[bool, int, int]:
    """Return a sort key that puts the most similar pairs first. If only one build of a pair has a stack, it is last."""
    own = int(name == "compiler" and split_compiler(old[0].compiler)[0] != split_compiler(new[0].compiler)[0])
    if name == "variants":
        own = len(set(old[0].variants) ^ set(new[0].variants))
    return bool(old[1]) != bool(new[1]), own, len(old[1] ^ new[1])
