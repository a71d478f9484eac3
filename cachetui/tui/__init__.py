"""Everything on screen: the app, a file for each screen and each widget, and what a terminal needs.

Only this package sees Textual. `terminal` is the exception inside it: it is asked first, and
decides without Textual whether there is a terminal to draw on.
"""
