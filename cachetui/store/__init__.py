"""Flat arrays: what sources give, merged and saved.

The modules:

    strings      flat tables of texts
    arrays       columns of integers, postings, and what is ranked on the way to them
    own_memory   large texts in memory that the system has back at once
    joining      two tables or columns as one
    one_table    several tables as one, sorted
    columns      the storage of a catalogue: a column for each field of its rows
    stamps       size and times of a file, to tell later whether it has changed
    segment      what a part of the content gave, encoded
    gathering    segments -> columns, from nothing
    united       what several segments have in one table: columns of rows, files
    merge        segments into columns that exist
    graph        the dependency graph: what each spec needs, and what needs it
    recorded     what edges lead to, before it is looked up
    walks        all that nodes of it need, and all that needs them
    virtuals     what provides its virtual packages: compilers, the C library
    tag_graph    its flat storage, one part for each tag
    changed      which pages, and how many hashes, are not as they were
    saved_index  the saved index of a content: how old it is, and the notes on it
    snapshot     its file: columns mapped into memory
    saved_columns which section of that file each column is
    sections     what this file holds, and whether it is what was saved
    checked      which parts of it were found whole, noted for the next command
    files        where these files lie
"""
