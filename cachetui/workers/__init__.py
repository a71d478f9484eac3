"""Work that is shared out, and how it is told to end."""
