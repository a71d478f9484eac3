"""Run work in threads and processes, and cancel work."""
