"""Moving in: what a hosted account holds, copied into the workspace."""
