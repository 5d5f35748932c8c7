"""Words: what a text is found by. Folded, cut to their stems, and weighed as BM25 weighs them."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise
from threading import Lock

from .languages import composed, small_words

K1 = 1.2
"""How fast a word that is repeated stops adding to a passage's weight."""
B = 0.75
"""How much the weight of a word shrinks in a long passage."""
REFERENCE_LENGTH = 200
"""The number of words and pairs, small words left out, of a passage of ordinary length."""
SHORT_LENGTH = 100
"""Below this a passage is short. Those on which scores are fitted are about as long, few are shorter."""
_OTHERS = 20
LONGEST = 64
"""Longer runs of letters are cut: nobody asks for them by all of their letters."""

_STEMMERS = {
    "en": "english",
    "pt": "portuguese",
    "es": "spanish",
    "fr": "french",
    "de": "german",
    "it": "italian",
}
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W\d_]+)?")
_COMPOUND = re.compile(r"(?<![\w-])([^\W\d_]+)[-\u2010\u2011]([^\W\d_]+)(?![\w-])")
_SHORTEST_COMPOUND = 5
_PAIRED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
)
"""Scripts that write without blanks: they are found by pairs of characters."""


def words_of(text: str, language: str) -> dict[str, int]:
    """How often each word stands in a text, by its stem and without the small words of the language.

    A word that is written with a hyphen counts also as one that is not: `small-pox` as smallpox.
    """
    return dict(Counter(chain(_in_order(text, language), _joined(text, language))))


def stems_in_order(text: str, language: str) -> list[str]:
    """The stem of each word of a text, small words left out, in the order of the text."""
    return list(_in_order(text, language))


def terms_of(text: str, language: str) -> dict[str, int]:
    """The words of a text, and each two that follow each other: `credit card` says more than both."""
    words = list(_in_order(text, language))
    pairs = (f"{one} {other}" for one, other in pairwise(words))
    return dict(Counter(chain(words, pairs, _joined(text, language))))


def compounds_of(text: str, language: str) -> dict[str, frozenset[str]]:
    """The words that are written with a hyphen, as one word, and the words that each is made of."""
    return {
        joined: frozenset(_in_order(" ".join(found.groups()), language))
        for found in _COMPOUND.finditer(composed(text))
        for joined in _joined(found.group(), language)
    }


def respelled(question: str, texts: Sequence[str]) -> str:
    """The question with words written with a hyphen where texts write them so, and never without."""
    written = {
        folded(first + second): f"{first}-{second}"
        for text in texts
        for first, second in _COMPOUND.findall(text)
    }
    asked = {folded(word) for word in _WORD.findall(question)} & written.keys()
    if not asked or any(asked & {folded(word) for word in _WORD.findall(text)} for text in texts):
        return question
    return _WORD.sub(lambda found: written.get(folded(found.group()), found.group()), question)


def weight(count: int, length: int) -> float:
    """What a word that stands `count` times in a passage of `length` words adds, before its rarity."""
    return count * (K1 + 1) / (count + K1 * (1 - B + B * length / REFERENCE_LENGTH))


def shortness(length: int) -> float:
    """Which share of a word's weight a passage owes to being short: 0 for one that is not."""
    return 1 - weight(1, max(length, SHORT_LENGTH)) / weight(1, length)


def idf(passages: int, with_word: int) -> float:
    """How rare a word is, seen in these passages and in a few others that have it once.

    The others keep a datastore of three passages from calling every word that it lacks a rare one.
    """
    total, having = passages + _OTHERS, with_word + 1
    return math.log1p((total - having + 0.5) / (having + 0.5))


def bound(words: Mapping[str, int], rarity: Callable[[str], float]) -> float:
    """More than any passage can score for these words."""
    return sum(count * rarity(word) * (K1 + 1) for word, count in words.items())


def _in_order(text: str, language: str) -> Iterator[str]:
    for match in _WORD.finditer(composed(text)):
        yield from _stems(match.group(), language)


def _joined(text: str, language: str) -> Iterator[str]:
    """The stems of words with a hyphen, as one word each; not where a small word is behind it: `diz-se`."""
    small = small_words(language)
    for first, second in _COMPOUND.findall(composed(text)):
        if len(first) + len(second) >= _SHORTEST_COMPOUND and second.lower() not in small:
            yield from _stems(first + second, language)


@lru_cache(maxsize=200_000)
def _stems(written: str, language: str) -> tuple[str, ...]:
    low = written.lower()
    if low in small_words(language):
        return ()
    if _PAIRED.search(low):
        return _pairs(low)
    plain = folded(low[:LONGEST])
    for mark in ("'", "\u2019"):  # l'eau, john's: the longer side is the word
        plain = max(plain.split(mark), key=len)
    if not plain or plain in _folded_small_words(language):
        return ()
    return (_stem(plain, language),)


def folded(text: str) -> str:
    """The text in lower case and without accents."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in parts if not unicodedata.combining(character))


def _stem(plain: str, language: str) -> str:
    stemmer = _stemmer(language)
    if stemmer is None or not plain.isalpha():
        return plain
    accented = _with_endings(plain) if language == "pt" else plain
    with _ONE_AT_A_TIME:
        return folded(stemmer(accented)) or plain


_ONE_AT_A_TIME = Lock()
"""A stemmer keeps the word that it works on in itself: two threads would mix theirs."""


def _with_endings(plain: str) -> str:
    """A Portuguese word with the accents of its ending, which people leave out and the stemmer needs.

    Plurals that it does not see through become singular.
    """
    for ending, accented in _PORTUGUESE_ENDINGS:
        if plain.endswith(ending) and len(plain) > len(ending) + 1:
            return plain[: -len(ending)] + accented
    return plain


_PORTUGUESE_ENDINGS = (
    ("coes", "ção"),
    ("cao", "ção"),
    ("soes", "são"),
    ("sao", "são"),
    ("oes", "ão"),
    ("aes", "ão"),
    ("ao", "ão"),
    ("encia", "ência"),
    ("encias", "ências"),
    ("ancia", "ância"),
    ("ancias", "âncias"),
    ("avel", "ável"),
    ("aveis", "ável"),
    ("ivel", "ível"),
    ("iveis", "ível"),
    ("logia", "logía"),
)


@cache
def _stemmer(language: str) -> Callable[[str], str] | None:
    if language not in _STEMMERS:
        return None
    import snowballstemmer

    stem: Callable[[str], str] = snowballstemmer.stemmer(_STEMMERS[language]).stemWord
    return stem


@cache
def _folded_small_words(language: str) -> frozenset[str]:
    return frozenset(folded(word) for word in small_words(language))


def _pairs(text: str) -> tuple[str, ...]:
    """Pairs of neighbours for scripts without blanks; what stands between them as it is."""
    found: list[str] = []
    end = 0
    for match in _PAIRED.finditer(text):
        found += _between(text[end : match.start()])
        run = match.group()
        found += [run[place : place + 2] for place in range(len(run) - 1)] or [run]
        end = match.end()
    return (*found, *_between(text[end:]))


def _between(text: str) -> list[str]:
    return [folded(text[:LONGEST])] if text else []
