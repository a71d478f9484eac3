"""Write only the cells that changed to the terminal. Private parts of Textual are used here and in `terminal`."""
