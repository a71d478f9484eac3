"""One question about the whole catalogue each; no module knows another."""
