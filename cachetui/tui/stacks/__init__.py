"""Each stack against its usual size."""
