"""Conversational agents and knowledge avatars that you host yourself."""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """What is loaded when it is first asked for; the stub beside this file has the types."""
    if name == "connect":
        from importlib import import_module

        return import_module("vivavoce.client").connect
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
