"""Fakes for what documents are fetched and found with."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from vivavoce.domain.language.words import words_of
from vivavoce.errors import NotAvailable, Unreadable
from vivavoce.ports import Embedder, Fetched, Judge, Page, Reranker


class WordEmbedder:
    """An embedder whose vectors are the words of a text: quick, and never surprising."""

    identity = "words-64"
    dimension = 64
    languages: frozenset[str] = frozenset()

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """How many words each text has."""
        return [len(text.split()) for text in texts]

    async def passages(self, texts: Sequence[str]) -> Any:
        """A vector for each passage."""
        import numpy

        return numpy.stack([self._vector(text) for text in texts])

    async def question(self, text: str) -> Any:
        """The vector of a question."""
        return self._vector(text)

    def _vector(self, text: str) -> Any:
        import numpy

        vector = numpy.full(self.dimension, 0.01, "f4")
        for word in words_of(text, "en"):
            vector[zlib.crc32(word.encode()) % self.dimension] += 1
        return vector / numpy.linalg.norm(vector)


class TestEmbedders:
    """One embedder for everything, or others for some languages."""

    __test__ = False

    def __init__(
        self,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        judges: Sequence[Judge] = (),
        others: Mapping[str, Embedder] | None = None,
    ) -> None:
        self.embedder, self._reranker, self._judges = embedder or WordEmbedder(), reranker, judges
        self._others = dict(others or {})

    def chosen(self, language: str) -> Embedder:
        """The embedder for a language."""
        return self._others.get(language, self.embedder)

    def named(self, identity: str) -> Embedder:
        """The embedder that is called so."""
        for each in (self.embedder, *self._others.values()):
            if identity == each.identity:
                return each
        raise NotAvailable(f"The embedder {identity!r} is not configured.", hint="Run vivavoce reindex.")

    def reranker(self) -> Reranker | None:
        """The reranker, if there is one."""
        return self._reranker

    def judges(self) -> Sequence[Judge]:
        """Those that were given."""
        return self._judges


class FakeWeb:
    """A web of pages that are given by hand: `FakeWeb({"https://example.com/": b"<p>Hello</p>"})`.

    Files are given alike. The addresses of those that were asked for stand in `fetched`.
    """

    def __init__(self, pages: Mapping[str, bytes] | None = None) -> None:
        self.pages = dict(pages or {})
        self.fetched: list[str] = []

    async def page(self, url: str) -> Page:
        """The page, or Unreadable."""
        if url not in self.pages:
            raise Unreadable(f"{url} answers 404.")
        return Page(url, "html", self.pages[url])

    async def file(self, url: str, most: int) -> Fetched:
        """The file, or Unreadable."""
        self.fetched.append(url)
        if url not in self.pages:
            raise Unreadable(f"{url} answers 404.")
        if len(self.pages[url]) > most:
            raise Unreadable(f"The file is larger than {most // 1_000_000} MB.")
        return Fetched("", self.pages[url])

    async def site(self, url: str, *, sitemap: str | None, without: Sequence[str]) -> list[str]:
        """Every page that the sitemap lists; without one, every page that begins with the address."""
        listed = [each for each in self.pages if each.startswith(url)]
        if sitemap is not None and sitemap in self.pages:
            listed = re.findall(r"<loc>(.*?)</loc>", self.pages[sitemap].decode())
        return [each for each in listed if not each.startswith(tuple(without))]

    def is_sitemap(self, body: bytes) -> bool:
        """Whether the page begins as a sitemap does."""
        return body.startswith((b"<urlset", b"<sitemapindex"))
