"""Read the specs that a user wants to install, from a list of names, a `spack.yaml` or a `spack.lock`."""
