"""Excerpts: the sentences of a passage that can stand by themselves, and what each stands under."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from vivavoce.domain.language.sentences import Span, sentences_of, trimmed
from vivavoce.domain.language.words import folded, words_of


class Excerpt(NamedTuple):
    """A sentence or an item of a list, word for word."""

    place: int
    """Which sentence of its passage it is."""
    start: int
    """Where it begins in the passage."""
    text: str
    words: Mapping[str, int]
    context: Mapping[str, int]
    """The words of the heading, the question or the opening of the list that it stands under."""
    rank: int | None
    """How many stand before it under a question or in a list; None where it stands in neither."""
    asked: str = ""
    """The question that somebody asks right before it in a dialogue."""
    under: str = ""
    """The heading that it stands under; empty where the passage has none above it."""
    question: str = ""
    """The question that it answers, as the first that stands under it or goes on after that."""

    @property
    def points_back(self) -> bool:
        """Whether it begins with a word that stands for something said before, and does not name that."""
        return _POINTS_BACK.match(self.text) is not None and _NAMES_ITS_OWN.match(self.text) is None


LONGEST = 500
"""The most characters of a sentence that is quoted."""


@lru_cache(maxsize=128)
def excerpts_of(text: str, language: str, longest: int = LONGEST) -> tuple[Excerpt, ...]:
    """The excerpts of a passage in reading order: no headings, no questions, no code, no fragments.

    The passages of a few turns are kept, because a conversation comes back to them.
    """
    return tuple(_excerpts(text, language, longest))


def is_instruction(text: str) -> bool:
    """Whether a sentence speaks to a model instead of a reader; such a one is never quoted."""
    return _INSTRUCTION.search(folded(text)) is not None


def asks_for_instructions(question: str) -> bool:
    """Whether a question is about instructions that stand in a text."""
    return is_instruction(question) or _ABOUT_INSTRUCTIONS.search(folded(question)) is not None


_SHORTEST = 3
_LONGEST_HEADING = 10
_LONG_CAPITALS = 6
_HEADING = re.compile(r"#{1,6}\s+\S")
_ITEM = re.compile(r"(?:[-*+\u2022\u2023\u25e6]|\d{1,2}[.)]|#{1,6})\s+")
_CLOSERS = "\"'\u201d\u2019\u00bb)]*_"
_STOPS = tuple(".!?\u2026:;\u3002\uff01\uff1f")
_ASKS = tuple("?\uff1f\u061f")
_SPEECH = r"[\"\u201c\u201d\u00ab\u00bb]"
_ASKED = re.compile(
    rf"{_SPEECH}[^\"\u201c\u201d\u00ab\u00bb]{{2,400}}\?{_SPEECH},?\s+(?:\S+\s+){{1,7}}\S+[.]", re.DOTALL
)
"""A question in quotation marks, and who asks it."""
_CRIED = re.compile(r"[!?][ \n][^\W\d_A-Z\u00c0-\u00dd]")
_WARNS = re.compile(
    r"\b(?:NOT|NEVER|MUST|ALWAYS|DO|WARNING|CAUTION|DANGER|ATTENTION|N\u00c3O|NUNCA|SEMPRE|ATEN\u00c7\u00c3O|PERIGO"
    r"|CUIDADO|NO|SIEMPRE|ATENCI\u00d3N|PELIGRO)\b"
)
"""What is printed in capitals and is no title."""
_ROW = re.compile(r"^\|.*\|(?=[ \t]*$)", re.MULTILINE)
_CELL = re.compile(r"(?<=\|)[ \t]*(?P<cell>[^|\s](?:[^|\n]*[^|\s])?)[ \t]*(?=\|)")
_RULE = re.compile(r"[|:\s-]+")
_PROSE = 3
"""So many blanks make a cell one of prose."""
_CODE = re.compile(r"^[ \t]*(?P<fence>```+|~~~+).*?(?:^[ \t]*(?P=fence)|\Z)", re.DOTALL | re.MULTILINE)
_POINTS_BACK = re.compile(
    r"(?:it|this|that|these|those|they|he|she|such|however|therefore|also|then"
    r"|ele|ela|eles|elas|isso|isto|este|esta|esse|essa|tal|por\u00e9m|assim|tamb\u00e9m"
    r"|esto|eso|\u00e9l|ella|ellos|ellas|adem\u00e1s|\u00e9stos?|\u00e9stas?"
    r"|elles?|ils|cel(?:ui|le|les)-ci|ceux-ci|cela"
    r"|er|sie(?=\s+(?:\S*[^\se]t|ist|war|wird|wurde|hatte)\b)"
    r"|dies|dieser?(?=\s+(?:ist|war|wird|hat|kann|muss|darf)\b)|(?:\w+\s+)?von\s+ihnen"
    r"|egli|essa|esso|essi|esse|questi|queste|quest['\u2019]ultim[oa])\b",
    re.IGNORECASE,
)
_NAMES_ITS_OWN = re.compile(
    r"(?:[Tt]h(?:is|at|ese|ose)|[Ss]uch|[Ee]ss?[ae]|[Ee]st[ae]|[Tt]al)"
    r"(?:\s+(?!(?:is|was|are|were|has|have|had|did|does|may|can|will|would|of|in|at|to|on|by|for|from|with|and|that|which"
    r"|who|\u00e9|foi|era|em|de|do|da|es|fue|en)\b)[a-z\u00df-\u00fe]+){0,2}"
    r"\s+[A-Z\u00c0-\u00dd][a-z\u00df-\u00fe]"
)
"""A name right after the word that points: "this old Holm"."""
_INSTRUCTION = re.compile(
    r"""\b(?:ignor[ea]r?|disregard|forget|override|desconsider[ea]|esquec[ae]|olvida)\b
        (?:\s+\S{1,30}){0,5}?\s+
        (?:instructions?|prompts?|rules?|guidelines|instruc\w{1,12}|regras|reglas|ordens)\b
    | \b(?:system\s+prompt|prompt\s+d[eo]\s+sistema|previous\s+instructions|instrucoes\s+anteriores)\b
    | \b(?:you\s+are\s+now|voce\s+agora\s+e|ahora\s+eres|act\s+as\s+an?|pretend\s+(?:to\s+be|that\s+you))\b
    | \b(?:as\s+an\s+ai|dear\s+ai|ai\s+(?:assistant|model)s?\s*(?:[:,]|must|should|reading))
    | \b(?:call|invoke)\s+the\s+\S{1,40}\s+(?:tool|function)\b
    | \b(?:call|use|invoke|chame)\s+\w{1,30}_\w{1,30}\b
    | \breveal\s+(?:your|the)\s
    | </?(?:system|passage|instructions?|tool)\b|<\||\[/?inst\]""",
    re.VERBOSE,
)
_ABOUT_INSTRUCTIONS = re.compile(
    r"""^(?=.*\b(?:instructions?|instruc(?:ao|oes|cion|ciones))\b)
      .*\b(?:hidden|ai|ia|llm|chatbots?|models?|modelos?|assistants?|texts?|textos?|documents?|documentos?
      |passages?|passagens?|passagem|pasajes?|corpus|prompts?)\b
    | \bprompts?\s+injections?\b | \b(?:system|hidden|injected|model)\s+prompts?\b
    | \b(?:the|an?|this|that|any|your|what|which|o|os|um|el|los|un|qual|que|cual)\s+prompts?
      (?=\s*(?:[?.,!:;"]|$|\b(?:in|of|for|from|to|that|is|are|does|do|say|says|tells?|em|no|do|de|en|del|diz|dice)\b))""",
    re.VERBOSE | re.DOTALL,
)


def _excerpts(passage: str, language: str, longest: int) -> Iterator[Excerpt]:
    above: Mapping[str, int] = {}
    last: Mapping[str, int] = {}
    rank: int | None = None
    is_first = False
    is_list, asked, under, question, has_asked = False, "", "", "", False
    for place, span in enumerate(_stretches(passage)):
        text = passage[span.start : span.end]
        if _ROW.match(text) is not None:
            yield from _of_row(place, span, text, language, longest, under)
            question = ""
            continue
        item = _ITEM.match(text)
        bare = text if item is None else text[item.end() :]
        words = words_of(bare, language)
        is_asked = _ASKED.fullmatch(bare) is not None
        is_question = is_asked or bare.rstrip(_CLOSERS).endswith(_ASKS)
        is_heading = _is_heading(passage, span, is_item=item is not None)
        under = bare if is_heading else under
        if is_question or is_heading:
            stands_alone = is_heading or (item is None and not is_asked and _has_a_line(passage, span))
            question = bare if is_question and stands_alone and not (has_asked and not is_heading) else ""
            is_first, has_asked = True, is_question and not is_heading
            above, rank, is_list = words, 0 if is_question else None, False
            asked = bare if is_asked else ""
            continue
        has_asked = False
        if is_first and not _is_quotable(bare, item is None, longest):
            question = ""  # what answers cannot be quoted, so nothing that follows may stand for it
        is_first = False
        if is_list and item is None:
            above, rank, is_list = {}, None, False
        is_whole = len(bare.split(None, _SHORTEST)) >= _SHORTEST or (bool(words) and bool(above))
        if bare.endswith(":"):
            above, rank, is_list = {**above, **last, **words}, 0, True
            is_whole = len(words) > _SHORTEST
        if is_whole and len(bare) <= longest:
            yield Excerpt(place, span.end - len(bare), bare, words, above, rank, asked, under, question)
            rank, asked = None if rank is None else rank + 1, ""
        last = words


def _has_a_line(passage: str, span: Span) -> bool:
    """Whether nothing else stands in its line, but what a heading begins with."""
    before, after = passage[: span.start].rpartition("\n")[2], passage[span.end :].partition("\n")[0]
    return not after.strip() and (not before.strip() or _HEADING.match(before) is not None)


def _is_quotable(text: str, is_prose: bool, longest: int) -> bool:
    """Whether an answer is a sentence of its own: neither "No." alone nor an item of a list."""
    return is_prose and len(text.split(None, _SHORTEST)) >= _SHORTEST and len(text) <= longest


def _of_row(place: int, span: Span, row: str, language: str, longest: int, under: str) -> Iterator[Excerpt]:
    """What a row of a table says: the cells that are prose, else all of them, without the bars around.

    A first cell that alone is prose only names what the others tell: "Children from 4 to 11 | free".
    """
    cells = [Span(*found.span("cell")) for found in _CELL.finditer(row)]
    prose = [cell for cell in cells if row[cell.start : cell.end].count(" ") >= _PROSE]
    prose = cells if prose in ([], cells[:1]) else prose
    if not prose or _RULE.fullmatch(row) is not None:
        return
    start, end = prose[0].start, prose[-1].end
    words = words_of(row, language)
    if len(words) > 1 and end - start <= longest:
        yield Excerpt(place, span.start + start, row[start:end], words, {}, None, under=under)


def _stretches(text: str) -> Iterator[Span]:
    """The sentences and rows, without blanks around them and without code; an item ends with its line."""
    code = [Span(*found.span()) for found in _CODE.finditer(text)]
    rows = [Span(*found.span()) for found in _ROW.finditer(text)]
    row: Span | None = None
    for kept in _sentences(text):
        if any(each.start <= kept.start < each.end for each in code):
            continue
        before, row = row, next((each for each in rows if each.start <= kept.start < each.end), None)
        if row is not None:
            if row != before:
                yield row
            continue
        line = text.find("\n", kept.start, kept.end)
        if line >= 0 and _ITEM.match(text, kept.start) is not None and text[line + 1].isupper():
            yield Span(kept.start, line)
            kept = Span(line + 1, kept.end)
        yield kept


def _sentences(text: str) -> Iterator[Span]:
    """The sentences without blanks around them; what a cry in the middle cut in two is one."""
    before: Span | None = None
    for span in sentences_of(text):
        kept = trimmed(text, span)
        if kept is None:
            continue
        if before is not None and _CRIED.fullmatch(text, before.end - 1, kept.start + 1) is not None:
            before = Span(before.start, kept.end)
            continue
        if before is not None:
            yield before
        before = kept
    if before is not None:
        yield before


def _is_heading(text: str, span: Span, *, is_item: bool) -> bool:
    """Whether a stretch is a title: marked as one, or a short line by itself without a stop."""
    if text.startswith("#", span.start):
        return _HEADING.match(text, span.start) is not None
    is_apart = text.startswith("\n\n", span.end)
    written = text[span.start : span.end]
    if written.isupper() and not is_item and " " in written and _WARNS.search(written) is None:
        # Where pages lost their blank lines, a long line of capitals is a title all the same.
        is_long = len(written.split()) >= _LONG_CAPITALS and not text.isupper()
        return is_apart or is_long or not text[span.end :].strip()
    if is_item or not is_apart:
        return False
    is_short = len(written.split(None, _LONGEST_HEADING)) <= _LONGEST_HEADING
    return is_short and "|" not in written and not written.rstrip(_CLOSERS).endswith(_STOPS)
