"""The timeline screen: one package in all tags."""
