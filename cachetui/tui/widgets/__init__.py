"""Lists, matrix, bars and text fields, without knowledge of catalogue or query."""
