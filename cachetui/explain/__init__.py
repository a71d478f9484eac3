"""What to say of a query that is empty, misspelt or unfinished."""
