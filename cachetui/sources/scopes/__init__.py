"""Spack's configuration: which files are scopes, how their sections merge, and what their paths and conditions mean."""
