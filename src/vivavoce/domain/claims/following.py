"""Following: whether a claim says no more, and nothing else, than the quote that it rests on."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from vivavoce.domain.corpus.quotes import is_verbatim
from vivavoce.domain.language.languages import language_of
from vivavoce.domain.language.vocabulary import words
from vivavoce.domain.language.words import folded, words_of

from .agreeing import DENIES, disagreement, disagreement_across, framing
from .attributing import attributions_in
from .copying import Change, changes, is_copy
from .counting import miscounted
from .crediting import miscredited
from .grounds import NONE, Ground, Objection, clauses_of, sentences_in, share_of, stems_of
from .modality import knows, marks_of, words_after
from .naming import misnamed
from .reporting import speaks_as_first_person
from .turning import exchanged, keeps_order


class Judged(NamedTuple):
    """Whether a claim may stand."""

    objection: str = ""
    """Why it does not follow; empty where nothing speaks against it."""
    share: float = 1.0
    """Which share of its words stands in the quote."""
    is_plain: bool = True
    """Whether its words are those of one sentence of the quote, as they are joined and meant there.

    Else it is read again.
    """
    is_cut: bool = False
    """Whether the quote leaves out what the claim has, or should have, of the quote's sentence."""
    is_doubt: bool = False
    """Whether words cannot tell, so that a second reader may find that it follows all the same."""

    @property
    def gravity(self) -> int:
        """0 where nothing speaks against it, 1 for a doubt, 2 for more."""
        return 0 if not self.objection else 1 if self.is_doubt else 2


def judged(claim: str, ground: Ground) -> Judged:
    """What speaks against a claim: numbers, names, who says it, denial, force, quantity, or what it adds.

    Each sentence of it must be borne out by itself. Where it is in words of its own, most of this is a doubt.
    """
    own = language_of(claim, ground.language)
    doubt = NONE
    for check in (_in_own_name, _links, _quotes_within, miscounted, misnamed, miscredited):
        objection = check(claim, own, ground)
        if objection and not objection.is_doubt:
            return Judged(objection.text, 0.0, False)
        doubt = doubt or objection
    each = [_of_sentence(sentence, own, ground) for sentence in sentences_in(claim)]
    if not each:
        return Judged(_NOTHING, 0.0, False)
    against = sorted((one for one in each if one.objection), key=lambda one: one.is_doubt)
    first = against[0] if against else Judged(doubt.text, is_doubt=bool(doubt))
    return Judged(
        first.objection,
        min(one.share for one in each),
        not doubt and all(one.is_plain for one in each),
        any(one.is_cut for one in each),
        first.is_doubt,
    )


_LEAST = 0.34
"""Which share of a sentence's words the quote must hold, by their roots, where nobody reads it again."""
_CLOSE = 0.75
"""From which share on a sentence is in the words of the quote, so that these tell what it changes."""
_COPIED = 0.9
"""From which share on it can only be a copy with another word."""
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
        return _of_foreign(statement, own, ground)._replace(share=share, is_cut=framed.differs)
    whole = share_of(told, theirs)
    if share < _LEAST:
        return Judged("it says more than the quote does", share, False, is_cut, whole > 0)
    changed = list(changes(_without_figures(claim, ground), ground.sentence, own))
    added = _additions(statement, own, ground)
    against = disagreement(statement, own, ground) or framed.objection
    against = against or exchanged(claim, ground.sentence, own)
    is_open = whole < _CLOSE or (against == DENIES and _is_denied(told, ground))
    if not against:
        against, is_open = next((_in_words(each) for each in changed if each.is_bare), ""), whole < _COPIED
    against = against or added or framed.doubt
    is_of_one = any(told <= stems_of(each, own) for each in ground.sentences)
    is_plain = told <= ground.stems and is_of_one and not changed and not framed.differs and knows(own)
    is_plain = is_plain and keeps_order(statement, ground.sentence, own)
    return Judged(against, share, is_plain, is_cut, is_open or against in (added, framed.doubt))


def _is_denied(told: frozenset[str], ground: Ground) -> bool:
    """Whether the quote denies or excepts anything that is told, be it in passing: "except the guards"."""
    text, language = ground.sentence, ground.language
    denied = [each for each in clauses_of(text) if marks_of(each, language).denies]
    parts = (*denied, *words_after(text, language, "except"))
    return any(share_of(told, stems_of(each, language)) > 0 for each in parts)


def _of_foreign(statement: str, own: str, ground: Ground) -> Judged:
    """What speaks against a sentence in another language.

    It is only a doubt where it stands around the quote, and where the words of its language are not known.
    """
    objection = disagreement_across(statement, own, ground)
    alone = disagreement_across(statement, own, replace(ground, around=""))
    is_doubt = objection != "" and not (alone and knows(ground.language))
    return Judged(objection, is_plain=False, is_doubt=is_doubt)


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


def _in_own_name(claim: str, own: str, ground: Ground) -> Objection:
    is_own = speaks_as_first_person(claim, own, ground.sentence)
    return Objection("it speaks in the first person, as if the thinker spoke") if is_own else NONE


def _links(claim: str, own: str, ground: Ground) -> Objection:
    """Whether it leads readers elsewhere, or brings markup that the quote does not have."""
    found = _LINK.search(claim)
    is_theirs = found is None or found.group() in ground.quote
    return NONE if is_theirs else Objection("it holds a link or markup")


def _quotes_within(claim: str, own: str, ground: Ground) -> Objection:
    """Whether other words in quotation marks stand in the quote too."""
    titles = {folded(name) for name in ground.known}
    for found in _QUOTED.finditer(claim):
        inner = found.group(1).strip(" ,.;")
        if folded(inner) in titles or is_verbatim(inner, ground.quote) or is_verbatim(inner, ground.sentence):
            continue
        if is_verbatim(folded(inner), folded(ground.sentence)):
            continue
        return Objection(f"it puts words in quotation marks that the quote does not have: {inner[:80]!r}")
    return NONE


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
