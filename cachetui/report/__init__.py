"""Findings as text, JSON, CSV and Markdown, and what people copy.

The modules:

    report       results and specs in every format
    overview     coverage, drift and health in every format
    answers      what `which` and an empty `find` say
    paste        what people copy: hashes, specs, commands
"""
