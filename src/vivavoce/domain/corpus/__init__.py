"""Corpus: documents and their passages, with pages, titles and the exact place of every word."""
