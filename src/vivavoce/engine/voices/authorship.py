"""Authorship: whether the words of a work are its authors' own."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.domain.avatars import Source
from vivavoce.domain.claims.reporting import is_told_of, speaks_as_first_person
from vivavoce.domain.corpus.other_voices import is_another_voice, is_note, may_be_own
from vivavoce.domain.language.languages import language_of

from .surroundings import Quote, paragraph_of


def is_by_others(quote: Quote, source: Source | None) -> bool:
    """Whether words stand in a part of a work that its authors did not write, by its heading or its text."""
    authors = () if source is None else source.authors
    before, paragraph = paragraph_of(quote)
    if is_told_of(authors, paragraph) or is_note(paragraph, before):
        return True
    headings = quote.window.found.outline.headings_at(quote.span.start)
    others = [heading for heading in headings if is_another_voice(heading)]
    return bool(others) and not (all(map(may_be_own, others)) and _is_own(_section(quote), authors))


def _is_own(section: str, authors: Sequence[str]) -> bool:
    """Whether an introduction is the authors' own: it says "I", and does not speak of them by name."""
    return speaks_as_first_person(section, language_of(section, "en")) and not is_told_of(authors, section)


def _section(quote: Quote) -> str:
    """What stands under the same heading as a quote, as far as it was read."""
    text, offset = quote.window.text, quote.window.offset
    starts = [title.start for title in quote.window.found.outline.titles]
    begin = max((each for each in starts if each <= quote.span.start), default=0)
    end = min((each for each in starts if each > quote.span.start), default=offset + len(text))
    return text[max(0, begin - offset) : end - offset]
