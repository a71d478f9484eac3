"""The website's pages: a folder of YAML front matter, one page for each package and tag."""
