"""What a user may have meant: completion, what matches nothing, the nearest."""
