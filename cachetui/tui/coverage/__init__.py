"""What there is of each package in each stack, and the gaps."""
