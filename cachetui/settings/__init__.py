"""What a user sets once and keeps: the config file, and views that were saved under a name."""
