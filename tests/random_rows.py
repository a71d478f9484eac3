"""Random rows for small catalogues: few values of everything, so that they meet each other in every way."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.rows import row

TAGS = ("develop", "v1.0.0", "develop-2025-04-20")
STACKS = ("e4s", "hep", "ml", "root")

HASHES = st.one_of(st.none(), st.integers(0, 9).map(lambda number: "abcdefghij"[number] * 32))
"""Ten hashes, or none: the same one stands in several tags, on several pages and twice on a page."""

ROWS: st.SearchStrategy[dict[str, Any]] = st.builds(
    row,
    package=st.sampled_from(["hdf5", "zlib"]),
    version=st.sampled_from(["1.9", "1.10", "main"]),
    tag=st.sampled_from(TAGS),
    hash=HASHES,
    compiler=st.sampled_from(["gcc@11.4.0", "gcc@=11.4.0", "oneapi@2024.1", "intel-oneapi-compilers@2024.1", "none"]),
    os=st.sampled_from(["ubuntu22.04", "rhel8"]),
    target=st.sampled_from(["x86_64_v3", "zen4"]),
    variants=st.sampled_from([["+mpi", "api=v1"], ["api:=v1", "+mpi"], ["~mpi", "api=v1"]]),
    stacks=st.lists(st.sampled_from(STACKS), unique=True),
)

CATALOGUES = st.lists(ROWS, max_size=25)


def build(each: dict[str, Any], number: int) -> object:
    """What counts as one build: the hash, or the row itself where it has none."""
    return each["hash"] or number
