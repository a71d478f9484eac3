"""A file for each widget of the browser."""
