"""Loading: what is made on first use, once, whichever thread comes first."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class loaded(Generic[T]):
    """A cached property for threads; since Python 3.12 `cached_property` makes its value twice for two."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make, self._name, self._lock = make, make.__name__, RLock()

    @overload
    def __get__(self, instance: None, owner: type) -> loaded[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> loaded[T] | T:
        if instance is None:
            return self
        with self._lock:
            if self._name not in instance.__dict__:
                instance.__dict__[self._name] = self._make(instance)
            made: T = instance.__dict__[self._name]
            return made
