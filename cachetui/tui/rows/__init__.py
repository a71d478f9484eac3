"""What the lists of the browser show: rows made of what `search` and `analysis` find, when they are painted."""
