"""A file for each screen of the browser.

The modules:

    browse        the main screen: what each of its keys does, and which screens they open
    browse_keys   the keys of the main screen
    browse_parts  what the main screen is made of, for those who do a part of its work
    arrivals      what stays on it with each index that arrives, and what is said to be gone
    palette       what the command palette offers
    panes         facets, packages, specs and the detail: how they stand beside each other, and what they show
    detail_panes  the detail of a spec or a package, and what it needs beside it
    filters       what is typed, ticked, chosen and taken back becomes the query
    filter_steps  those that are taken on a screen over the lists
    facet_steps   what is ticked, left out and found in the facets
    host_steps    only what runs on a host, all again, another host
    facet_words   what is said there: what a step did, which keys are of use, as text
    typed_query   a query while it is typed
    before_typing  where the user was when it began to be typed, and how he comes to stand there again
    nothing_left  what is said where filters leave nothing, as text
    reveals       going to a spec or a package, whatever filters hide it, and back
    bars          the header, the chips and the last line
    lines         what the header and the chips say, as text
    hints         which keys the last line of a screen names, as text
    keeping       what Enter does with a query line, and which slips it puts right
    selection     the marked specs, and what of the view is copied, exported and compared
    views         the saved views: saved under a name, and opened
    view_list     these as a list, and a line for a name
    marks         the marked specs as a list
    comparison    two specs side by side
    survey_opening  how the screens are opened that look at the catalogue as a whole
    help          what the keys do, for people
    coverage      package x stack, and the gaps
    coverage_keys  its keys
    coverage_hints  which of them its last line names, as text
    coverage_lines  what it says around the matrix, as text
    coverage_cell  the cell under its cursor: the lines that tell of it, the query for its specs
    coverage_names  which column or row a typed word means, and the cursor that goes there
    coverage_hidden  why no column and no row is like a word: what hides one, and the way to it
    drift         what changed between two tags
    drift_lines   what it says around the list, as text
    drift_detail  what it shows of one change in full
    timeline      a package over the tags
    expectations  what a list of names or a spack.yaml asks of the catalogue
    install       would it install from binaries, and what keeps it from that
    install_answer  what is asked of it and what is found, as values
    survey_base   the base of these five
    asking        the base of the two of them that ask for something first
    lookup        the hash lookup
    spec          a spec in full
    size_reading  sizes of binaries, read while a screen is already there
    dependencies  what a spec needs and what needs it, as trees
    tags          the tags, to choose one from
    hosts         the hosts, to choose one from or to name another one
    unread        tags of a server that are fetched when they are chosen
    why           why a query takes nothing
    copies        what to copy
    export        what a view is written to: the format, the folder, the name
    export_file   the file that is written then
    spec_export   specs as they are written, those that are marked or all on screen
    paths         the ways on for the name of a file that is typed
    list_screens  the base of the screens that are one list; help and problems
    base          the base of every screen
"""
