"""A file for each screen of the browser."""
