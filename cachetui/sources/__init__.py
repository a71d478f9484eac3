"""Where binaries are listed, read as segments.

The modules:

    source       the seam: what a source can be asked, and what it answers
    opening      which kind of source a content is
    buildcache   Spack's own build caches
    pages        the pages of the website that lists Spack's public build caches
"""
