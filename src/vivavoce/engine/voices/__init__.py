"""Voices: how sentences of a corpus answer, and how an avatar speaks for it."""
