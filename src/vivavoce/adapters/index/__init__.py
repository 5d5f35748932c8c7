"""The embedded index: files beside the database, read in place by any number of processes."""
