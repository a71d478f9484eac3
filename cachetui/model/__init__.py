"""A binary: its spec and facets, versions, hosts, and the errors of content."""
