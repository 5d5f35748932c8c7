"""Which embedder is used: the endpoint that the operator names, or the built-in one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from vivavoce.errors import InvalidInput, NotAvailable

if TYPE_CHECKING:
    from .builtin import BuiltInEmbedder, BuiltInReranker
    from .endpoint import EndpointEmbedder, Send
    from .judging import BuiltInJudge, CrossEncoder
    from .reading import BuiltInReader
    from .upper import EnglishReader

_BUILT_IN = "bge-small-en-int8"


class ChosenEmbedders:
    """The built-in embedder, and an endpoint where one is named. Models are loaded on first use."""

    def __init__(
        self,
        *,
        url: str = "",
        model: str = "",
        key: str = "",
        send: Send | None = None,
        reranks: bool = False,
    ) -> None:
        if url and not model:
            raise InvalidInput("VIVAVOCE_EMBEDDER_MODEL is missing.", hint="Name the model of the endpoint.")
        self._url, self._model, self._key, self._send, self._reranks = url, model, key, send, reranks

    def chosen(self) -> BuiltInEmbedder | EndpointEmbedder:
        """The one that new datastores get."""
        return self._built_in if self._endpoint is None else self._endpoint

    def named(self, identity: str) -> BuiltInEmbedder | EndpointEmbedder:
        """The one that made a datastore's vectors."""
        if identity == _BUILT_IN:
            return self._built_in
        if self._endpoint is not None and identity == self._endpoint.identity:
            return self._endpoint
        raise NotAvailable(
            f"The embedder {identity!r} of this datastore is not configured.",
            hint="Set VIVAVOCE_EMBEDDER_URL and VIVAVOCE_EMBEDDER_MODEL back, or run vivavoce reindex.",
        )

    def reranker(self) -> BuiltInReranker | None:
        """The reranker, where the operator wants one."""
        return self._reranker if self._reranks else None

    def judges(self) -> Sequence[BuiltInJudge | BuiltInReader]:
        """Those that tell whether a passage answers; two need the package with the models."""
        from .weights import are_installed

        if not are_installed():
            return (self._reader,)
        return self._judge, self._english_reader, self._reader

    def close(self) -> None:
        """End the threads of the models that were used."""
        for name in ("_built_in", "_reranker", "_judge", "_english_reader", "_reader"):
            if name in self.__dict__:
                self.__dict__[name].close()

    @cached_property
    def _built_in(self) -> BuiltInEmbedder:
        from .builtin import BuiltInEmbedder

        return BuiltInEmbedder()

    @cached_property
    def _reranker(self) -> BuiltInReranker:
        from .builtin import BuiltInReranker

        return BuiltInReranker()

    @cached_property
    def _judge(self) -> BuiltInJudge:
        from .judging import BuiltInJudge

        return BuiltInJudge(self._reranker, self._cross_encoder)

    @cached_property
    def _cross_encoder(self) -> CrossEncoder:
        from .judging import CrossEncoder

        return CrossEncoder()

    @cached_property
    def _english_reader(self) -> EnglishReader:
        from .upper import EnglishReader

        return EnglishReader(self._cross_encoder)

    @cached_property
    def _reader(self) -> BuiltInReader:
        from .reading import BuiltInReader

        return BuiltInReader()

    @cached_property
    def _endpoint(self) -> EndpointEmbedder | None:
        from .endpoint import EndpointEmbedder

        if not self._url or self._send is None:
            return None
        return EndpointEmbedder(self._url, self._model, self._key, self._send)
