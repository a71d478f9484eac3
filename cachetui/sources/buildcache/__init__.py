"""Spack's own build caches: folders that `spack buildcache push` filled, of any version of Spack.

The modules:

    tree         the caches below a folder, read and compared
    mirrors_yaml a `mirrors.yaml` as a source
    places       the tag and stack of each cache
    joined       the caches of one tag -> rows and a dependency graph
    rows         the binaries of a tag as pages
    pieces       a large index, read in pieces
    ahead        an index that is read while it arrives
    flat         the entries of an index as columns
    edges        the edges of nodes
    binary_file  the file of a binary: size, checksum, signature
    examination  whether the files of a cache go together
    reader       one cache -> the entries of its indexes or spec files
    layouts      what lies where in a cache, in every layout
    database     the JSON of an index, in every version of it
    manifests    what manifests, blobs and spec files say
    node         a node of a graph as Spack writes it, in every version of the spec file
    files        files, within bounds
    yaml_file    YAML, within bounds
    fetch        build caches over the network, kept as a local copy
    sizes        what binaries take, by the rows of an index, else by the caches that hold them
"""
