"""Read folders with pages of cache.spack.io. Each page is a file with YAML front matter for one package and tag."""
