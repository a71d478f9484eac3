"""What a Spack installation holds, read from its databases as Spack itself writes them."""
