"""What a user wants installed, as Spack writes it down: lists of names, `spack.yaml`, `spack.lock`.

The modules:

    files         the text of a file of the user's, bounded
    expected      what should be there: a query for each name of a list or spec of a `spack.yaml`
    manifest      a `spack.yaml`: definitions, references, matrices, files that it includes
    requirements  what `packages: … require` adds to its specs
    lock          a `spack.lock`: its roots and its graph
    lockfile      reads a `spack.lock` of any version
    asked         what a user asks for, whatever form he gave it
    wanted        reads that: hashes, specs and files that a command line names
    implied       whether one spec says all that another says
"""
