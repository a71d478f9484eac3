"""What a user wants installed, as Spack writes it down: lists of names, `spack.yaml`, `spack.lock`.

The modules:

    files         the text of a file of the user's, bounded
    wanted        what a user wants installed, whatever form he gave it
    wanted_reader reads that: hashes, specs and files that a command line names
    expected      what should be there: a query for each name of a list or spec of a `spack.yaml`
    spack_yaml    a `spack.yaml`: definitions, references, matrices, files that it includes
    requirements  what `packages: … require` adds to its specs
    lock          a `spack.lock`: its roots and its graph
    lock_reader   reads a `spack.lock` of any version
    lock_graph    the graph of the nodes that it has
    implied       whether one spec says all that another says
"""
