"""The widgets: lists, matrix, bars and text fields. They do not depend on queries or on the content."""
