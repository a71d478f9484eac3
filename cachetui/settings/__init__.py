"""What a user sets once and keeps: the config file, and views that were saved under a name.

The modules:

    folder     where all of it is; all that a command needs where there is none
    config     the config file read, with its mistakes
    views      the saved views of one content
    views_file the file that these are in, read and changed
"""
