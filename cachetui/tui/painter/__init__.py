"""Paint by writing only changed cells to the terminal. This package and `terminal` use private parts of Textual."""
