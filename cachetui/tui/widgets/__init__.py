"""Lists, matrix, bars and lines to type in: they know no catalogue and no query."""
