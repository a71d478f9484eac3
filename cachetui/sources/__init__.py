"""The sources of lists of binaries, read as segments."""
