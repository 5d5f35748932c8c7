"""Turns: from a message of a person to the answer of an agent, and all that it takes."""
