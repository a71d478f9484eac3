"""Work that is shared out, and how it is told to end.

The modules:

    cancelling  whether anybody still wants the result; the end of work that nobody wants
    background  a thread, of which its owner tells how far it is
    processes   work shared out to processes, one for each core
    driver      the thread that drives one of these processes
    serving     what such a process does
    forked      such a process as a copy of this one
    beside      one piece of work that a copy of this process does
    starting    imports without what is not needed of them
"""
