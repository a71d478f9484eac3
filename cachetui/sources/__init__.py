"""Readers of build caches, installations and pages. Each reader yields parts of an index (segments)."""
