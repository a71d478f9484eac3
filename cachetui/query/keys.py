"""The keys that a query gives a meaning of its own, such as `os` and `fits`, and those that lack the blank before them.

Input: the table of facets. Invariant: no variant of a query has one of these names.
"""

from __future__ import annotations

from cachetui.model.facets import VALUE_KEYS
from cachetui.model.spec import FLAGS

OURS = frozenset({"fits", "complete", *(name for name, facet in VALUE_KEYS.items() if not facet.in_spack)})
"""Those that Spack's own queries do not have."""

ARCH = ("arch", "architecture")
"""Platform, os and target in one value."""

_SPACKS = [key for facet in VALUE_KEYS.values() if facet.in_spack for key in (facet.name, *facet.spellings)]
RESERVED = frozenset({*_SPACKS, *ARCH, *FLAGS})
"""Those that Spack's own queries have too."""

KEYS = RESERVED | OURS
"""All of them."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
"""What a key, or the name of a variant, is made of."""


def glued_key(before: str) -> str:
    """The key that stands right behind another word, without a blank: `os` of `hdf5os` and of `+mpios`; else empty.

    `before`: what stands before the `=` or the `!=`.
    """
    word = before[len(before.rstrip(LETTERS)) :]
    if word in KEYS:
        return ""
    glued = (key for key in KEYS if word.endswith(key) and word[: -len(key)][-1:].isalnum())
    return max(glued, key=len, default="")


def with_blank(text: str, at: int) -> tuple[int, str] | None:
    """For a key without a blank before it: where that is missing, and the word of the text with it.

    `at`: where its `=` or `!=` stands. None where no blank is missing: `hdf5+mpios=rhel8` gives 8, `hdf5+mpi os=rhel8`.
    """
    key = glued_key(text[:at])
    if not key:
        return None
    place = at - len(key)
    begin, end = (text[:place].split() or [""])[-1], (text[place:].split() or [""])[0]
    return place, f"{begin} {end}"
