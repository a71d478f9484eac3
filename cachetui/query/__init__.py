"""Queries: read, printed back, edited."""
