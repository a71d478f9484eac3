"""The screens for one spec with its dependencies and dependents, and for two specs side by side."""
