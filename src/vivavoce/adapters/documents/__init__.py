"""Files read into parts, in a process of their own: a hostile file can end that process and nothing else."""
