"""Following: whether a claim says no more, and nothing else, than the quote that it rests on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .agreeing import disagreement, disagreement_across, framing
from .attributing import attributions_in
from .copying import Change, changes, is_copy
from .grounds import ROOT, Ground, clauses_of, sentences_in, share_of, stems_of
from .languages import language_of, small_words
from .numerals import Number, is_about, numbers_in, ranges_in
from .quotes import is_verbatim
from .reporting import Reported, reporters_in, speaks_as_first_person
from .vocabulary import words
from .words import folded, words_of


class Judged(NamedTuple):
    """Whether a claim may stand."""

    objection: str = ""
    """Why it does not follow; empty where nothing speaks against it."""
    share: float = 1.0
    """Which share of its words stands in the quote."""
    is_plain: bool = True
    """Whether all its words are those of one sentence of the quote, meant as there; else it is read again."""
    is_cut: bool = False
    """Whether the quote leaves out what the claim has, or should have, of the quote's sentence."""


def judged(claim: str, ground: Ground) -> Judged:
    """What speaks against a claim: numbers, names, who says it, denial, force, quantity, or what it adds.

    Each sentence of it must be borne out by itself.
    """
    own = language_of(claim, ground.language)
    for check in (_in_own_name, _links, _quotes_within, _numbers, _names, _speakers):
        objection = check(claim, own, ground)
        if objection:
            return Judged(objection, 0.0, False)
    each = [_of_sentence(sentence, own, ground) for sentence in sentences_in(claim)]
    if not each:
        return Judged(_NOTHING, 0.0, False)
    return Judged(
        next((one.objection for one in each if one.objection), ""),
        min(one.share for one in each),
        all(one.is_plain for one in each),
        any(one.is_cut for one in each),
    )


_LEAST = 0.34
"""Which share of a sentence's words the quote must hold at all, by their roots."""
_NOTHING = "it says nothing that the quote could bear out"


def _of_sentence(claim: str, own: str, ground: Ground) -> Judged:
    statement = _without_attribution(claim, ground)
    told = stems_of(statement, own) - _known_stems(ground, own)
    theirs = stems_of(ground.sentence, ground.language)
    if any(_repeats(claim, each) for each in (ground.sentence, *ground.sentences)):
        return Judged(is_cut=not told <= ground.stems)
    if not told:
        return Judged(_NOTHING, 0.0, False)
    framed = framing(statement, own, ground)
    is_cut = framed.differs or not told & theirs <= ground.stems
    share = share_of(told, ground.stems, is_foreign=own != ground.language)
    if own != ground.language:
        return Judged(disagreement_across(statement, own, ground), share, False, framed.differs)
    if share < _LEAST:
        return Judged("it says more than the quote does", share, False, is_cut)
    changed = list(changes(_without_figures(claim, ground), ground.sentence, own))
    objection = (
        _additions(statement, own, ground)
        or disagreement(statement, own, ground)
        or framed.objection
        or next((_in_words(each) for each in changed if each.is_bare), "")
    )
    is_of_one = any(told <= stems_of(each, own) for each in ground.sentences)
    is_plain = told <= ground.stems and is_of_one and not changed and not framed.differs
    return Judged(objection, share, is_plain, is_cut)


_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W\d_]+)*")
_FIGURES = re.compile(r"\d+")
_LINK = re.compile(r"\w+://\S*|\bwww\.\S+|\]\(|<[a-zA-Z/!]")
_QUOTED = re.compile(r"[\"\u201c\u00ab]([^\"\u201c\u201d\u00ab\u00bb]{2,1000})[\"\u201d\u00bb]")
_REPORTING = words(
    "according argue argues argued say says said write writes wrote written state states stated hold",
    "holds held note notes noted explain explains explained describe describes described claim claims",
    "claimed show shows showed point points pointed stress stresses emphasize emphasizes emphasise",
    "emphasises observe observes observed think thinks thought believe believes see sees find finds",
    "found call calls called define defines defined mention mentions add adds maintain maintains",
    "report reports reported remark remarks conclude concludes view book work text author chapter",
    "passage quote letter essay article speech idea concept put puts regard regards treat treats",
    "segundo conforme argumenta diz disse escreve escreveu afirma afirmou sustenta nota explica",
    "explicou descreve mostra observa pensa ve encontra chama define menciona acrescenta conclui obra",
    "livro texto autor autora capitulo carta segun dice dijo escribe escribio sostiene senala describe",
    "muestra piensa encuentra llama anade concluye libro texto",
)


