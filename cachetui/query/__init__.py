"""What is wanted.

The modules:

    query        a query as a value: printed back, edited a part at a time
    parts        what each part of a query takes
    parse        the text of a query -> its parts, or an error with its column
"""
