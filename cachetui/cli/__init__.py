"""The command line: main(argv) -> int.

From the words to a command:

    main         runs the command and ends with its status
    commands     the table of commands
    arguments    the command line read
    options      options as values, each declared once
    help         what --help prints
    session      what every command does: catalogue, query, answer
    named_view   the saved view that a command line names, and its content
    sizes        the sizes of the binaries that a command lists
    notes        lines for the user beside the results
    streams      standard output and error, closed or full as they may be
    candidates   what the last word of a command line may become, for the completion scripts in shells/

One module for each command; the finding that it prints is worked out in `analysis`, by the module after `<-`:

    browse       the browser
    find         the specs that match (<- search.results)
    which        what is this hash? (<- lookup)
    check        would it install from binaries? (<- install, stacks)
    coverage     package x stack, and the gaps (<- coverage)
    diff         what changed between two tags, or what two specs differ in (<- drift, comparison)
    deps         what a spec needs, and what needs it (<- dependencies)
    tags         the tags and what each holds (<- tags)
    doctor       the health of the catalogue (<- health)
    unreferenced doctor --unreferenced: what one can prune (<- pruning)
    views        the views that were saved in the browser
    config       the settings in force, and where each comes from
    cache        what is kept on this machine
    completion   the completion script of a shell
"""
