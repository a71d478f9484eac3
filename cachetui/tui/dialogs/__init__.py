"""Screens that are pushed, answered and popped."""
