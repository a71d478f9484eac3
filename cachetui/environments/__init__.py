"""What a user wants installed, as Spack writes it down: lists of names, `spack.yaml`, `spack.lock`."""
