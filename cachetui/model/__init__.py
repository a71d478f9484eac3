"""The basic values: specs, facets, versions, hosts, tags and problems."""
