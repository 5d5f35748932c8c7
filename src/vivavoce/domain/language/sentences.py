"""Sentences: where each begins and ends, in many scripts, without losing a character."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

LONGEST = 1_000
"""The most characters that a sentence may have before the blanks that follow it."""


class Span(NamedTuple):
    """A stretch of a text, from start up to but not including end."""

    start: int
    end: int


def sentences_of(text: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """The sentences of a stretch, one after another without a gap; each carries the blanks that follow it."""
    stop = len(text) if end is None else min(end, len(text))
    begin = start
    for boundary in _boundaries(text, start, stop):
        yield from _of_bounded_length(text, begin, boundary)
        begin = boundary
    if begin < stop:
        yield from _of_bounded_length(text, begin, stop)


def trimmed(text: str, span: Span) -> Span | None:
    """The span without the blanks at its ends; None where it has nothing else."""
    stretch = text[span.start : span.end]
    start = span.end - len(stretch.lstrip())
    return Span(start, span.start + len(stretch.rstrip())) if start < span.end else None


def halves(text: str, span: Span) -> list[Span]:
    """The span in two, trimmed: after a line, a clause or a word near its middle, else between letters."""
    if span.end - span.start == 1:
        return [span]
    cut = _cut(text, span.start, span.start + (span.end - span.start + 1) // 2)
    both = trimmed(text, Span(span.start, cut)), trimmed(text, Span(cut, span.end))
    return [half for half in both if half is not None]


_BLANKS = re.compile(r"\s*+")
_LINE_END = re.compile(r"[\n\r\u2028\u2029]")
_CLAUSE = re.compile(r"[,;:](?=\s)|[\uff0c\u3001\uff1b\uff1a\u060c\u061b]")

# Stops that end a sentence whatever follows, because their scripts need no blank after them.
_FIRM = "\u3002\uff01\uff1f\uff61\uff0e\u061f\u06d4\u0964\u0965\u0589\u1362\u17d4\u104b"
_FIRM_STOP = re.compile(f"[{_FIRM}]")
_STOP = re.compile(
    rf"""(?P<line>[\n\r\u2028\u2029]\s*+)
    | (?P<stop>[.!?\u2026\u203c\u2047-\u2049{_FIRM}]++)
      (?P<closers>["'\u201d\u2019\u00bb\u203a)\]}}*_\u300d\u300f\uff09\u3011\u300b\u3009]*+(?:\[\d{{1,3}}\])*+)
    """,
    re.VERBOSE,
)
_OPENERS = re.compile(r"[\"'\u201c\u2018\u00ab\u2039(\[{\u00bf\u00a1*_]{0,4}+")
_ITEM = re.compile(r"[-*+\u2022\u2023\u25e6\u25aa\u00b7\u2013\u2014]\s|\d{1,3}[.)]\s|[a-zA-Z]\)\s|\#{1,6}\s")
_NUMBERING = re.compile(r"[\d.]+|[a-z]|[ivxlc]+", re.IGNORECASE)
_ROMAN = re.compile(r"[IVXLCDM]+\b")
_ELLIPSIS = re.compile(r"\.{2,}|\u2026")

# After these, whatever comes belongs to the sentence.
_LEADING = re.compile(
    r"""mrs?|ms|messrs|dr[as]?|dras|sr[as]?|sras|srta|profa?|profs|exm[oa]|ilm[oa]|rev|gen|col|capt|lt|sgt|eng
    |arq|adv|dep|sen|gov|hon|st[oa]?|dom|v\.exa?|e\.g|i\.e|p\.ex|cf|vs|viz|aprox|approx|ca|figs?|págs?|pags|pp
    |vols?|séc|eqs?|tel|mme|mlle|mgr|env|sigg?|dott|avv|geom|egr|spett|uds?|vds?|dña|avda|bzw|z\.b|d\.h
    |u\.a|inkl|zzgl|einschl|evtl|ggf|vgl|sog|abs|str|hl|hrsg|geb""",
    re.IGNORECASE | re.VERBOSE,
)
# After these, a number belongs to the sentence.
_NUMBERED = re.compile(
    r"""nos?|n[ºr]?|arts?|p|pag|caps?|sec|ch|ed|inc|tab|par|refs?|item|al|v|l
    |jan|feb|fev|apr|abr|jun|jul|aug|ago|sept?|oct|nov|dec|dez""",
    re.IGNORECASE | re.VERBOSE,
)
_INITIAL = re.compile(r"[A-Z]\.")
_ORDINAL = re.compile(r"\d{1,2}")
_BEFORE_ORDINAL = re.compile(r"\b(?:vom|zum|im|beim|de[rmn]|die)\s+$", re.IGNORECASE)
_AFTER_ORDINAL = re.compile(
    r"(?:Januar|J\u00e4nner|Februar|M\u00e4rz|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)s?\b"
    r"|(?:Jahrhundert|Jahrtausend|Lebensjahr|Jahrestag|Tag|Stock|Etage|Klasse|Advent|Auflage|Kapitel)\w{0,3}\b"
)
"""German writes "the first of March" with a full stop: "am 1. März"."""
_LONGEST_WORD = 16
_SHORT_WORD = 4


def _boundaries(text: str, start: int, end: int) -> Iterator[int]:
    begin = line = start
    is_row = _is_row(text, line, end)
    for found in _STOP.finditer(text, start, end):
        after = found.end()
        if found["line"] is not None:
            was_row, is_row = is_row, _is_row(text, after, end)
            is_boundary = was_row or is_row or _divides(text, line, found, end)
            line = after
        else:
            blanks = _BLANKS.match(text, after, end)
            after = blanks.end() if blanks is not None else after
            is_boundary = _ends_sentence(text, begin, found, after, end)
        if is_boundary and begin < after < end:
            yield after
            begin = after


def _is_row(text: str, start: int, end: int) -> bool:
    found = _LINE_END.search(text, start, end)
    stop = end if found is None else found.start()
    return text.startswith("|", start, stop) or "\t" in (row := text[start:stop]) or " | " in row


def _divides(text: str, line: int, found: re.Match[str], end: int) -> bool:
    blanks = found["line"]
    lines = blanks.count("\n") or blanks.count("\r")
    return (
        lines > 1
        or "\u2029" in blanks
        or text.startswith("#", line)
        or _ITEM.match(text, found.end(), end) is not None
    )


def _ends_sentence(text: str, begin: int, found: re.Match[str], after: int, end: int) -> bool:
    stop = found["stop"]
    if _FIRM_STOP.search(stop) is not None:
        return not (stop == "\uff0e" and text[found.end() : found.end() + 1].isdigit())
    if after == found.end():
        return False
    opened = _OPENERS.match(text, after, end)
    follower = opened.end() if opened is not None else after
    is_lower = text[follower : follower + 1].islower()
    if stop == "." and not found["closers"]:
        return _full_stop_ends(text, begin, found.start(), follower, is_lower)
    return not (is_lower and (stop == "." or found["closers"] or _ELLIPSIS.fullmatch(stop) is not None))


def _full_stop_ends(text: str, begin: int, stop: int, follower: int, is_lower: bool) -> bool:
    words = text[max(begin, stop - _LONGEST_WORD) : stop].rsplit(None, 1)
    word = words[-1].lstrip("\"'\u201c\u2018\u00ab([{*_") if words else ""
    letter = word.rsplit(".", 1)[-1]
    if _LEADING.fullmatch(word) is not None or (len(letter) == 1 and letter.isupper()):
        return False
    if len(word) == 1 and _INITIAL.match(text, follower) is not None:  # "z. B."
        return False
    if _NUMBERED.fullmatch(word) is not None:
        is_number = text[follower : follower + 1].isdigit() or _ROMAN.match(text, follower) is not None
        return not is_lower and not is_number
    if _ORDINAL.fullmatch(word) is not None and _is_ordinal(text, begin, stop - len(word), follower):
        return False
    if stop - begin <= _LONGEST_WORD and len(words) == 1 and _NUMBERING.fullmatch(word) is not None:
        return False
    return not is_lower or (len(word) > _SHORT_WORD and "." not in word)


def _is_ordinal(text: str, begin: int, number: int, follower: int) -> bool:
    """Whether a number with a full stop counts what follows, as in German."""
    if _AFTER_ORDINAL.match(text, follower) is not None:
        return True
    before = text[max(begin, number - _LONGEST_WORD) : number]
    return _BEFORE_ORDINAL.search(before) is not None and text[follower : follower + 1].isupper()


def _of_bounded_length(text: str, begin: int, end: int) -> Iterator[Span]:
    if end - begin > LONGEST:
        run = text[begin:end]
        last = begin + len(run.rstrip())
        first = end - len(run.lstrip())
        while last - first > LONGEST:
            cut = _cut(text, first, first + LONGEST)
            blanks = _BLANKS.match(text, cut, end)
            first = blanks.end() if blanks is not None else cut
            yield Span(begin, first)
            begin = first
    yield Span(begin, end)


def _cut(text: str, start: int, stop: int) -> int:
    middle = (start + stop) // 2
    line = text.rfind("\n", middle, stop)
    if line >= 0:
        return line + 1
    clause = None
    for clause in _CLAUSE.finditer(text, middle, stop):  # noqa: B007 - the last one is wanted
        pass
    if clause is not None:
        return clause.end()
    if text[stop - 1].isspace() or text[stop : stop + 1].isspace():
        return stop
    words = text[start:stop].rsplit(None, 1)
    if len(words) == 2:
        return stop - len(words[1])
    cut = stop
    while cut > middle and _are_one(text[cut - 1], text[cut : cut + 1]):
        cut -= 1
    return cut if cut > middle else stop


def _are_one(before: str, after: str) -> bool:
    return after != "" and (
        unicodedata.category(after).startswith("M")
        or "\u200d" in {before, after}
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or ("\udc00" <= after <= "\udfff" and "\ud800" <= before <= "\udbff")
    )
