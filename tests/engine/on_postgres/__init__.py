"""What the engine does, once more on Postgres."""
