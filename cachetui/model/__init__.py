"""What a binary is: a spec and its facets, versions, hosts, and what can be wrong with content.

The modules:

    spec         the vocabulary: spec, page, row
    facets       the facets, one record for each; the profile of a row
    dependency   the words for dependencies: node, edge, types
    problem      what can be wrong with a catalogue
    tags         the series that tags belong to, and which is the newest
    version      Spack's order and ranges of versions
    signature    what is compared of two builds: all but hash and stacks
    pairing      which builds of two tags are one that changed in a single field
    libc         the C library of each os, and of this machine
    likeness     which names are spelled most like one that is not there
    targets      which target (microarchitecture) runs what
    host         a host, this machine, and the verdict whether a binary runs there
"""
