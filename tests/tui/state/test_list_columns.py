"""How wide the columns of the lists are while a query is typed, and when it is left."""

from __future__ import annotations

from cachetui.query.query import Query
from cachetui.search.results import Results
from cachetui.tui.state.list_columns import ListColumns
from tests.support.rows import index_of, row


def test_what_was_shown_while_a_query_was_typed_leaves_no_width() -> None:
    index = index_of([row("r", compiler="gcc@9"), row("a-long-name", "2021.09.18", compiler="intel-oneapi@2025.1.0")])
    short, whole = (Results.of(index, Query.parse(text)) for text in ("r", ""))
    columns = ListColumns()
    columns.fit(short)
    before = columns.packages, columns.folded(["hash", "compiler"])
    columns.widen(whole)
    assert columns.packages != before[0]
    assert columns.folded(["hash", "compiler"]) != before[1]
    columns.narrow(1)
    assert (columns.packages, columns.folded(["hash", "compiler"])) == before
