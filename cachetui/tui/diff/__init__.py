"""What changed between two tags."""
