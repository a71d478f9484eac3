"""The specs that a user wants installed, as Spack writes them: lists of names, `spack.yaml`, `spack.lock`."""
