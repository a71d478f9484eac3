"""Frozen views of an index, and the rows of their lists. This package does not use Textual."""
