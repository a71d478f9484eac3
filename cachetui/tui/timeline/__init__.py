"""One package over all tags."""
