"""Random rows for small catalogues: with few values, so that every combination occurs."""

from itertools import permutations
from typing import Any

from hypothesis import strategies as st

from tests.support.rows import row
from tests.support.strategies import one_of_each

TAGS = ("develop", "v1.0.0", "develop-2025-04-20")
STACKS = ("e4s", "hep", "ml", "root")

HASHES = [None] * 10 + [letter * 32 for letter in "abcdefghij"]
"""Ten hashes, or none: a hash may be in several tags, on several pages and twice on a page."""

ROWS: st.SearchStrategy[dict[str, Any]] = st.builds(
    lambda text, fields: row(hash=text, **fields),
    st.sampled_from(HASHES),
    one_of_each(
        package=["hdf5", "zlib"],
        version=["1.9", "1.10", "main"],
        tag=TAGS,
        compiler=["gcc@11.4.0", "gcc@=11.4.0", "oneapi@2024.1", "intel-oneapi-compilers@2024.1", "none"],
        os=["ubuntu22.04", "rhel8"],
        target=["x86_64_v3", "zen4"],
        variants=[["+mpi", "api=v1"], ["api:=v1", "+mpi"], ["~mpi", "api=v1"]],
        stacks=[list(some) for most in range(len(STACKS) + 1) for some in permutations(STACKS, most)],
    ),
)

CATALOGUES = st.lists(ROWS, max_size=25)


def build(each: dict[str, Any], number: int) -> object:
    """Return the identity of a build: its hash; without a hash, the number of its row."""
    return each["hash"] or number