def _repeats(claim: str, text: str) -> bool:
    """Whether it says a text word for word, and does not say what the text asks."""
    return is_copy(claim, text) and claim.rstrip().endswith("?") == text.rstrip().endswith("?")


def _in_words(change: Change) -> str:
    return (
        f"it changes the words of the quote: {change.lost or 'nothing'!r} became {change.new or 'nothing'!r}"
    )


def _in_own_name(claim: str, own: str, ground: Ground) -> str:
    is_own = speaks_as_first_person(claim, own, ground.sentence)
    return "it speaks in the first person, as if the thinker spoke" if is_own else ""


def _links(claim: str, own: str, ground: Ground) -> str:
    """Whether it leads readers elsewhere, or brings markup that the quote does not have."""
    found = _LINK.search(claim)
    return "" if found is None or found.group() in ground.quote else "it holds a link or markup"


def _quotes_within(claim: str, own: str, ground: Ground) -> str:
    """Whether other words in quotation marks stand in the quote too."""
    titles = {folded(name) for name in ground.known}
    for found in _QUOTED.finditer(claim):
        inner = found.group(1).strip(" ,.;")
        if folded(inner) in titles or is_verbatim(inner, ground.quote) or is_verbatim(inner, ground.sentence):
            continue
        if is_verbatim(folded(inner), folded(ground.sentence)):
            continue
        return f"it puts words in quotation marks that the quote does not have: {inner[:80]!r}"
    return ""


def _numbers(claim: str, own: str, ground: Ground) -> str:
    """Whether each number stands in the quote and counts the same there; one that names the work need not."""
    named = attributions_in(claim, ground.known, ground.numbers)
    given = numbers_in(ground.sentence, ground.language)
    values = {number.value for number in given}
    said = [
        number
        for number in numbers_in(claim, own)
        if number.value not in ground.numbers or not any(start <= number.start < end for start, end in named)
    ]
    for number in said:
        plain = number.value.removesuffix("th")
        if number.value not in values and not (number.value != plain and plain in values):
            return f"the number {claim[number.start : number.end]!r} is not in the quote"
        theirs = [each for each in given if each.value == number.value]
        if theirs and all(is_about(ground.sentence, each) for each in theirs) and not is_about(claim, number):
            return f"the number {claim[number.start : number.end]!r} is only a bound in the quote"
    return _ranges(said, given, ground) or (
        "" if own != ground.language else _counts(claim, said, given, ground)
    )


def _ranges(said: Sequence[Number], given: Sequence[Number], ground: Ground) -> str:
    """Whether of two numbers between which something lies the claim takes one alone."""
    told = {number.value for number in said}
    for ends in ranges_in(ground.sentence, given):
        if len(told & set(ends)) == 1 and sum(number.value in ends for number in given) == len(ends):
            return f"the quote says between {ends[0]} and {ends[1]}, the claim names one of them"
    return ""


def _counts(claim: str, said: Sequence[Number], given: Sequence[Number], ground: Ground) -> str:
    """Whether a number counts what it counts in the quote."""
    counted: dict[str, set[str]] = {}
    for number in given:
        for stem in _next_stem(ground.sentence, number.end, ground.language):
            counted.setdefault(stem, set()).add(number.value)
    for number in said:
        for stem in _next_stem(claim, number.end, ground.language):
            if stem in counted and number.value not in counted[stem]:
                return f"the number {claim[number.start : number.end]!r} counts something else in the quote"
    return ""


def _next_stem(text: str, at: int, language: str) -> list[str]:
    """The word right after a place."""
    found = _WORD.search(text, at)
    return [] if found is None or found.start() > at + 2 else list(words_of(found.group(), language))


