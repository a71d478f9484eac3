"""Where binaries are listed, read as segments.

The modules:

    opening        what a user names as content -> a source
    source         the seam: what a source can be asked
    several        several contents as one
    one_of_several how the paths and tags of one of them are told from those of the others
    folder         a folder of pages, build caches, or both
    remote         build caches on a server, read from their local copy
    watching       folders watched for changes
    cache_folders  which folders are parts of a build cache
    pages          the pages of the website that lists Spack's public build caches
    buildcache     Spack's own build caches
"""
