"""The command line: main(argv) -> int."""
