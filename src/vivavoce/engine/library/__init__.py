"""The library: documents are read, split and indexed, and their passages found again."""
