"""Entities and rules: no input or output, no clock, nothing to await."""
