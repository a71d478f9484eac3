"""Frozen views of an index, and the rows of their lists, without Textual."""
