"""The terminal: checks before the start of the browser, signals, fast typing, and the clipboard."""
