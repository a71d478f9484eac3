"""The kinds of parts that a query is made of."""
