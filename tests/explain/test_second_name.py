"""Names that may be meant by one typed behind another."""

from __future__ import annotations

import pytest

from cachetui.explain.second_name import names_instead
from tests.support.rows import index_of, row


@pytest.mark.parametrize(
    ("typed", "instead"),
    [
        ("hdf5 +mpi opnmpi", [(0, "openmpi +mpi")]),
        ("hdf5 ar", [(0, "abricot")]),  # two letters are like so many words that they are no key
        ("hdf5 arc", []),  # as in arch=
        ("hdf5 arch", []),
        ("hdf5 sta", [(0, "crystal")]),  # as in stack=, but a package has it in its name
        ("hdf5", []),
    ],
)
def test_a_word_of_three_letters_that_is_spelled_like_a_key_is_no_name(
    typed: str, instead: list[tuple[int, str]]
) -> None:
    index = index_of(map(row, ("hdf5", "openmpi", "abricot", "crystal")))
    assert list(names_instead(index, typed))[:1] == instead
