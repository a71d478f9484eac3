"""Download the files of servers into local copies. A file has the same path in the copy and on the server."""
