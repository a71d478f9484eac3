"""Dialogs: each is pushed over a screen, and ends with an answer."""
