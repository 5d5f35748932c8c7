"""Ports made real, one technology each."""
