"""Read folders with pages of the website cache.spack.io. A page is a file with YAML front matter for one package."""
