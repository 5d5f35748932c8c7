"""An avatar's answer as lines of text: what it says, footnotes with the words it rests on, and why."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vivavoce.domain.claims.citation_styles import one_line, own_notes, referenced
from vivavoce.domain.framing import SPOKEN, as_read, page_word, place_of, quoted
from vivavoce.operations.avatar_results import AvatarResponse, Citation

_WIDEST = 100
_QUOTE = 400
"""Characters of a quote that are shown."""
_CLAIM = 160
_PAGES = "|".join(sorted({re.escape(page_word(language)) for language in SPOKEN}))
_PAGE = re.compile(rf" \((?:{_PAGES}) [^()]{{1,40}}\)(\.?)$")


def answer_lines(answer: AvatarResponse, indent: str = "") -> Iterator[str]:
    """What was answered, then a footnote for each citation, then who speaks.

    An answer that has numbers and notes of its own, as its citation style wishes, keeps them.
    """
    own = own_notes(answer.response, (each.claim for each in answer.citations))
    notes = {} if own is None else own.notes
    numbers = _numbers(answer.citations) if own is None else own.numbers
    shown = _numbered(answer.response, answer.citations, numbers) if own is None else own.text
    for paragraph in shown.split("\n"):
        yield from _wrapped(paragraph, indent)
    if answer.citations:
        yield ""
    told: set[tuple[int, int, int]] = set()
    headed: set[int] = set()
    for number, citation in sorted(zip(numbers, answer.citations, strict=True), key=lambda each: each[0]):
        if number not in headed:
            headed.add(number)
            yield from _wrapped(notes.get(number) or f"[{number}] {place_of(citation)}", indent)
        if (number, citation.start, citation.end) not in told:
            told.add((number, citation.start, citation.end))
            yield from _footnote(citation, answer.response, f"{indent}    ")
    yield ""
    yield from _wrapped(f"Confidence: {answer.confidence}. {answer.disclosure}", indent)


def reason_lines(why: Mapping[str, Any]) -> Iterator[str]:
    """Why an answer is what it is: the question as it was looked up, passages, claims, limits."""
    yield "Why this answer"
    if why.get("lookedUp"):
        yield from _wrapped(f"Looked up: {why['lookedUp']}", "  ")
    yield from _wrapped(f"Written by: {_writer(why.get('model'))}", "  ")
    passages: Sequence[Mapping[str, Any]] = why.get("passages") or ()
    yield f"  Passages, each with how likely it is about the question: {len(passages)}"
    for passage in passages:
        given = " (given with the question)" if passage.get("from") == "caller" else ""
        page = passage.get("pageLabel") or passage.get("page")
        place = referenced(str(passage.get("source", "")), None, page)
        yield f"    {_score(passage.get('score'))}  {place}{given}"
    claims: Sequence[Mapping[str, Any]] = why.get("claims") or ()
    yield f"  Claims: {len(claims)}"
    for claim in claims:
        verdict = "kept" if claim.get("kept") else "dropped"
        yield from _wrapped(
            f"{verdict}: {_cut(str(claim.get('text') or claim.get('quote') or ''), _CLAIM)}", "    "
        )
        if claim.get("reason"):
            yield from _wrapped(str(claim["reason"]), "      ")
    for name, shown in (("likelihood", "Likelihood that these passages answer"), ("limits", "Limits")):
        if why.get(name) not in (None, "", [], {}):
            yield from _wrapped(f"{shown}: {_plain(why[name])}", "  ")
    if why.get("confidence"):
        yield from _wrapped(f"Confidence: {_plain(why['confidence'])}", "  ")


def _writer(model: Mapping[str, Any] | None) -> str:
    """Who put the answer into words."""
    if model is None:
        return "no model; it is made of sentences of the corpus"
    faults = "; ".join(str(fault) for fault in model.get("faults") or ())
    name = f"{model.get('name', 'a model')}{f' ({faults})' if faults else ''}"
    return f"sentences of the corpus, in place of {name}" if model.get("fellBack") else name


def _numbers(citations: Sequence[Citation]) -> list[int]:
    """The footnote of each citation: the same words at the same place have one."""
    known: dict[tuple[str, int, int], int] = {}
    return [known.setdefault((each.document_id, each.start, each.end), len(known) + 1) for each in citations]


def _numbered(response: str, citations: Sequence[Citation], numbers: Sequence[int]) -> str:
    """The response with the number of its footnote behind each claim.

    It takes the place of a page that stands there alone: the footnote names that page, with its work.
    """
    marks: dict[int, list[int]] = {}
    for citation, number in zip(citations, numbers, strict=True):
        place = response.find(citation.claim) if citation.claim else -1
        if place >= 0:
            at = marks.setdefault(place + len(citation.claim), [])
            at += [] if number in at else [number]
    for place in sorted(marks, reverse=True):
        shown = "".join(f" [{number}]" for number in sorted(marks[place]))
        page = _PAGE.search(response[:place])
        said = response[:place] + shown if page is None else f"{response[: page.start()]}{shown}{page[1]}"
        response = said + response[place:]
    return response


def _footnote(citation: Citation, response: str, indent: str) -> Iterator[str]:
    """Where the words stand, after the words themselves where the response does not have them already."""
    if as_read(citation.quote) not in one_line(response):
        yield from _wrapped(quoted(_cut(as_read(citation.quote), _QUOTE)), indent)
    address = f"{citation.url}, " if citation.url else ""
    yield f"{indent}{address}characters {citation.start} to {citation.end}"


def _score(score: Any) -> str:
    return f"{score:.2f}" if isinstance(score, int | float) else " -- "


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(each)}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(_plain(each) for each in value)
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _wrapped(text: str, indent: str = "") -> list[str]:
    """The lines of a paragraph at a terminal; elsewhere, where somebody may search it, one line."""
    line = f"{indent}{one_line(text)}"
    if not sys.stdout.isatty():
        return [line.rstrip()]
    width = max(min(shutil.get_terminal_size().columns, _WIDEST), 20)
    return textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False) or [""]


def _cut(text: str, most: int) -> str:
    line = one_line(text)
    return line if len(line) <= most else f"{line[:most]}…"
