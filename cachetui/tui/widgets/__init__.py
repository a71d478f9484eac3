"""The widgets: lists, matrix, bars and text fields. They know nothing about catalogues and queries."""
