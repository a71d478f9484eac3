"""Work in threads and processes, and how it is cancelled."""
