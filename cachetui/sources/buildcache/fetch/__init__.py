"""Build caches over the network, kept as a local copy with the same files at the same paths."""
