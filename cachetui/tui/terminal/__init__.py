"""The life of the terminal that the browser runs in."""
