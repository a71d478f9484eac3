"""The coverage table: packages by stack, with gaps."""
