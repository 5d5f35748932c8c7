"""Identifiers: the numbers and codes by which a question names one thing among many of its kind."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from vivavoce.domain.language.numerals import plain_number
from vivavoce.domain.language.words import folded


class Identified(NamedTuple):
    """What a question names by a number or a code; an answer about another one is none."""

    value: str
    """6000, xr-200: folded, and without the marks of thousands."""
    kind: str
    """The word before it, such as tower; empty where there is none."""

    def is_in(self, text: str) -> bool:
        """Whether a text has it."""
        return any(_plain(found.group()) == self.value for found in _CODE.finditer(folded(text)))

    def is_of(self, text: str, start: int, end: int) -> bool:
        """Whether a stretch of a text speaks of it: it names it, or goes on after what named it last."""
        own = self._named(text[start:end])
        if own or self.is_in(text[start:end]):
            return not own or self.value in own
        return self.value in self._named(text[:start])[-1:]

    def _named(self, text: str) -> list[str]:
        """All things of its kind that a text names."""
        return [_plain(found.group("code")) for found in _naming(self).finditer(folded(text))]


@lru_cache(maxsize=64)
def identified_in(question: str) -> tuple[Identified, ...]:
    """The things that a question names by number or code.

    Years, small numbers, and numbers that count something name nothing.
    """
    plain = folded(question[:_LONGEST])
    return tuple(
        Identified(_plain(found.group("code")), _kind(found))
        for found in _NAMED.finditer(plain)
        if _names(found, plain)
    )


_LONGEST = 2_000
_CODE = re.compile(r"(?<![\w.])[a-z]{0,6}-?\d[\w-]*(?:[.,/]\d[\w-]*)*")
_NUMBERED = r"(?:numbers?|no\.|nr\.?|n\.?[\u00ba\u00b0o]\.?|num\.?|numero|id|code|codigo)"
_NAMED = re.compile(
    rf"(?:(?<!\w)(?P<kind>[^\W\d_]{{3,30}})\s+)??(?P<marked>(?<!\w){_NUMBERED}\s*|\#\s?)?(?P<code>{_CODE.pattern})"
)
_COUNTS = re.compile(
    r"\s*(?:%|(?!(?:is|are|was|were|has|have|had|in|on|of|at|to|for|from|and|or|by|with|that|which|who|do|does"
    r"|did|can|may|must|will|say|says|mean|means|e|ou|em|no|na|do|da|de|que|foi|era|sao|es|y|en|del|fue)\b)[^\W\d_]{2,})"
)
"""A number before a thing counts it."""
_TIMES = re.compile(
    r"january|february|march|april|may|june|july|august|september|october|november|december|year|years|since|until"
    r"|before|after|around|about|during|from|between|than|least|most|the|and|but|for|janeiro|fevereiro|marco|abril"
    r"|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro|ano|anos|desde|ate|antes|depois|enero|febrero|mayo"
    r"|junio|julio|septiembre|octubre|noviembre|diciembre|hasta|despues|summer|winter|spring|autumn|fall"
)
_YEAR = re.compile(r"1\d{3}|2[01]\d{2}")
_COUNTED_THROUGH = re.compile(
    r"sections?|articles?|rules?|rooms?|lots?|items?|lines?|clauses?|forms?|orders?|tickets?|invoices?|errors?"
    r"|ports?|models?|artigos?|articulos?|regras?|reglas?|itens|linhas?|lineas?|pedidos?|faturas?|facturas?"
)
"""Things of which there are so many that a number such as 1850 is no year behind them."""
_ROOT = 5


def _kind(found: re.Match[str]) -> str:
    kind = found.group("kind") or ""
    return "" if _TIMES.fullmatch(kind) is not None else kind


def _names(found: re.Match[str], plain: str) -> bool:
    """Whether a number or a code names something."""
    code, kind = found.group("code"), _kind(found)
    if found.group("marked") is not None:
        return True
    if not code[0].isdigit():
        return len(code) > 2
    if not code.isdecimal() or len(code) < 3 or not kind:
        return False
    if _YEAR.fullmatch(code) is not None and _COUNTED_THROUGH.fullmatch(kind) is None:
        return False
    return _COUNTS.match(plain, found.end()) is None


@lru_cache(maxsize=64)
def _naming(identified: Identified) -> re.Pattern[str]:
    """How a text names things of this kind: by the word before the number, else by codes that look alike."""
    if not identified.value[0].isdigit():
        return re.compile(r"(?<![\w.])(?P<code>[a-z]{1,6}-?\d[\w-]*)")
    before = rf"{re.escape(identified.kind[:_ROOT])}\w*\s+" if identified.kind else ""
    optional = "?" if identified.kind else ""
    return re.compile(rf"(?<!\w){before}(?:{_NUMBERED}\s*|\#\s?){optional}(?P<code>{_CODE.pattern})")


def _plain(code: str) -> str:
    bare = code.strip("-.,/")
    return plain_number(bare) if re.fullmatch(r"[\d.,]+", bare) else bare
