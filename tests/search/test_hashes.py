"""Hash lookup, compared with a naive search over small random tables."""

from bisect import bisect_left

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.search.hashes import (
    LETTERS,
    MIN_FOR_ONE_ERROR,
    MIN_FOR_TWO_ERRORS,
    HashMatch,
    TypedTable,
    lookup,
    prefixed,
    shortest_unique,
)
from cachetui.store.arrays import StringTable

TABLES = st.sets(st.text("ab2", min_size=10, max_size=10), max_size=40).map(sorted)
TYPED = st.text("ab2", min_size=1, max_size=10)

HASHES = [
    "",
    "2feova4prghd2gkebr23if6bojkyydpt",
    "2feovb7777777777777777777777777a",
    "3yg7mb3joqfede6zmcyarzwv2cosa6f5",
]


def distance(one: str, other: str) -> int:
    """Return the number of wrong, missing, extra or swapped characters. No character counts in two typing errors."""
    rows = [[i + j if not (i and j) else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            wrong = rows[i - 1][j - 1] + (one[i - 1] != other[j - 1])
            rows[i][j] = min(wrong, rows[i - 1][j] + 1, rows[i][j - 1] + 1)
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


def expected(hashes: list[str], typed: str) -> list[tuple[str, str, int]]:
    """Return the hash, kind and errors of every match, in order."""
    allowed = (len(typed) >= MIN_FOR_ONE_ERROR) + (len(typed) >= MIN_FOR_TWO_ERRORS)
    found = []
    for text in hashes:
        errors = min(distance(typed, text[:length]) for length in range(len(text) + 1))
        if text.startswith(typed):
            found.append((0 if text == typed else 1, 0, text, "exact" if text == typed else "prefix"))
        elif typed in text:
            found.append((2, 0, text, "inside"))
        elif errors <= allowed:
            found.append((3, errors, text, "near"))
    return [(text, kind, errors) for _, errors, text, kind in sorted(found)]


def shown(found: tuple[HashMatch, ...]) -> list[tuple[str, str, int]]:
    return [(match.hash, match.kind, match.errors) for match in found]


@given(TABLES, TYPED)
def test_hash_lookup_gives_matches_in_same_order_as_naive_search(hashes: list[str], typed: str) -> None:
    found = lookup(StringTable.of(hashes), typed)
    assert shown(found) == expected(hashes, typed)
    assert [hashes[match.number] for match in found] == [match.hash for match in found]
    assert lookup(StringTable.of(hashes), typed, limit=2) == found[:2]


@given(TABLES.filter(bool), st.data())
def test_hash_with_one_or_two_typing_errors_is_found(hashes: list[str], data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(hashes))
    typed = text[: data.draw(st.integers(8, 10))]
    for _ in range(data.draw(st.integers(1, 2))):
        at = data.draw(st.integers(0, len(typed) - 2))
        letter = data.draw(st.sampled_from("ab27"))
        typed = data.draw(
            st.sampled_from(
                [
                    typed[:at] + letter + typed[at + 1 :],
                    typed[:at] + letter + typed[at:],
                    typed[:at] + typed[at + 1 :],
                    typed[:at] + typed[at + 1] + typed[at] + typed[at + 2 :],
                ]
            )
        )
    within = min(distance(typed, text[:length]) for length in range(len(text) + 1))
    if len(typed) >= MIN_FOR_TWO_ERRORS and within <= 2:
        assert text in [match.hash for match in lookup(StringTable.of(hashes), typed)]


@given(TABLES, TYPED)
def test_typed_and_pasted_hash_find_same_matches(hashes: list[str], typed: str) -> None:
    table = StringTable.of(hashes)
    searched = TypedTable(StringTable(b"ab" + table.joined + b"ab", table.offsets, 2))
    for end in range(1, len(typed) + 1):
        assert lookup(searched, typed[:end]) == lookup(table, typed[:end])
        searched.search_ahead(typed[:end])


def test_hash_with_two_errors_at_its_beginning_is_found() -> None:
    (match,) = lookup(StringTable.of(["abcdefghijkl"]), "xbdcefg")
    assert (match.kind, match.errors) == ("near", 2)


@given(TABLES, TYPED)
def test_matched_characters_of_hash_equal_typed_text(hashes: list[str], typed: str) -> None:
    for match in lookup(StringTable.of(hashes), typed):
        matched = "".join(match.hash[start:end] for start, end in match.spans)
        if match.kind == "near":
            assert len(typed) - len(matched) <= 2 * match.errors
            letters = iter(typed)
            assert all(letter in letters for letter in matched)
        else:
            assert matched == typed


@pytest.mark.parametrize("typed", ["/2feova4", " 2FEOVA4\n", "2feova4", "/2feova4prghd2gkebr23if6bojkyydpt"])
def test_pasted_hash_with_slash_or_capitals_is_found(typed: str) -> None:
    assert lookup(StringTable.of(HASHES), typed)[0].number == 1


@pytest.mark.parametrize("typed", ["", " ", "/", "2feova4prghd2gkebr23if6bojkyydptx" * 2, "é", "\udc80", "2fe\0"])
def test_word_that_is_not_a_hash_finds_nothing(typed: str) -> None:
    assert lookup(StringTable.of(HASHES), typed) == ()


@given(TABLES, st.text("ab2", max_size=4))
def test_search_for_hash_prefix_never_finds_empty_hash(hashes: list[str], prefix: str) -> None:
    table = ["", *hashes]
    assert list(prefixed(StringTable.of(table), prefix)) == [
        k for k, text in enumerate(table) if text and text.startswith(prefix)
    ]


@given(TABLES.filter(bool))
def test_shortest_unique_prefix_is_unique_and_shortest(hashes: list[str]) -> None:
    for text in hashes:
        prefix = shortest_unique(StringTable.of(hashes), bisect_left(hashes, text))
        assert [other for other in hashes if other.startswith(prefix)] == [text]
        assert len([other for other in hashes if other.startswith(prefix[:-1])]) != 1 or len(prefix) == 1


def test_hash_alphabet_has_32_distinct_characters() -> None:
    assert len(set(LETTERS)) == 32
