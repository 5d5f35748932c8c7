"""Embedders: the built-in models, and any endpoint that speaks the OpenAI protocol."""
