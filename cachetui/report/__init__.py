"""The output of the commands in all formats, and the texts that people copy."""
