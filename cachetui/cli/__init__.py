"""The command line. `main.main(argv)` runs one command and returns the exit status."""
