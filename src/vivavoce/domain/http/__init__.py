"""HTTP: the requests that agents make, what they hold, and what of it is secret."""
