"""Answers: which passages and sentences answer a question, and how likely they do."""
