"""The command line. `main.main(argv)` runs a command and returns its exit status."""
