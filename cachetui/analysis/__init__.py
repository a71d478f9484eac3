"""Modules that each answer one question about a whole content. They do not import each other."""
