"""Find the rows that match a query, and look up rows, hashes and dependencies."""
