"""One spec in full, what it needs and what needs it, and two specs side by side."""
