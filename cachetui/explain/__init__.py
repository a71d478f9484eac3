"""What to say of a query that is empty, misspelt or unfinished.

The modules:

    why          why a query takes nothing
    unknown      the values that no row has
    meant        what a fuzzy name is taken to mean
    fits         what the host of a query makes of the specs
    nearest      the builds that come nearest to a query
    completion   completion of a query: what a half-written one may go on with
"""
