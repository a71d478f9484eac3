"""Specs, facets, versions, hosts, tags, and problems of contents."""
