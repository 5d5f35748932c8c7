"""Channels: one adapter for each kind of provider."""
