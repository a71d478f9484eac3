"""What is looked at: plain values without any widget."""