def _names(claim: str, own: str, ground: Ground) -> str:
    """Whether each name stands in the quote, in its sentence, or near it where the quote names nobody."""
    if own == "de":
        return ""
    written = {folded(match.group()) for match in _WORD.finditer(ground.sentence)}
    written |= {folded(match.group()) for name in ground.known for match in _WORD.finditer(name)}
    beside = {folded(match.group()) for match in _WORD.finditer(ground.nearby)}
    has_names = any(_capitals(ground.sentence, ground.language))
    for name in _capitals(claim, own):
        plain = folded(name).removesuffix("'s").removesuffix("\u2019s")
        if _is_among(plain, written) or (not has_names and _is_among(plain, beside)):
            continue
        return f"the name {name!r} is not in the quote"
    return ""


def _is_among(plain: str, written: Iterable[str]) -> bool:
    parts = plain.split("-")
    return any(
        plain == each
        or each.removesuffix("'s").removesuffix("\u2019s") == plain
        or (len(plain) >= ROOT and each[:ROOT] == plain[:ROOT])
        for each in written
    ) or (len(parts) > 1 and all(_is_among(part, written) for part in parts))


def _capitals(text: str, language: str) -> list[str]:
    """The words with a capital that begin no sentence and are no heading."""
    found = []
    small = small_words(language) | _NAMELESS
    at_start = True
    every = list(_WORD.finditer(text))
    for place, match in enumerate(every):
        word = match.group()
        before = text[every[place - 1].end() : match.start()] if place else ""
        at_start = place == 0 or bool(re.search(r"[.!?:\"\u201c\u201d\u00ab]", before))
        if word[0].isupper() and not at_start and word.lower() not in small and len(word) > 1:
            found.append(word)
    return [] if 2 * len(found) > len(every) and len(every) > 4 else found


_NAMELESS = words("i i'm i'll i've i'd english portuguese spanish yes no")


def _speakers(claim: str, own: str, ground: Ground) -> str:
    """Whether the claim gives the words to the one who says them."""
    ours = {folded(match.group()) for name in ground.known for match in _WORD.finditer(name)}
    told = [each for each in reporters_in(ground.sentence, ground.language) if not _is_ours(each, ours)]
    said = folded(claim)
    for each in told:
        if folded(each.name) not in said:
            stems = words_of(each.name, ground.language)
            if not stems or not stems.keys() <= words_of(claim, own).keys():
                return f"the quote reports what {each.name!r} says, the claim does not say so"
    if ground.is_by_others and any(_is_ours(each, ours) for each in reporters_in(claim, own)):
        return "the quote is not in the words of the one to whom the claim gives it"
    names = {folded(each.name) for each in told}
    for each in reporters_in(claim, own):
        if not _is_ours(each, ours) and each.is_name and folded(each.name) not in names:
            return f"the quote does not say that {each.name!r} says so"
    return ""


def _is_ours(reported: Reported, ours: set[str]) -> bool:
    return all(folded(match.group()) in ours for match in _WORD.finditer(reported.name))


def _without_attribution(claim: str, ground: Ground) -> str:
    """The claim without titles, names of authors, year and page, which the quote need not repeat."""
    text = _without_figures(claim, ground)
    for name in sorted(ground.known, key=len, reverse=True):
        if len(name) > 2:
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", text, flags=re.IGNORECASE)
    return text


def _without_figures(claim: str, ground: Ground) -> str:
    """The claim without the year and the page of the work, where it names them as such."""
    text = claim
    for start, end in attributions_in(claim, ground.known, ground.numbers):
        bare = _FIGURES.sub(lambda found: " " * len(found.group()), text[start:end])
        text = text[:start] + bare + text[end:]
    return text


def _known_stems(ground: Ground, own: str) -> frozenset[str]:
    """Words that every claim may have: those of names that are known, and those of reporting."""
    named = frozenset(
        stem for name in ground.known[:_MOST_NAMES] if len(name.split()) <= 4 for stem in words_of(name, own)
    )
    return named | stems_of(" ".join(_REPORTING), own)


_MOST_NAMES = 12


def _additions(statement: str, own: str, ground: Ground) -> str:
    """A clause of the claim of which nothing stands in the quote."""
    held = ground.stems | _known_stems(ground, own)
    for clause in clauses_of(statement):
        told = stems_of(clause, own) - _known_stems(ground, own)
        if len(told) >= _CLAUSE_WORDS and share_of(told, held) == 0:
            return f"it adds what the quote does not say: {clause.strip()[:80]!r}"
    return ""


_CLAUSE_WORDS = 2
