"""The places of a text against a look at every entry, however the table is cut into pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.search.substring_index import Places
from cachetui.store.strings import Strings

TEXTS = st.lists(st.text("ab", max_size=6), max_size=12)
PIECES = st.integers(1, 9)


def expected(texts: list[str], sought: str) -> list[tuple[int, int]]:
    return [
        (k, at) for k, text in enumerate(texts) for at in range(len(text)) if sought and text.startswith(sought, at)
    ]


@given(TEXTS, st.text("ab", min_size=1, max_size=4), PIECES)
def test_a_text_is_found_within_entries_alone(texts: list[str], sought: str, piece: int) -> None:
    places = Places(Strings.of(texts), sought.encode(), piece=piece)
    assert list(places) == list(places) == expected(texts, sought)


@given(TEXTS, st.text("ab", min_size=2, max_size=4), PIECES, st.integers(0, 5))
def test_a_longer_text_is_found_from_the_places_of_a_shorter_one(
    texts: list[str], sought: str, piece: int, steps: int
) -> None:
    table = Strings.of(texts)
    shorter = Places(table, sought[:-1].encode(), piece=piece)
    for _ in range(steps):
        shorter.seek()
    assert list(Places(table, sought.encode(), shorter, piece=piece)) == expected(texts, sought)


def test_no_more_is_sought_than_is_asked_for() -> None:
    places = Places(Strings.of(["ab"] * 10), b"ab", piece=4)
    assert next(iter(places)) == (0, 0)
    steps = 0
    while places.seek():
        steps += 1
    assert steps == 4


@pytest.mark.parametrize("base", [0, 3])
def test_a_table_in_the_middle_of_a_buffer(base: int) -> None:
    whole = Strings.of(["aba", "bab"])
    table = Strings(b"a" * base + whole.buffer[:] + b"b", whole.offsets, base)
    shorter = Places(table, b"a")
    assert list(shorter) == [(0, 0), (0, 2), (1, 1)]
    assert list(Places(table, b"ab", shorter)) == [(0, 0), (1, 1)]
