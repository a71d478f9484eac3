"""Whether specs would install from binaries."""
