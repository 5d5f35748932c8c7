"""Leading: sentences that lead up to what is asked for, and those that they lead to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vivavoce.domain.corpus.excerpts import Excerpt, excerpts_of, is_instruction
from vivavoce.domain.questions.giving import gives
from vivavoce.domain.questions.question_words import plainly, question_word_in

from .extracting import Weighed


def with_what_follows(chosen: Sequence[Weighed], question: str) -> list[Weighed]:
    """Sentences that answer; the first of them with those after it that it leads to.

    One that only says how many things there are leads to those that name them, and one that ends with a colon
    to what follows that; without it, a further one is not said. Where a reason is asked for and the first
    gives none, it leads to the reason that is given soon after.
    """
    if not chosen:
        return []
    first, *others = chosen
    others = [each for each in others if not each.excerpt.text.endswith(":")]
    after = [
        each
        for each in excerpts_of(first.passage.text, first.passage.language)
        if each.place > first.excerpt.place
    ][:_SOON]
    said = {each.excerpt.place for each in chosen if each.passage.number == first.passage.number}
    led = [each for each in _led_to(first.excerpt, after, question) if each.place not in said]
    if any(is_instruction(each.text) for each in led):
        led = []
    return [first, *(first._replace(excerpt=each) for each in led), *others]


_SOON = 2
_LONGEST = 600
"""Characters that a sentence and what it leads to may have."""
_NUMERAL = (
    r"(?:two|three|four|five|six|seven|eight|nine|ten|several|dois|duas|tres|quatro|cinco|seis|sete|oito|nove"
    r"|dez|varios|varias|dos|cuatro|siete|ocho|nueve|diez|deux|trois|quatre|cinq|huit|neuf|dix|plusieurs|zwei"
    r"|drei|vier|funf|sechs|sieben|acht|neun|zehn|mehrere|due|tre|quattro|cinque|sette|otto|dieci|diversi"
    r"|diverse"
    r"|varie|\d{1,2})"
)
_ANNOUNCES = re.compile(rf"\b{_NUMERAL} [^\W\d_]+(?: [^\W\d_]+)?\W*$")
_ANNOUNCES_REASONS = re.compile(
    r"(?:^|\b(?:has|have|had|are|were|for|in|takes?|tem|tinha|ha|hay|tiene|sao|son|por|em|en"
    r"|a|ont|avait|y a|sont|pour|hat|haben|hatte|gibt|sind|aus|hanno|aveva|sono|per|ci sono) "
    r"(?:[^\W\d_]+ ){0,2})"
    rf"{_NUMERAL} (?:[^\W\d_]+ )?(?:causes|reasons|conditions|rules|ways|steps|aims|exceptions"
    r"|causas|razoes|motivos|condicoes|regras|formas|passos|razones|condiciones|reglas|pasos|raisons"
    r"|conditions|regles"
    r"|etapes|buts|moyens|grunde|ursachen|bedingungen|regeln|schritte|ziele|ausnahmen|cause|ragioni"
    r"|motivi|condizioni"
    r"|regole|passi|modi|scopi|eccezioni)\W*$"
)
"""What nothing but the sentence after it can name."""
_IS_THIS = re.compile(r"\b(?:is|are|was|were) (?:simple|this|these|as follows|the following)\W*$")
_NAMES_THEM = re.compile(
    r"(?:they|these|the first|first|one|firstly|eles|elas|sao|[oa] primeir[oa]|primeir[oa]|uma?|ellos|ellas"
    r"|son|el primero|la primera|primero|ce sont|ils|elles|l[ea] premiere?|es sind|sie|d(?:er|ie"
    r"|as) erste|erstens"
    r"|sono|il primo|la prima|primo)\b"
)


def _led_to(first: Excerpt, after: Sequence[Excerpt], question: str) -> Sequence[Excerpt]:
    if not after or after[0].place != first.place + 1 or after[0].under != first.under:
        return ()
    if _leads_on(plainly(first.text), plainly(after[0].text)) and _fit(first, after[:1]):
        return after[:1]
    word = question_word_in(question)
    if word is None or word.kind != "reason" or gives("reason", first.text, question):
        return ()
    reason = next((n for n, each in enumerate(after) if gives("reason", each.text, question)), None)
    led = () if reason is None else after[: reason + 1]
    return led if _fit(first, led) else ()


def _leads_on(text: str, following: str) -> bool:
    """Whether a sentence only says that something comes, and the next one says it."""
    if text.rstrip().endswith(":") or any(each.search(text) for each in (_ANNOUNCES_REASONS, _IS_THIS)):
        return True
    return _ANNOUNCES.search(text) is not None and _NAMES_THEM.match(following) is not None


def _fit(first: Excerpt, led: Sequence[Excerpt]) -> bool:
    places = [first.place, *(each.place for each in led)]
    is_unbroken = places == list(range(places[0], places[0] + len(places)))
    return is_unbroken and sum(len(each.text) for each in (first, *led)) <= _LONGEST
