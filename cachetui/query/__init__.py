"""What is wanted.

The modules:

    query        a query as a value: printed back, edited a part at a time
    part         what every part of a query knows of itself
    parts        the kinds of parts
    dependencies what a query asks of dependencies
    complete     what a query asks of the closure of a spec
    errors       why a query cannot be read, and where
    variants     what a query asks of variants and compiler flags
    lists        lists of versions and values, as they are typed
    values       the words, ranges and lists that a query names, and how they are spelled
    tokens       what a query is made of, as patterns
    parse        the text of a query -> its parts, or an error with its column
"""
