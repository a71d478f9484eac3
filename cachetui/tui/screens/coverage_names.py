"""Which column or row of a coverage a word means that is typed. No widget in it."""

from __future__ import annotations

from collections.abc import Sequence

from cachetui.search.names import matches


def named_like(words: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """For each word the name that is most like it, each name once."""
    best = (matches(word, names)[:1] for word in words)
    return tuple(dict.fromkeys(names[match.number] for found in best for match in found))


def column_or_row(word: str, columns: Sequence[str], rows: Sequence[str]) -> tuple[str | None, str | None]:
    """The column that is named most like a word, else the row; of two that match the better one, the column first."""
    in_columns, in_rows = matches(word, columns), matches(word, rows)
    if in_columns and (not in_rows or in_columns[0].score // 100 >= in_rows[0].score // 100):
        return columns[in_columns[0].number], None
    return None, rows[in_rows[0].number] if in_rows else None
