"""Embedders: the built-in model, and any endpoint that speaks the OpenAI protocol."""
