"""Upkeep: what an operator does with the knowledge of a workspace, beside the operations."""
