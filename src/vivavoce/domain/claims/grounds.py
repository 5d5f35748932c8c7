"""Grounds: what a claim rests on, and how much of it stands there word for word."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from vivavoce.domain.language.numerals import numbers_in
from vivavoce.domain.language.sentences import sentences_of
from vivavoce.domain.language.words import words_of

ROOT = 5
"""Words of which so many letters are the same are of one root; one less across languages."""


class Objection(NamedTuple):
    """What speaks against a claim; false where nothing does."""

    text: str = ""
    is_doubt: bool = False
    """Whether words cannot tell, so that a second reader may find that the claim follows all the same."""

    def __bool__(self) -> bool:
        return self.text != ""


NONE = Objection()


@dataclass(frozen=True)
class Ground:
    """What a claim rests on."""

    quote: str
    language: str
    around: str = ""
    """The whole sentences that the quote stands in."""
    nearby: str = ""
    """The sentences before them and the headings above, in which a name may stand."""
    known: tuple[str, ...] = ()
    """Names that need not be quoted: the authors, the thinker, the title of the work."""
    is_by_others: bool = False
    """Whether it stands in an introduction or another text that the authors did not write."""
    numbers: frozenset[str] = frozenset()
    """Numbers that need not be quoted: the year and the page of the work."""
    passage: str = ""
    """What stands around the quote, from which a reader knows whom "he" means."""
    is_spoken: bool = False
    """Whether it stands in quotation marks, as what somebody says there."""

    @cached_property
    def sentence(self) -> str:
        """The quote in its sentence."""
        return self.around or self.quote

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The sentences that the quote stands in, one by one."""
        return tuple(sentences_in(self.sentence))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The words of the quote."""
        return stems_of(self.quote, self.language)


def sentences_in(text: str) -> list[str]:
    """The sentences of a text that was set in lines, without blanks around them."""
    plain = " ".join(text.split())
    return [kept for span in sentences_of(plain) if (kept := plain[span.start : span.end].strip())]


def unbroken(text: str) -> str:
    """A text as it was before it was set in lines: ligatures apart, divided words whole, in one line."""
    plain = unicodedata.normalize("NFKC", text).replace("\u00ad\n", "").replace("\u00ad", "")
    return _BLANKS.sub(" ", _DIVIDED.sub("", plain))


_BLANKS = re.compile(r"\s+")
_DIVIDED = re.compile(r"(?<=[^\W\d_])-[ \t]*\n\s*(?=[^\W\d_])")


@lru_cache(maxsize=512)
def stems_of(text: str, language: str) -> frozenset[str]:
    """The stems of the words of a text, and its numbers; kept, as a claim is held against few texts."""
    return frozenset(words_of(text, language)) | {
        number.value for number in numbers_in(text, language) if number.value.isdecimal()
    }


def share_of(said: frozenset[str], held: frozenset[str], *, is_foreign: bool = False) -> float:
    """Which share of some words is among others."""
    if not said:
        return 1.0 if held else 0.0
    return sum(is_held(word, held, is_foreign) for word in said) / len(said)


def is_held(word: str, held: frozenset[str], is_foreign: bool) -> bool:
    """Whether a word or one of its root is among others."""
    root = ROOT - 1 if is_foreign else ROOT
    return word in held or (len(word) >= root and any(each[:root] == word[:root] for each in held))


def clauses_of(text: str) -> list[str]:
    """The clauses of a text, each with what joins it to the one before."""
    cuts = [0, *(found.start() for found in _CLAUSE.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(cuts) if text[start:end].strip()]


_CLAUSE = re.compile(
    r"[,;:()\u2014\u2013]\s|\s(?:and|but|because|while|whereas|so|e|mas|porque|enquanto|y|pero|mientras"
    r"|(?<!\bof )(?<!\bin )(?<!\bto )(?<!\bby )which)\s",
    re.IGNORECASE,
)
