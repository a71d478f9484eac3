"""The state of screens: an immutable view of an index, and the rows of its lists. This package does not use Textual."""
