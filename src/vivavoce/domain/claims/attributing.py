"""Attributing: where a claim names the work that it rests on, with its year and its page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from vivavoce.domain.language.sentences import Span


def attributions_in(claim: str, names: Iterable[str], numbers: Iterable[str]) -> list[Span]:
    """The stretches such as "Governing the Commons (1990)", "p. 42" or "In 1990, Ostrom wrote"."""
    listed, figures = _one_of(names), _one_of(numbers)
    if not figures:
        return []
    return [
        Span(*found.span()) for pattern in _patterns(listed, figures) for found in pattern.finditer(claim)
    ]


_SHORT_NAME = 2
_VERB = (
    "(?:wr(?:ote|ites)|t(?:old|ells)|name[sd]|describe[sd]|report(?:s|ed)|ask(?:s|ed)|call(?:s|ed)|argue[sd]|sa(?:id|ys)|state[sd]|note[sd]|explain(?:s|ed)|h(?:eld|olds)|conclude[sd]"
    "|escreve(?:u)?|argument(?:a|ou|\u00f3)|diz|disse|afirm(?:a|ou|\u00f3)|sustent(?:a|ou)|conclui(?:u)?"
    "|escrib(?:e|i\u00f3)|dice|dijo|sostiene|sostuvo|concluye)"
)
_WORK = (
    "(?:book|work|essay|article|paper|lecture|speech|edition|monograph|livro|obra|libro|ensaio|ensayo|artigo"
    "|art\u00edculo)"
)
_PAGE = r"(?:pp?\.|pages?|p[a\u00e1]gs?\.?|p[a\u00e1]ginas?)"
_CLOSING = "[\"'\u201d\u2019\u00bb*_]{0,3}"


def _one_of(texts: Iterable[str]) -> str:
    kept = sorted(
        {each for each in texts if each.isdecimal() or len(each) > _SHORT_NAME}, key=len, reverse=True
    )
    return rf"(?<!\w)(?:{'|'.join(map(re.escape, kept))})(?!\w)" if kept else ""


def _patterns(names: str, figures: str) -> Iterator[re.Pattern[str]]:
    by_page = rf"{_PAGE}\s*{figures}"
    by_work = rf"{figures}\s+{_WORK}\b|\b{_WORK}\s+(?:of|from|de)\s+{figures}"
    yield re.compile(rf"{by_page}|{by_work}", re.IGNORECASE)
    if names:
        published = r"(?:published\s+in\s+|publicad[oa]\s+e[mn]\s+)?"
        with_year = rf"{names}(?:['\u2019]s)?{_CLOSING},?\s*\(?{published}{figures}\)?"
        before = rf"\b(?:in|em|en)\s+{figures},?\s+{names}\s+{_VERB}\b"
        told = rf"\b(?:in|em|en)\s+{figures},?\s+(?:s?he|el[ea]|\u00e9l|ella)\s+{_VERB}\b"
        after = rf"{names}\s+{_VERB}\s+(?:in|em|en)\s+{figures}"
        inside = rf"(?:{names}|{_PAGE}|{figures}|see\b|cf\.|and\b|et\s+al\.|[\s,;:&\"'\u201c\u201d*_])"
        has_name = rf"(?=[^()]*(?:{names}|{_PAGE}))"
        yield re.compile(rf"{with_year}|{before}|{told}|{after}|\({has_name}{inside}++\)", re.IGNORECASE)
