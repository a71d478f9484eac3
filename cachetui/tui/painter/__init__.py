"""Paint the screen by writing only changed cells. This package and `terminal` use private parts of Textual."""
