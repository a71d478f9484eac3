"""The signature of a binary: what a page says of it but its hash and stacks, in normal spellings.

A rebuild changes the hash and leaves the signature as it is, so builds of two tags are compared by it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from cachetui.model.spec import natural_key


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
    """The texts in natural order as one; None where there are none."""
    return between.join(sorted(texts, key=natural_key)) or None
