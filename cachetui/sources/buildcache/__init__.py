"""Spack's own build caches: folders written by `spack buildcache push` of any Spack version."""
