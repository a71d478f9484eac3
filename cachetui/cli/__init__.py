"""The command line: main(argv) -> int.

From the words to a command:

    main         runs the command and ends with its status
    commands     the table of commands
    arguments    the command line read
    options      options as values, each declared once
    help         what --help prints
    session      what every command does: catalogue, query, answer
    notes        lines for the user beside the results
    streams      standard output and error, closed or full as they may be
    complete     candidates for the last word of a command line, for the scripts in shells/

One module for each command:

    browse       the browser
    find         the specs that match
    which        what is this hash?
    check      would it install from binaries?
    coverage     package x stack, and the gaps
    diff         what changed between two tags
    deps         what a spec needs, and what needs it
    tags         the tags and what each holds
    unreferenced doctor --unreferenced: what one can prune
    doctor       the health of the catalogue
    views        the views that were saved in the browser
    config       the settings in force, and where each comes from
    cache        what is kept on this machine
    completion   completion scripts
"""
