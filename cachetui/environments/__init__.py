"""Read the specs that a user wants to install from lists of specs, `spack.yaml` and `spack.lock`."""
