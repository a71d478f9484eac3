"""Parse, print and edit queries."""
