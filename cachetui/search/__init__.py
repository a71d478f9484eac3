"""The search: the rows that match a query, and information about rows, hashes and dependencies."""
