from .client import connect as connect

__version__: str
