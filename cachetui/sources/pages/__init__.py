"""The website's pages: a folder of YAML front matter, one page for each package and tag.

The modules:

    source       a folder of pages, or one page, as a source
    all_pages    all pages of a folder -> segments, a piece at a time, by several processes
    plan         what is read of a folder, and in which order: the tag that is looked at first before all others
    piece_reader a piece of it: some files and folders -> a segment
    changes      what has changed on the disk since
    looks        many looks at the file system, side by side where it is slow
    folders      what lies in one folder of the content
    page_forms   one file -> a page, in whatever form it is written
    files        one file -> its bytes and its stamp
    frontmatter  the text of a page -> its keys, as plain data
    newer_rows   the rows of a page of 2023 and later, with every fault of them
    fast_rows    the short way to the same rows, of a page without a fault
    meta         what such a page says of its rows as a whole, and whether they agree
    older_rows   the rows of a page of 2021 and 2022
    spec_strings their spec strings and sidecars
    findings     what is wrong with a page, and the words for it
    lost         files that should be pages and are none; pages at a place of others
"""
