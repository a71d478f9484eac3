"""The changes between two tags."""
