"""Each module answers one question about the whole content. The modules do not import each other."""
