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


@pytest.mark.parametrize(
    ("typed", "instead"),
    [
        ("hdf5@1.14 zlib", "zlib"),
        ("hdf5 @1.14 zlib", "zlib"),
        ("hdf5@1.14+mpi zlib", "zlib"),
        ("hdf5@1.14+mpi+shared os=rhel8 zlib", "zlib+shared os=rhel8"),
        ("hdf5 os=rhel8 +mpi zlib", "zlib os=rhel8"),
        ("hdf5@1.3 api=v1 %gcc@11 zlib", "zlib %gcc@11"),
        ("hdf5 stack=nosuch zlib", "zlib stack=nosuch"),
    ],
)
def test_what_is_of_the_first_package_alone_is_not_asked_of_the_second(typed: str, instead: str) -> None:
    index = index_of([row("hdf5", variants=["+mpi", "api=v1"]), row("zlib", "1.3", variants=["+shared"])])
    assert next(names_instead(index, typed)) == (0, instead)
