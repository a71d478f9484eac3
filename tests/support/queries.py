"""The rows and queries of which the answers of real Spack are known."""

import json
from typing import Any

from cachetui.query.parser import QueryError
from cachetui.query.query import Query
from tests.support.places import QUERIES

ROWS: list[dict[str, Any]] = json.loads((QUERIES / "rows.json").read_text())


def readable_queries() -> list[Query]:
    """Those of the queries that are no error."""
    found = []
    for text in (QUERIES / "queries.txt").read_text().splitlines():
        try:
            found.append(Query.parse(text))
        except QueryError:
            continue
    return found
