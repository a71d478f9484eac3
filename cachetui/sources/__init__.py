"""Where binaries are listed, read as segments.

The modules:

    pages        the pages of the website that lists Spack's public build caches
"""
