"""Findings as text, JSON, CSV and Markdown, and what people copy.

How they are written:

    formats       one table of formats: a finding -> text
    aligned       tables as aligned text
    markdown      words of Markdown, and what is to be pasted as code spans

One module for each kind of finding:

    specs         lists of specs and of packages; templates
    coverage      package x stack, and the gaps
    expectations  what there is of each thing that is expected
    comparison    two specs side by side
    drift         what changed between two tags
    timeline      a package over the tags
    dependencies  what a spec needs, and what needs it
    tags          the tags and what each holds
    copies        local copies of build caches
    settings      the user's settings, saved views, what keys do
    health        what is wrong with a catalogue
    install       would it install from binaries, and why not
    stacks        the health of build caches
    pruning       binaries with the caches that hold them
    lookup        what each hash is
    detail        everything about one spec, or one package, as fields
    why           why a query takes nothing
    paste         what people copy: hashes, specs, commands
"""
