"""An embedder behind any endpoint that speaks the OpenAI protocol: Ollama, vLLM, llama.cpp, OpenAI."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from vivavoce.errors import NotAvailable, UpstreamFailed

if TYPE_CHECKING:
    from vivavoce.ports import Vectors

_BATCH = 64
_CHARACTERS_PER_TOKEN = 3
"""A cautious guess: tokenizers of models that we do not have cannot be asked."""


class Send(Protocol):
    """Sends a request and gives status and body."""

    def __call__(
        self, method: str, url: str, *, headers: Mapping[str, str], content: bytes
    ) -> Awaitable[tuple[int, bytes]]: ...


class EndpointEmbedder:
    """Vectors from `POST {url}/embeddings`."""

    languages: frozenset[str] = frozenset()

    def __init__(self, url: str, model: str, key: str, send: Send, dimension: int = 0) -> None:
        self.url, self.model = url.rstrip("/"), model
        self._key, self._send = key, send
        self._dimension = dimension

    @property
    def identity(self) -> str:
        """The model's name; vectors of two models do not compare."""
        return self.model

    @property
    def dimension(self) -> int:
        """How long its vectors are, known once it was asked."""
        return self._dimension

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """About how many tokens each text has."""
        return [-(-len(text.encode()) // _CHARACTERS_PER_TOKEN) for text in texts]

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """A vector for each passage."""
        import numpy

        rows: list[Any] = []
        for start in range(0, len(texts), _BATCH):
            rows += await self._asked(list(texts[start : start + _BATCH]))
        return numpy.array(rows, "f4").reshape(len(texts), -1)

    async def question(self, text: str) -> Vectors:
        """The vector of a question."""
        return (await self.passages([text]))[0]  # type: ignore[no-any-return]  # a row of an array

    def close(self) -> None:
        """Nothing is held open."""

    async def _asked(self, texts: list[str]) -> list[Any]:
        import numpy

        headers = {"Content-Type": "application/json"} | (
            {"Authorization": f"Bearer {self._key}"} if self._key else {}
        )
        content = json.dumps({"model": self.model, "input": texts, "encoding_format": "float"}).encode()
        status, body = await self._send("POST", f"{self.url}/embeddings", headers=headers, content=content)
        if status in (401, 403, 404):
            raise NotAvailable(
                f"The embedder answers {status}.",
                hint="Check VIVAVOCE_EMBEDDER_URL, VIVAVOCE_EMBEDDER_MODEL and VIVAVOCE_EMBEDDER_KEY.",
            )
        if status != 200:
            raise UpstreamFailed(f"The embedder answers {status}.", hint="Try again later.")
        try:
            vectors = [numpy.asarray(vector, "f8") for vector in _vectors(body, len(texts))]
        except (ValueError, TypeError) as error:
            raise UpstreamFailed("The embedder answers with something that is no vector.") from error
        wanted = (self._dimension or len(vectors[0]),)
        if not all(vector.shape == wanted and numpy.isfinite(vector).all() for vector in vectors):
            raise UpstreamFailed("The embedder answers with vectors of another length, or with no numbers.")
        self._dimension = wanted[0]
        return [vector / (float(numpy.linalg.norm(vector)) or 1.0) for vector in vectors]


def _vectors(body: bytes, number: int) -> list[list[float]]:
    try:
        rows = sorted(json.loads(body)["data"], key=lambda row: row["index"])
        vectors: list[list[float]] = [row["embedding"] for row in rows]
        is_sound = all(isinstance(vector, list) and vector for vector in vectors)
        is_complete = [row["index"] for row in rows] == list(range(number))
    except (ValueError, KeyError, TypeError) as error:
        raise UpstreamFailed("The embedder's answer cannot be read.") from error
    if not (is_sound and is_complete):
        raise UpstreamFailed("The embedder did not answer with one vector for each text.")
    return vectors
