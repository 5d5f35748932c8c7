"""Surfaces: what turns the outside world into operations."""
