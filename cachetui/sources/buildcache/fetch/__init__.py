"""Build caches over the network, kept as a local copy with the same files at the same paths.

The modules:

    address      what a user may name (https, http, file, s3, spack:) and the URL that it is
    credentials  the name and password, or the token, that a server is given
    errors       why something could not be fetched
    client       one GET: redirects, ended at once when nobody wants it any more
    connections  the way to a server: proxies, certificates
    transfer     one URL into one file: asked again where it broke, checked, never longer than named
    decoding     what a server sends (gzip, zstd), decoded in small parts
    copies       the local copy of one mirror: what of it is asked for again
    copy_folder  that copy on the disk: where each file of it is kept, and how old it is
    cache_index  the index of a build cache, brought into the copy
    listing      the list of build caches that a server publishes
    server       the build caches at a URL, brought into the copy
    binaries     what the binaries on a server take, asked for one by one
    stored       all local copies: what they take on the disk, and removing them
"""
