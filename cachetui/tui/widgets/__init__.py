"""A file for each widget of the browser.

The modules:

    linewise         the base of what is painted line by line
    scrolled         the base of the next three: rows in columns, of which a part is in view
    table            a list: rows with a cursor on one of them
    matrix           rows with a cursor on one cell
    text_pane        rows to read, without a cursor
    bar              one line of text
    prompt           a line to type in
    query_line       the line that a query is typed in
    facets           the sidebar
    detail           a spec or a package in full
    needs            what a spec needs, as a tree to read
    coverage_matrix  the matrix of a coverage
    drift_list       the sections of a drift, which fold
    legend           what its numbered columns are
    signs            the few signs that are drawn, in the terminal's encoding
"""
