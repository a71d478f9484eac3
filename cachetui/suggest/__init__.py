"""What helps a query along: completions of what is typed, what matches nothing, the builds that come nearest."""
