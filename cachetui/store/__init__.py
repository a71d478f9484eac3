"""The storage of an index as flat arrays, with functions to build, merge and save them."""
