"""The kinds of parts that a query is made of: each says how it is spelled, what it takes, what it cannot stand beside.

The modules:

    part         what every part knows of itself
    names        the package, its version, its hash
    facets       the facets and the tag, the compiler among them; `fits=`, a host
    variants     variants and compiler flags
    dependencies dependencies, and `complete=`: whether all of them are here
"""
