"""Read Spack's configuration: find its scopes, merge their sections, expand paths and evaluate conditions."""
