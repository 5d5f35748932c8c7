"""Other voices: the parts of a book that its author did not write, by their headings and their form."""

from __future__ import annotations

import re


def is_another_voice(heading: str) -> bool:
    """Whether a part of a book is usually by someone else than its author."""
    return _OTHERS_PART.search(heading.casefold()) is not None


def may_be_own(heading: str) -> bool:
    """Whether such a part is as often by the author: an introduction that names nobody."""
    return _BY_EITHER.match(heading.casefold()) is not None


def is_note(paragraph: str, before: str = "") -> bool:
    """Whether a paragraph is a note on a text: by its form, or numbered under a heading of notes.

    `before` is what stands before it. A number in brackets alone makes no note: judgments have them too.
    """
    if _NOTE.match(paragraph) is not None or _SIGNED.search(paragraph) is not None:
        return True
    if _NUMBER.match(paragraph) is None:
        return False
    paragraphs = (each.strip() for each in reversed(_BLANK_LINE.split(before)))
    heading = next((each for each in paragraphs if each and _NUMBER.match(f"{each} ") is None), "")
    return is_another_voice(heading)


_OTHERS_PART = re.compile(
    r"^\W*(?:(?:editor|translator|transcriber|publisher)(?:'s|s'|\u2019s|s\u2019)?\s+\w+|introduction\s+by\b|foreword\b"
    r"|(?:preface|afterword|note)s?\s+(?:by|of|to\s+the\s+\w+\s+edition)\b|introduction\W*$|about\s+the\s+author"
    r"|(?:(?:end|foot)[ -]?)?notes\W*$|(?:end|foot)[ -]?note\W*$"
    r"|notes\s+(?:to|on)\s+(?:the\s+)?(?:text|chapter)"
    r"|(?:an?\s+|the\s+)?(?:\w+\s+)?(?:sketch|memoir|outline|account)s?\s+of\s+(?:the\s+)?(?:life|author)\b"
    r"|(?:biographical|explanatory|textual|bibliographical)\s+(?:notes?|sketch)\b"
    r"|notas?\s+d[oae]l?s?\s+(?:editor|tradutor|traductor)|notas\W*$|notas?\s+de\s+(?:rodap\u00e9|fim)"
    r"|notas?\s+(?:explicativas?|finai?s|finales|al\s+pie|biogr\u00e1ficas?)"
    r"|pref\u00e1cio\s+d[aeo]\b|pr\u00f3logo\s+d[ae]\b|introdu\u00e7\u00e3o\s+por\b"
    r"|introdu\u00e7\u00e3o\W*$|introducci\u00f3n\W*$)"
)
_BY_EITHER = re.compile(r"\W*(?:introduction|introdu\u00e7\u00e3o|introducci\u00f3n)\W*$")
_NUMBER = re.compile(r"\s*(?:\[\d{1,4}\]|\(\d{1,4}\)|\d{1,4}[.)])\s")
_NOTE = re.compile(
    r"""\s*(?:
      \[?\d{1,4}[\].)]?\s+\(?(?:pp?|pages?|p[a\u00e1]gs?|p[a\u00e1]ginas?)\.?\s*\d      # [4] P. 19.
    | [\[(]?\*?(?:foot|end)note\b                                                  # [Footnote 3: ...
    | [\[(]?\*?notas?\s+(?:de\s+rodap\u00e9|d[oae]l?\s+(?:editor|tradutor|traductor)|al\s+pie)\b
    | [\[(]?\*?(?:editor|translator|transcriber)(?:'s|\u2019s)?\s+note\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_SIGNED = re.compile(
    r"(?:--|\u2014|\u2013|\[|\()\s*(?:ed|eds|editor|trans|transl|tr|translator|n\.\s?d[oae]\s?[et]|n\.\s?del\s?[et])\.?"
    r"[\])]?\W*$",
    re.IGNORECASE,
)
"""How editors and translators sign what they add."""
_BLANK_LINE = re.compile(r"\n\s*\n")
