"""What helps to write a query: completions, what matches nothing and the nearest to it, the nearest builds."""
