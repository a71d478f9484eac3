"""The main screen, with the lists of facets, packages and specs."""
