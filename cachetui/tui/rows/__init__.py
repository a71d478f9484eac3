"""What the lists of the browser show: rows made of what `search` and `analysis` find, when they are painted.

The modules:

    layout        cells, lines, columns and their widths
    line_pieces   a line as it is painted: its cells in their slots
    short_names   names without their middles, and yet told apart
    tones         what a piece of text can mean
    pictures      bars, columns and dots in cells
    packages      the packages of a result
    specs         the specs of a package, one by one or folded
    spec_columns  the columns of that list
    differences   what tells specs apart that look alike
    listed_differences  the same as a list says it of its rows
    days          the newest tags of rows, weekly ones as days
    problems      what was found wrong while reading
    facets        the facets and their values
    hashes        what a hash lookup found
    dependencies  what a spec needs and what needs it
    install       what an installation needs, what it misses and why
    needs         what a spec needs, as a tree to read beside its fields
    coverage      package x stack
    timeline      a package over the tags, as a list
    timeline_chart  the chart above it
    drift         the changes between two tags
    drift_sections  the same in sections, and in words
"""
