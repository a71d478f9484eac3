"""The stacks screen: the size of each stack, compared with its usual size."""
