"""Reporting: who is said to say something."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from vivavoce.domain.language.languages import language_of, small_words
from vivavoce.domain.language.vocabulary import words
from vivavoce.domain.language.words import folded

from .citation_styles import surname_of


class Reported(NamedTuple):
    """Someone who is said to say something, and where that stands."""

    name: str
    start: int
    is_name: bool
    """Whether it is a name; critics and opponents have none."""
    leads: bool = True
    """Whether what is said stands behind, as after "says that"."""


def reporters_in(text: str, language: str) -> list[Reported]:
    """Everyone who says, claims or thinks something there, except the writer and those only pointed at."""
    return [
        Reported(match["who"], match.start("who"), _is_name(text, match["who"], match.start("who")), leads)
        for pattern, leads in (
            *((each, True) for each in (_SAYS, _SAY_THEY, _SAID_BY, _OF_WHOM)),
            *((each, False) for each in (_ACCORDING.get(language, _ACCORDING["pt"]), _INVERTED, _BEHIND)),
        )
        for match in pattern.finditer(text)
        if folded(match["who"].split()[-1]) not in _NOBODY
    ]


def tells_what_others_say(text: str) -> bool:
    """Whether somebody says something there who is only pointed at: "he affirmed very seriously that"."""
    return _THEY_SAY.search(text) is not None


def reports(text: str, language: str) -> bool:
    """Whether a text says of anything that it is said, thought or held."""
    return bool(reporters_in(text, language)) or _HOLDS.search(text) is not None


def is_told_of(authors: Iterable[str], text: str) -> bool:
    """Whether a text speaks of its authors by name, as only others do.

    References to works do not count, nor do lines of names and titles alone: headers and signatures.
    """
    named = [(surname_of(name), name) for name in authors]
    told = "\n".join(line for line in _CONTINUED.sub(" ", text).splitlines() if _SENTENCE_WORD.search(line))
    small = small_words(language_of(told, "en"))
    return any(
        not namesakes.has(found)
        for surname, name in named
        if len(surname) > _SHORT_NAME
        for namesakes in [_Namesakes.of(surname, name, told, small)]
        for found in re.finditer(rf"(?<![\w(;]){re.escape(surname)}(?![\w-]){_NO_REFERENCE}", told)
    )


class _Namesakes(NamedTuple):
    """Those who have the surname of an author, by the first name before it: "my father, Silas Thorley"."""

    told: str
    own: frozenset[str]
    """The names of the author."""
    small: frozenset[str]
    known: frozenset[str]
    """First names that stand before the surname more than once."""

    @classmethod
    def of(cls, surname: str, author: str, told: str, small: frozenset[str]) -> _Namesakes:
        firsts = re.findall(rf"\b({_CAPITALISED})\s(?:[A-Z]\.\s?)?{re.escape(surname)}(?![\w-])", told)
        own = frozenset(folded(word) for word in _NAME_WORD.findall(author))
        return cls(told, own, small, frozenset(name for name, count in Counter(firsts).items() if count > 1))

    def has(self, surname: re.Match[str]) -> bool:
        """Whether a surname is somebody else's. Where it is not sure, the text speaks of the author."""
        before = self.told[max(0, surname.start() - _NEAR) : surname.start()]
        found = _FIRST_NAMES.search(before)
        if found is None:
            return False
        names, around = found["names"].split(), before[: found.start()]
        begins = _BEGINS.search(around) is not None
        while begins and names and (names[0].lower() in self.small or folded(names[0]) in _ADVERBS):
            around += f"{names.pop(0)} "
        is_own = any(folded(name.strip(".")) in self.own for name in names)
        is_place = _PLACED.search(around) is not None  # "in Nepal Ostrom saw"
        if not names or is_own or is_place or folded(names[-1].strip(".")) in _TITLES:
            return False
        is_kin = any(_KIN.search(part) for part in (before[-_NEAR_KIN:], self._after(surname)))
        return is_kin or (not begins and names[-1] in self.known)

    def _after(self, surname: re.Match[str]) -> str:
        return self.told[surname.end() : surname.end() + _NEAR_KIN]


