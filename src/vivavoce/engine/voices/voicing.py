"""Voicing: what an avatar says, from quotes that hold, or that its corpus is silent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from vivavoce.domain.avatars import Avatar, Config, Source
from vivavoce.domain.claims.citation_styles import Cited, Style, style_in
from vivavoce.domain.corpus.other_voices import is_another_voice
from vivavoce.domain.corpus.speeches import speaker_of
from vivavoce.domain.framing import (
    Quotation,
    Voice,
    listed,
    page_word,
    quotations,
    said,
    stated,
)
from vivavoce.domain.language.languages import language_of
from vivavoce.domain.language.words import words_of
from vivavoce.domain.questions.eras import Later
from vivavoce.domain.questions.introductions import SmallTalk
from vivavoce.domain.questions.subjects import telling_words
from vivavoce.engine.handlers import Work
from vivavoce.engine.library.retrieval import Found
from vivavoce.operations.avatar_results import Citation

from .authorship import is_by_others
from .checking import Checked
from .corpora import Read, Standing, standing
from .surroundings import Quote

_MOST_AREAS = 6
_MOST_WORKS = 2
_SPOKEN = (
    "speech",
    "interview",
    "lecture",
    "talk",
    "conversation",
    "podcast",
    "discurso",
    "entrevista",
    "aula",
)
_DESCRIPTION = 240
Reason = Literal["empty corpus", "constraint", "out of scope", "after its time", "corpus miss"]
"""Why nothing is answered."""
_REFUSALS = {"empty corpus": "empty", "constraint": "forbidden", "out of scope": "stranger"}
"""What is said where no work comes near, or none is to be named."""


class Voiced(NamedTuple):
    """What is said, and what each sentence rests on."""

    text: str
    citations: list[Citation]


def spoken_from_quotes(
    quotes: Sequence[tuple[Quote, Standing]],
    avatar: Avatar,
    sources: Sequence[Source],
    language: str,
    limit: str,
) -> Voiced:
    """An answer of quotes, each with who says it and where."""
    about = avatar.about
    style = style_in(about.system_prompt.citation_style)
    given = [_quotation(quote, where, sources) for quote, where in quotes]
    numbers = _numbered([each.cited for each in given])
    sentences = quotations(given, style, language, numbers)
    notes = _notes([each.cited for each in given], numbers, style, language)
    citations = [
        _citation(quote, where, sentence) for (quote, where), sentence in zip(quotes, sentences, strict=True)
    ]
    begins = f"{limit} {said('still', language)}" if limit else ""
    return Voiced(_joined(begins, sentences, notes), citations)


def spoken_from_claims(
    kept: Sequence[Checked], avatar: Avatar, sources: Sequence[Source], language: str, limit: str
) -> Voiced:
    """An answer of claims in a model's words, each with the place that it rests on."""
    style = style_in(avatar.about.system_prompt.citation_style)
    rows = [(each, each.quote, each.where) for each in kept]
    held = [(each, quote, where) for each, quote, where in rows if quote is not None and where is not None]
    cited = [_cited(quote, where, sources) for _, quote, where in held]
    numbers = _numbered(cited)
    sentences = [
        stated(each.claim.text, work, style, language, number)
        for (each, _, _), work, number in zip(held, cited, numbers, strict=True)
    ]
    citations = [
        _citation(quote, where, sentence) for (_, quote, where), sentence in zip(held, sentences, strict=True)
    ]
    return Voiced(_joined(limit, sentences, _notes(cited, numbers, style, language)), citations)


def introduced(talk: SmallTalk, avatar: Avatar, read: Read, language: str) -> str:
    """Who speaks and what it has read, in answer to a greeting, to "ok", to thanks, or to who it is."""
    if talk.kind == "thanks":
        return said("welcome", language)
    about = avatar.about
    own = (about.own_disclosure or "").strip()
    own = own or said("new" if read.is_nothing else "who", language, name=about.name)
    who = "" if talk.kind == "heard" else own
    parts = [said("hello", language)] if talk.kind == "greeting" else []
    if read.is_nothing:
        parts += [who, said("empty", language)]
    else:
        parts += [who, _read(about, read.sources, language), said("ask", language)]
    return " ".join(part for part in parts if part)


