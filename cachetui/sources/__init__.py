"""Readers of build caches, installations and pages. Each reader yields its lists of binaries as segments."""
