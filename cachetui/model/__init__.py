"""What a binary is: a spec and its facets, versions, hosts, and what can be wrong with content."""
