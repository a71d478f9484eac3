"""Read a Spack installation from the databases of its install trees."""
