"""One question about the whole catalogue each; no module knows another.

The modules:

    coverage      package x stack, and the gaps
    drift         what changed between two tags
    comparison    two specs side by side
    timeline      a package over the tags
    dependencies  what a spec needs, and what needs it
    tags          how much each tag holds
    health        what is wrong with the catalogue
    expectations  what there is of each spec that should be there
    causes        why a spack.lock misses: what differs by itself, what only follows
    install       the verdict of `check`: would a hash, a spec, a lock install from binaries?
    stacks        of each build cache, what is complete and what spoils the rest
    pruning       what would break without a binary, and what nothing needs
    lookup        what is this hash?
"""
