"""Help for writing a query: completions, terms without a match and their nearest values, the nearest builds."""
