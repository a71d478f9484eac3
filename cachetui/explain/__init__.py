"""What to say of a query that is empty, misspelt or unfinished.

The modules:

    why          why a query takes nothing
    unknown      the values that no row has
    fits         what the host of a query makes of the specs
    nearest      the builds that come nearest to a query
    completion   what a half-written query may go on with
"""
