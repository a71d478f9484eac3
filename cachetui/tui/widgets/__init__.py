"""A file for each widget of the browser.

The modules:

    table        the one table, over a source of any length
    linewise     the base of what is painted line by line
    bar          one line of text
    prompt       a line to type in
    query_line   the line that a query is typed in
    facets       the sidebar
    detail       a text to read
    matrix       the matrix of coverage
    signs        the few signs that are drawn, in the terminal's encoding
"""
