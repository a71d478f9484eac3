"""The config file, the saved views, and the folders of cachetui's own files."""
