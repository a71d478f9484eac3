"""The config file and the saved views, and where these and the index caches are."""
