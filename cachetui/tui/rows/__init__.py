"""What the lists of the browser show: rows made of what the engine finds, when they are painted.

The modules:

    layout       cells, lines, columns and their widths
    sources      packages, specs and problems
    facets       the facets and their values
    hashes       what a hash lookup found
    drift        the changes between two tags
"""
