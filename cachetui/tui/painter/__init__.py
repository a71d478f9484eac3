"""Only the cells that changed are written to the terminal. Nothing else touches Textual's private classes."""
