"""The client: operations carried out on a platform elsewhere, one of ours or the hosted service."""

from .platforms import Platform, Which, connect

__all__ = ["Platform", "Which", "connect"]
