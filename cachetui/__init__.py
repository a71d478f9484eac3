"""A terminal browser for Spack build caches.

The modules, each importing only those below it:

    cli          main(argv) -> int; imports the browser when it is opened
    tui          the browser: everything on screen
    surveys      the commands coverage, diff and doctor
    command      what every command does: catalogue, query, answer, notes
    shell        completion scripts, and what they ask
    answers      what `which` and an empty `find` say
    overview     coverage, drift and health as text, JSON, CSV, Markdown
    options      the command line as a value
    report       results as text, JSON, CSV, Markdown
    paste        what people copy: hashes, specs, commands
    coverage     package x stack, and the gaps
    drift        what changed between two tags
    timeline     a package over the tags
    doctor       the health of the catalogue
    which        what is this hash?
    expect       what a list of names or a spack.yaml asks of the catalogue
    completion   what a half-written query may go on with
    explain      why a query takes nothing
    unknown      the values that no row has
    nearest      the builds that come nearest to a query
    catalogue    content and saved index -> a fresh index: load, refresh, watch
    reading      all pages of a folder, a piece at a time
    comparison   what has changed on the disk since
    snapshot     the saved index
    index        columns and bitmaps: results of a query, counts of the facets
    hashes       hash lookup
    names        fuzzy package names
    columns      the storage of a catalogue: a column for each field of its rows
    merging      segments -> columns, and into columns that exist
    segment      what some pages gave, encoded
    tables       flat tables of strings and postings
    pages        a file -> pages, in every form a page has had
    folders      what lies in one folder of the content
    soundrows    the short way to the rows of a sound page
    rows         the rows of a newer page, and whether `meta` agrees
    frontmatter  the text of a page -> its keys, as plain data
    specstring   the spec strings and sidecars of the older pages
    query        what is wanted: parse, print back, toggle a value
    parse        the text of a query -> its parts, or an error with its column
    parts        what each part of a query takes
    host         targets and their ancestors, this machine, what fits
    version      Spack's order and ranges of versions
    spec         the vocabulary: spec, page, row, facets
    text         safe text for terminals and shells
    workers      work shared out to processes, one for each core
    cancel       giving up long work

folder -> pages -> Index, and Query -> index.results(query) -> Results, which the browser shows and `report` prints.
"""

__version__ = "0.1.0"
