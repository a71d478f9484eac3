"""Flat arrays: what sources give, merged and saved."""
