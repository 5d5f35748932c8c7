"""Models that speak, at the providers that the operator has keys for."""
