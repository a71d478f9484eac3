"""What is wanted.

The modules:

    query        a query as a value: printed back, edited a part at a time
    parts        the kinds of parts that a query is made of
    errors       why a query cannot be read, and where
    keys         the keys that a query gives a meaning of its own, and the blank before them
    value_lists  lists of versions and values, as they are typed
    values       the words, ranges and lists that a query names, and how they are spelled
    tokens       what a query is made of, as patterns
    dependency_reading  what it asks of a dependency, while that is read
    parse        the text of a query -> its parts, or an error with its column
"""
