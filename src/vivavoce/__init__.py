"""Conversational agents and knowledge avatars that you host yourself."""

__version__ = "0.1.0"
