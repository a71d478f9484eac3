"""Spack's own build caches.

The modules:

    fetch        build caches over the network, kept as a local copy
"""
