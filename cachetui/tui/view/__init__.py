"""What is looked at, frozen, and the rows of its lists: no Textual."""
