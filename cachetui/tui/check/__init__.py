"""The check screen, which shows whether specs would install from binaries."""
