"""What is looked at: plain values without any widget.

The modules:

    view           an index and a query, the steps that led to it, marks, orders, the host
    history        the steps that filters took
    coverage_view  how the matrix of coverage is looked at
"""
