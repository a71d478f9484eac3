"""The storage of an index as flat arrays: built, merged and saved."""
