"""The rows that a query matches, and the facts about rows, hashes and dependencies."""
