"""A file for each screen of the browser.

The modules:

    browse        facets, packages, specs and the detail: what keys do there, and which screens they open
    panes         how they stand beside each other, and what they show
    lines         the header, the chips and the hints around them, as text
    help          what the keys do, for people
    coverage      package x stack, and the gaps
    drift         what changed between two tags
    timeline      a package over the tags
    expectations  what a list of names or a spack.yaml asks of the catalogue
    survey        the base of these four
    lookup        the hash lookup
    spec          a spec in full
    tags          the tags, to choose one from
    why           why a query takes nothing
    output        what to copy, and export to a file
    lists         the base of the screens that are one list; help and problems
    sized         the base of every screen
"""
