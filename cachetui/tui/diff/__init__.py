"""The diff screen: the changes between two tags."""
