"""The contents of a Spack installation, read from its databases as Spack itself writes them."""