_CONTINUED = re.compile(r"(?<=[^\W\d_])[,;]?[ \t]*\n[ \t]*(?=[a-z\u00df-\u00fe])")
"""A line end within a sentence; a line that ends with its page is a header."""
_SENTENCE_WORD = re.compile(
    r"(?<![\w'\u2019.-])(?!(?:by|of|the|and|from|to|in|on|for|at|an?|with|edited|written|copyright|yours|sincerely"
    r"|truly|faithfully|respectfully|por|de|d[aeo]s?|del|e|y|o|os|as|la|el|los|las|em|en|para|van|von|der|du"
    r"|atenciosamente|atentamente|cordialmente|page|p|pp|vol|no|[ivxlc]+)\b)[a-z\u00df-\u00fe]"
)
"""A word that a line of names and titles does not have."""

_NO_REFERENCE = r"(?!['\u2019]?s?[\s,]*(?:et\s+al\.?|(?:and|&)\s+\w+)?[\s,(]*\d{4})"
_SHORT_NAME = 2
_NEAR = 100
_NEAR_KIN = 60
_CAPITALISED = r"[A-Z\u00c0-\u00dd][a-z\u00df-\u00fe]+"
_FIRST_NAMES = re.compile(rf"\b(?P<names>{_CAPITALISED}(?:\s{_CAPITALISED}|\s[A-Z]\.)*)\s?$")
_BEGINS = re.compile(r"(?:^|[.!?:;\u2014\n])[\s\"'\u201c\u2018\u00ab(]*$")
"""The end of what stands before a sentence, or before a line."""
_KIN = re.compile(
    r"\b(?:father|mother|brother|sister|husband|wife|son|daughter|uncle|aunt|pai|m\u00e3e|irm\u00e3o?|marido|esposa"
    r"|filh[oa]|ti[oa])\b",
    re.IGNORECASE,
)
_PLACED = re.compile(r"\b(?:in|at|from|to|of|near|em|n[ao]|d[aeo]|en|para|a)\s+$", re.IGNORECASE)
_NAME_WORD = re.compile(r"[^\W\d_]+")
_TITLES = words(
    "professor doctor dr mr mrs miss ms sir lady lord dame saint president senator reverend captain father",
    "mother sister brother aunt uncle professora doutor doutora dra senhor senhora sr sra dona dom don santa",
    "santo doctora",
)
_ADVERBS = words(
    "here there thus then now later today yet once perhaps indeed again still meanwhile both even like only",
    "unlike however porem conforme contudo",
    "aqui ali assim entao agora depois hoje ainda talvez como para segundo entonces ahora despues hoy",
)
"""What may begin a sentence before a surname."""


def has_rules(text: str) -> bool:
    """Whether it can be told who speaks there: in English, Portuguese and Spanish it can."""
    language = language_of(text)
    return language in _FIRST_PERSON if language else _OTHER_LETTER.search(text) is None


_OTHER_LETTER = re.compile(r"[\u0370-\u1dff\u2c00-\ud7ff\uf900-\ufaff]")
"""A letter that is not a Latin one."""


def speaks_as_first_person(text: str, language: str, quote: str = "") -> bool:
    """Whether the writer speaks of itself, alone or with others, outside quotation marks.

    "We" and "our" in what somebody is said to say are theirs, where the quote has such a word too.
    """
    own = _TO_READERS.sub(_blank, _QUOTED.sub(_blank, text))
    said = [each.start for each in reporters_in(own, language)] if _TOGETHER.search(quote) is not None else []
    return any(
        _TOGETHER.fullmatch(found.group()) is None
        or not any(start < found.start() and _is_one(own[start : found.start()]) for start in said)
        for found in _FIRST_PERSON.get(language, _FIRST_PERSON["en"]).finditer(own)
    )


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())


