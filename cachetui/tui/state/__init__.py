"""What is looked at: plain values without any widget.

The modules:

    view           an index and a query, the steps that led to it, marks, the host
    lists          the rows, columns and orders of its lists of packages and of specs
    tag_kept       the tag that is looked at where nothing is asked of tags
    order          an order of a list
    sort_steps     the columns that specs can be sorted by, one after the other
    told_apart     what tells specs apart that look alike
    saved_view     a saved view made of one, and the other way round
    list_columns   how wide the columns of the lists are
    history        the steps that filters took
    ways           the ways back from what was gone to
    showing        which filters hide a spec or a package
    marked         the marked specs in the order of the list
    pairs          which pairs of marked specs are compared, one after the other
    coverage_view  how the matrix of coverage is looked at
    compared_tags  the two tags that the drift screen compares
"""
