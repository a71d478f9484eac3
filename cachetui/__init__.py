"""A terminal browser for Spack build caches."""

__version__ = "0.1.0"
