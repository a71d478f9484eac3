"""Which column or row of a coverage a word means that is typed. No widget in it."""

from __future__ import annotations

from collections.abc import Sequence

from cachetui.search.names import EXACT, WORDS, matches


def named_like(words: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """For each word the name that is most like it, each name once."""
    best = (matches(word, names)[:1] for word in words)
    return tuple(dict.fromkeys(names[match.number] for found in best for match in found))


def column_or_row(word: str, columns: Sequence[str], rows: Sequence[str]) -> tuple[str | None, str | None]:
    """The column of this name, else the row that is named most like it, else the column.

    A row with the same letters scattered in its name, or a name spelled nearly so, comes after a column that has it.
    """
    in_columns, in_rows = matches(word, columns), matches(word, rows)
    best_row = in_rows[0].score if in_rows else 0.0
    if in_columns and (in_columns[0].score >= EXACT or best_row < min(WORDS, in_columns[0].score)):
        return columns[in_columns[0].number], None
    return None, rows[in_rows[0].number] if in_rows else None
