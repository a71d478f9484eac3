"""Strategies with few draws, because hypothesis needs more time for a draw than cachetui for the drawn value."""

from collections.abc import Sequence
from math import prod
from typing import Any

from hypothesis import strategies as st

CHARACTERS = st.characters(exclude_categories=["Cs"])
"""All characters of UTF-8, like `st.text()`, which needs a second to find them in a new checkout."""


def words(first: str, more: str = "", most: int = 7) -> st.SearchStrategy[str]:
    """Generate words with characters of `first` and `more`. The first character is never from `more`."""

    def begun(text: str) -> str:
        return text if text[0] in first else first[ord(text[0]) % len(first)] + text[1:]

    return st.text(first + more, min_size=1, max_size=most).map(begun)


def one_of_each(**pools: Sequence[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Generate a dictionary with a value from the pool of each name; one number chooses all values."""

    def chosen(number: int) -> dict[str, Any]:
        values = {}
        for name, pool in pools.items():
            number, place = divmod(number, len(pool))
            values[name] = pool[place]
        return values

    return st.integers(0, prod(map(len, pools.values())) - 1).map(chosen)
