"""Bytes from servers, kept as local copies with the same files at the same paths."""
