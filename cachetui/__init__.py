"""A terminal browser for Spack build caches."""

__version__ = "0.2.0"