def _is_one(text: str) -> bool:
    """Whether a text ends no sentence."""
    return re.search(r"[.!?]\s", text) is None


_TOGETHER = re.compile(
    r"(?<!\w)(?:we|us|ours?|ourselves|n\u00f3s|noss[oa]s?|nos|nosotr[oa]s|nuestr[oa]s?)(?!\w)", re.IGNORECASE
)
_VERBS = (
    r"(?:say|claim|argue|assert|maintain|believe|think|insist|contend|hold|suppose|declare|allege|assume"
    r"|complain|object|repl(?:y)|conclude|warn|write|state|propose|suggest|answer)(?:s|d|ed)?|said|thought|held"
    r"|den(?:y|ies|ied)|doubt(?:s|ed)|wrote|replie[sd]|diz|dizem|disse|disseram|afirmam?|afirmou|afirmaram|argumentam?|argumentou"
    r"|sustentam?|sustentou|acreditam?|acreditou|pensam?|pensou|alegam?|alegou|escreve|escreveu|dice|dicen"
    r"|dijo|dijeron|afirman?|afirmo\u0301?|afirm\u00f3|argumentan?|argument\u00f3|sostienen?|sostuvo"
    r"|creen?|crey\u00f3|piensan?|pens\u00f3|alegan?|aleg\u00f3|escribe|escribi\u00f3"
)
_WITH_CAPITAL = r"[A-Z\u00c0-\u00dd][\w'\u2019-]+"
_NAME = (
    rf"(?:{_WITH_CAPITAL}(?:\s+(?:(?:de|da|do|van|von|of)\s+)?{_WITH_CAPITAL}){{0,3}}"
    r"|[a-z\u00e0-\u00fd]{3,20})"
)
_SAYS = re.compile(
    rf"(?<![\w-])(?P<who>{_NAME})\s+(?:(?:[a-z]+ly|once|also|often|always|never|even|has|have|had"
    rf"|tamb\u00e9m|sempre|siempre|tambi\u00e9n)\s+){{0,2}}(?:{_VERBS})(?:,?\s+(?:that|que)\b"
    rf"|\s*[:,]\s*[\"\u201c\u00ab]|\s*:)"
)
_ACCORDING = {
    language: re.compile(
        rf"\b(?:[Aa]ccording to|[Ii]n the (?:view|words|opinion) of|[Dd]e acordo com{others}"
        rf"|[Ss]eg\u00fan|[Dd]e acuerdo con|[Nn]a opini\u00e3o de|[Ee]n opini\u00f3n de)\s+(?:the|o|a|os|as"
        rf"|el|la|los|las\s+)?\s*(?P<who>{_NAME})"
    )
    # What says "according to" in Portuguese is "second" in Spanish.
    for language, others in (("pt", "|[Ss]egundo|[Cc]onforme"), ("es", ""), ("en", ""))
}
_INVERTED = re.compile(rf"(?:[,;:\"\u201d\u2019!?]|\bas)\s*(?:{_VERBS})\s+(?P<who>{_WITH_CAPITAL})")
_BEHIND = re.compile(
    rf"(?:[,;\"\u201d\u2019!?](?:\s+or)?(?:\s+so)?|\b[Aa]s)\s+(?P<who>{_WITH_CAPITAL}(?:\s+{_WITH_CAPITAL}){{0,2}})"
    rf"\s+(?:[a-z]+ly\s+|once\s+|has\s+|had\s+)?(?:{_VERBS})\s*(?:[.,;:!?\"\u201d]|$)"
)
"""Who says what stands before or around: "…," Hardin wrote; as Hardin says, …."""
_SAY_THEY = re.compile(
    rf"(?:[Dd]izem|[Dd]izia[m]?|[Aa]firmam|[Dd]icen|[Dd]ec\u00edan|[Aa]firman)\s+(?:[ao]s|l[ao]s)\s+"
    rf"(?:(?:meus|minhas|seus|suas|nossos|nossas|mis|sus)\s+)?(?P<who>{_NAME})\s+que\b"
)
_SAID_BY = re.compile(
    rf"\b(?:said|claimed|asserted|affirmed|declared|decided|maintained|alleged|argued|reported|taught)\s+by\s+"
    rf"(?:the\s+)?(?P<who>{_NAME}),?\s+that\b"
)
_THEY_SAY = re.compile(
    rf"(?<!\w)(?:[Hh]e|[Ss]he|[Tt]hey|[Ee]l[ea]s?|[Ee]ll[ao]s?|\u00c9l|\u00e9l)\s+(?:[a-z]+\s+)?(?:{_VERBS}|affirme?[sd]?)"
    rf"(?:\s+[a-z]+){{0,2}},?\s+(?:that|que)\b"
)
_HOLDS = re.compile(
    rf"\b(?:{_VERBS}|affirm\w*|opinion|view|belie[fv]\w*|opini\u00e3o|opini\u00f3n)\b|\b(?:for|para)\s[A-Z]"
)
_OF_WHOM = re.compile(
    rf"(?P<who>{_WITH_CAPITAL})['\u2019]s\s+(?:remark|claim|assertion|opinion|view|argument|statement|notion"
    r"|doctrine|belief|contention|objection)s?(?:,[^.;,]{0,60},)?\s+that\b"
)
"""Whose remark it is that something is so."""
_NOBODY = words(
    "i we he she it they you who which that this these those one there also and but or not to can may must",
    "will would could should might people him her them me us never ever always often then so as if when have",
    "has had is are was were be been being did does do indeed really truly certainly surely still only just",
    "eu nos ele ela eles elas quem que isso isto nao yo nosotros ella ellos ellas quien eso esto no se lo",
    "la el o a os as te le les e y mas pero",
)
_FIRST_PERSON = {
    "en": re.compile(
        r"(?<![\w'\u2019.])(?:I|[Ww]e|(?:I|[Ww]e)['\u2019](?:m|re|ve|d|ll)|[Mm]y|[Mm]yself|[Mm]ine|me|[Oo]urs?"
        r"|[Oo]urselves|us)(?![\w'\u2019])"
    ),
    "pt": re.compile(
        r"(?<!\w)(?:[Ee]u|[Mm]eus?|[Mm]inhas?|[Mm]im|[Cc]omigo|[Nn]\u00f3s|[Nn]oss[oa]s?|[Cc]onn?osco|[Aa]credit(?:o"
        r"|amos)|[Pp]ens(?:o|amos)|[Aa]cho|[Ee]screvi|[Ee]stud(?:ei|amos))(?!\w)"
    ),
    "es": re.compile(
        r"(?<!\w)(?:[Yy]o|[Mm]is?|[Mm]\u00ed[oa]?s?|[Cc]onmigo|[Nn]os|[Nn]osotr[oa]s|[Nn]uestr[oa]s?|[Cc]reemos"
        r"|[Cc]reo|[Pp]ienso|[Pp]ensamos|[Ee]scrib\u00ed|[Ee]studi(?:\u00e9|amos))(?!\w)"
    ),
}
_TO_READERS = re.compile(
    r"(?<!\w)(?:tell|told|show|showed|remind|reminded|teach|taught|warn|warned|invite|invited)(?:s|es)?\s+us(?!\w)"
)
"""Who is told something is no speaker."""
_QUOTED = re.compile(r"[\"\u201c\u00ab][^\"\u201c\u201d\u00ab\u00bb]{0,2000}[\"\u201d\u00bb]")


def _is_name(text: str, name: str, start: int) -> bool:
    """Whether it has a capital that the beginning of a sentence does not explain."""
    if not name[0].isupper():
        return False
    before = text[:start].rstrip()
    begins = not before or before.endswith((".", "!", "?", ":", "\u201c", '"'))
    return not begins or " " in name or not folded(name).endswith("s")