def limit_said(later: Later | None, language: str) -> str:
    """That the corpus ends before what is asked about."""
    if later is None:
        return ""
    year = str(later.ends.year)
    if later.is_year:
        return said("ended", language, year=year, what=later.after_of(language))
    return said("ended_present", language, year=year)


def silence(
    avatar: Avatar,
    sources: Sequence[Source],
    found: Sequence[Found],
    question: str,
    language: str,
    *,
    reason: Reason,
    limit: str,
    others: Sequence[str],
) -> str:
    """That there is no answer and why: what the corpus holds instead, and where one might look."""
    about = avatar.about
    parts = [said(_REFUSALS.get(reason, "silent"), language)]
    if limit and reason != "constraint":
        parts.insert(0, limit)
    if reason != "empty corpus":  # who has read nothing has studied nothing
        parts.append(_areas(about, sources, language))
    works = [] if reason in _REFUSALS else _near(question, sources, found)
    is_only = {each.title for each in sources if each.is_primary} == {each.title for each in works}
    if works and (about.expertise or not is_only):  # else they were named as all that was read
        style = style_in(about.system_prompt.citation_style)
        parts.append(said("near", language, works=listed([_work(each, style) for each in works], language)))
    if others:
        parts.append(said("another", language, others=listed(list(others), language, last="or")))
    return " ".join(parts)


def others_for(question: str, avatar: Avatar, work: Work) -> list[str]:
    """The names of other avatars that know more about a question, which the caller may ask.

    One without a key, or with a key for one avatar, is told of public ones alone.
    """
    asked = _stems(question) - _stems(" ".join(avatar.about.expertise))
    sees_all = not work.caller.is_anonymous and work.caller.avatar_id is None
    named = []
    for each in work.tables.avatars.where():
        if each.id == avatar.id or not (each.is_public or sees_all):
            continue
        if asked & _stems(" ".join(each.about.expertise)):
            named.append(each.about.name)
    return named[:_MOST_WORKS]


def is_strange(question: str, avatar: Avatar, sources: Sequence[Source], found: Sequence[Found]) -> bool:
    """Whether a question has nothing to do with what an avatar has studied."""
    about = avatar.about
    texts = [about.name, about.description, about.corpus.description, *about.expertise]
    texts += [text for source in sources for text in (source.title, *source.topics)]
    if any(each.score >= _STRANGE for each in found) or _stems(question) & _stems("\n".join(texts)):
        return False
    return not any(_may_speak_of(question, each) for each in found[:_BEST])


_STRANGE = 0.35
"""The best passage is less likely than this to be relevant."""
_BEST = 3


def _may_speak_of(question: str, found: Found) -> bool:
    """Whether a passage has a telling word of a question; of one in another language words cannot tell."""
    language = found.cited.language
    own = language_of(question, language)
    telling = words_of(" ".join(telling_words(question, own)), language)
    return own != language or not telling.keys().isdisjoint(words_of(found.cited.text, language))


def _stems(text: str) -> frozenset[str]:
    return frozenset(words_of(text, language_of(text, "en")))


def _read(about: Config, sources: Sequence[Source], language: str) -> str:
    """What it has read, by title; empty where nothing of it is listed."""
    titles = list(dict.fromkeys(each.title for each in sources if each.is_primary))
    if not titles:
        return ""
    style = style_in(about.system_prompt.citation_style)
    works = [style.titled(title) for title in titles[:_MOST_AREAS]]
    if len(titles) > _MOST_AREAS:
        works.append(said("more", language, number=str(len(titles) - _MOST_AREAS)))
    return said("read", language, works=listed(works, language))


