"""Download files from servers into local copies, at the same paths."""
