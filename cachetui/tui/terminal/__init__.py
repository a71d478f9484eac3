"""The life of the terminal that the browser runs in.

The modules:

    preflight    whether there is one to draw on, decided before Textual is imported
    lifecycle    how the browser starts and ends: signals, errors, a terminal that goes away
    typeahead    keys that come faster than they are dealt with
    clipboard    the ways to a clipboard
    background   which background the terminal has
    theme        the colours
"""
