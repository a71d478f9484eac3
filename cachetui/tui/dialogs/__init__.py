"""The dialogs. Each dialog is pushed over a screen, and returns an answer to the screen."""
