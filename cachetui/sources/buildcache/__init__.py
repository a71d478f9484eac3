"""Spack's own build caches: folders that `spack buildcache push` filled, of any version of Spack."""
