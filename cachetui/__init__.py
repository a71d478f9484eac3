"""A terminal browser for Spack build caches.

The folders, each importing only those below it:

    cli          main(argv) -> int; imports the browser when it is opened
    tui          the browser: everything on screen
    report       findings -> text, JSON, CSV, Markdown
    analysis     one question about the whole catalogue each
    explain      what to say of a query that is empty, misspelt or unfinished
    environments what a user wants installed, as Spack writes it down: names, spack.yaml, spack.lock
    catalogue    one door: a source and its saved index -> a fresh index: load, refresh, watch
    fresh_index  an index of all that a source reads, or with what changed read again
    sources      where binaries are listed, read as segments
    search       which rows a query takes
    store        flat arrays: built, merged, saved
    query        what is wanted
    settings     what a user sets once and keeps: the config file, saved views
    model        what a binary is
    text         safe text for terminals and shells
    workers      work shared out to threads and processes, and how it is told to end
    sample       a few pages to try things on
    sample_mirror  a small build cache to try things on

folder -> segments -> Index, and Query -> Results.of(index, query), which the browser shows and `report` prints.
"""

__version__ = "0.1.0"
