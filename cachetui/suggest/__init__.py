"""Help users write queries: complete words, explain terms without a match, and find the nearest builds."""
