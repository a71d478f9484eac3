"""Read a folder with pages of cache.spack.io: files with YAML front matter, one for each package and tag."""