def _areas(about: Config, sources: Sequence[Source], language: str) -> str:
    """What it knows about: its fields, else what it has read, else what it says of itself."""
    if about.expertise:
        areas = listed(about.expertise[:_MOST_AREAS], language)
        return said("expert", language, name=about.name, areas=areas)
    if read := _read(about, sources, language):
        return read
    described = " ".join(about.description.split())[:_DESCRIPTION].rstrip(".")
    return said("about", language, name=about.name, description=f"{described}.")


def _near(question: str, sources: Sequence[Source], found: Sequence[Found]) -> list[Cited]:
    """The works of passages that are surely about a question, then those whose titles and topics come near.

    Where there is neither, the works of passages that may be about it.
    """
    asked = _stems(question)
    weighed = [
        (len(asked & _stems(" ".join((source.title, *source.topics, source.description or "")))), source)
        for source in sources
    ]
    titled = [source for weight, source in sorted(weighed, key=lambda each: -each[0]) if weight > 0]
    named = [Cited(each.title, tuple(each.authors), each.year, None) for each in titled]
    near = [*_works(found, _SURELY, sources), *named] or _works(found, _NEAR, sources)
    return list({(each.title, each.year): each for each in near}.values())[:_MOST_WORKS]


def _works(found: Sequence[Found], least: float, sources: Sequence[Source]) -> list[Cited]:
    """The works that the best passages stand in, of those that have at least this score."""
    places = (standing(each, 0, sources) for each in found[:3] if each.score >= least)
    return [Cited(each.source, (), each.year, None) for each in places]


_SURELY, _NEAR = 0.75, 0.4


def _work(cited: Cited, style: Style) -> str:
    return style.titled(cited.title) + (f" ({cited.year})" if cited.year is not None else "")


def _quotation(quote: Quote, where: Standing, sources: Sequence[Source]) -> Quotation:
    source = next((each for each in sources if each.id == where.source_id), None)
    headings = quote.window.found.outline.headings_at(quote.span.start)
    others = headings if is_by_others(quote, source) else ()
    part = next((heading for heading in reversed(others) if is_another_voice(heading)), "")
    voice: Voice = "says" if source is not None and source.type.lower() in _SPOKEN else "writes"
    cited = _cited(quote, where, sources)
    inside = (each - quote.window.offset for each in quote.span)
    speaker = speaker_of(quote.window.text, *inside)
    return Quotation(cited, quote.text, voice if cited.authors else "read", part, quote.span.start, speaker)


def _cited(quote: Quote, where: Standing, sources: Sequence[Source]) -> Cited:
    """The place of a quote; without the authors where it is not in their words."""
    source = next((each for each in sources if each.id == where.source_id), None)
    authors = () if source is None or is_by_others(quote, source) else tuple(source.authors)
    return Cited(where.source, authors, where.year, where.page_label)


def _numbered(cited: Sequence[Cited]) -> list[int]:
    """A number for each place; the same place has one number."""
    known = {each: number for number, each in enumerate(dict.fromkeys(cited), start=1)}
    return [known[each] for each in cited]


def _notes(cited: Sequence[Cited], numbers: Sequence[int], style: Style, language: str) -> list[str]:
    if style.kind != "notes":
        return []
    entries = dict(zip(numbers, cited, strict=True))
    return [style.note(each, number, page_word(language)) for number, each in entries.items()]


def _joined(begins: str, sentences: Sequence[str], notes: Sequence[str]) -> str:
    body = " ".join((begins, *sentences)).strip()
    return body if not notes else "\n".join((body, "", *notes))


def _citation(quote: Quote, where: Standing, sentence: str) -> Citation:
    return Citation(
        **where._asdict(),
        quote=quote.text,
        claim=sentence,
        document_id=quote.window.found.cited.document_id,
        start=quote.span.start,
        end=quote.span.end,
    )
