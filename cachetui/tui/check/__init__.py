"""The check screen: whether specs would install from binaries."""
