"""Which rows a query takes.

The modules:

    index        columns and bitmaps: the rows of a query, of a value, of a hash
    row_values   of some rows the versions, variants, tags and pages, and which of them are twins
    newest_tags  the newest tag that has the spec of a row
    resolve      the rows of one part of a query
    dependencies the rows that depend on what a query asks for
    fits         what becomes of rows on a host
    distinct     how many specs some rows are
    value_counts  how many of some rows have each value of a facet
    results      what a query takes: packages, rows in order, counts of the facets
    nearest_build  the build of a package that is most like another one
    reach        what one comes to from each node of a graph
    completeness  which binaries have all that they need here
    holdings     which binaries are here, and in which caches
    closures     what a spec needs: what of it is here, missing, external, unfit; the fewest caches that hold it
    signatures   which rows are the same build, whatever their hashes
    builds       rows grouped into builds, by signature or by hash
    hashes       hash lookup
    places       where a text stands inside the hashes, sought a piece at a time
    mentions     hashes in what a user types or pastes
    log          hashes in a log
    names        fuzzy package names
"""
