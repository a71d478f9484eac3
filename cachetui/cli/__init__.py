"""The command line: main(argv) -> int.

The modules:

    main         which command it is, and how it ends
    surveys      the commands coverage, diff and doctor
    session      what every command does: catalogue, query, answer, notes
    options      the command line as a value
    completion   completion scripts, and what they ask; the scripts are in shells/
"""
