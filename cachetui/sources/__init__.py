"""Where binaries are listed, read as segments."""
