"""Readers of build caches, installations and pages. Each reader yields the binaries in segments (`store.columns`)."""
