"""Findings as text, JSON, CSV and Markdown, and what people copy."""
