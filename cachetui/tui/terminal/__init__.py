"""The terminal of the browser: checks before the start, signals, fast typing, and the clipboard."""
