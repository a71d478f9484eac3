"""Which rows a query matches, and what is known of rows, hashes and dependencies."""
