"""The terminal that the browser runs in: checks before the start, signals, fast keys, the clipboard."""
