"""The signature of a binary: what a page says of it but its hash and stacks, in normal spellings.

A rebuild changes the hash and leaves the signature as it is, so builds of two tags are compared by it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from cachetui.model.spec import natural_key, split_compiler
from cachetui.model.version import sort_key

PairedField = Literal["version", "target", "os", "compiler", "variants"]
"""The fields in which alone two signatures may differ to be one build that changed."""


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


def order_key(name: PairedField, signature: Signature) -> Any:
    """Sorts signatures by one field."""
    value = getattr(signature, name)
    if name == "version":
        return sort_key(value)
    return value if name == "variants" else natural_key(value)


def distance(name: PairedField, old: Signature, new: Signature) -> int:
    """How much two signatures differ in one field: the variants that not both have; 1 for another compiler."""
    if name == "variants":
        return len(set(old.variants) ^ set(new.variants))
    return int(name == "compiler" and split_compiler(old.compiler)[0] != split_compiler(new.compiler)[0])


def differing(name: PairedField, old: Signature, new: Signature) -> tuple[str | None, str | None]:
    """The two values of one field, None where there is none; of the variants those alone that not both have."""
    if name == "variants":
        return listed(set(old.variants) - set(new.variants), " "), listed(set(new.variants) - set(old.variants), " ")
    return getattr(old, name) or None, getattr(new, name) or None


def listed(texts: Iterable[str], between: str = ",") -> str | None:
    """The texts in natural order as one; None where there are none."""
    return between.join(sorted(texts, key=natural_key)) or None
