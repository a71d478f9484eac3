"""The website's pages: a folder of YAML front matter, one page for each package and tag.

The modules:

    source       a folder of pages, or one page, as a source
    all_pages    all pages of a folder -> segments, a piece at a time, by several processes
    changes      what has changed on the disk since
    looks        many looks at the file system, side by side where it is slow
    folders      what lies in one folder of the content
    page_forms   one file -> a page, in whatever form it is written
    lost         files that should be pages and are none; pages at a place of others
    frontmatter  the text of a page -> its keys, as plain data
    rows         the rows of a newer page, and whether `meta` agrees
    fast_rows    the short way to the rows of a sound page
    legacy       the spec strings and sidecars of the older pages
"""
