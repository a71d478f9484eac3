"""The rows and queries with known answers of real Spack."""

import json
from typing import Any

from cachetui.query.parser import QueryError
from cachetui.query.query import Query
from tests.support.places import QUERIES

ROWS: list[dict[str, Any]] = json.loads((QUERIES / "rows.json").read_text())


def readable_queries() -> list[Query]:
    """Return the valid queries."""
    found = []
    for text in (QUERIES / "queries.txt").read_text().splitlines():
        try:
            found.append(Query.parse(text))
        except QueryError:
            continue
    return found
