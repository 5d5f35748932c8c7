"""The hosted backend: carries out operations by calling the hosted service's own routes."""
