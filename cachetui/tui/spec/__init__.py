"""Details of one spec, its dependencies and dependents, and two specs side by side."""
