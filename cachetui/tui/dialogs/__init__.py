"""The dialogs. Each dialog is shown over a screen, and returns its result to this screen."""
