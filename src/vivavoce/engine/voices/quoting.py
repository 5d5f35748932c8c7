"""Quoting: sentences of the corpus as they stand, the likeliest of those that may be said."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.domain.claims.drafts import Claim
from vivavoce.domain.constraints import Constraints
from vivavoce.domain.corpus.excerpts import asks_for_instructions, is_instruction
from vivavoce.domain.language.languages import language_of
from vivavoce.domain.questions.expecting import Expected, expected_by
from vivavoce.domain.questions.orders import is_order, speaks_of

from .checking import LONGEST_QUOTE, Checked, Scene, quote_at
from .constraining import too_much, unshunned
from .corpora import standing
from .extraction import Sentence
from .surroundings import Quote

_ANOTHER = "its numbers are of another dimension than the one that is asked for"
_MOST_QUOTED = 1_000
"""Characters that an answer of quotes has at most, unless one quote alone is longer."""


def quoted(sentences: Sequence[Sentence], scene: Scene, rules: Constraints) -> list[Checked]:
    """Each sentence as a claim that quotes itself, in the order given, or why it is not said."""
    done: dict[Sentence, Checked] = {}
    tells_another = False
    for sentence in sorted(sentences, key=lambda each: each.rank):
        said = [each for each in done.values() if not each.reason]
        claim = unshunned(_quoted(sentence, scene), rules)
        expected = _expected(scene, sentence)
        if expected is not None and not claim.reason:
            if expected.tells_another(claim.claim.text):
                claim, tells_another = claim.dropped(_ANOTHER), True
            elif tells_another and expected.tells_nothing(claim.claim.text):
                claim = claim.dropped("it stands beside a sentence that does not answer")
        done[sentence] = claim if claim.reason else _beside(said, claim, rules)
    return [done[sentence] for sentence in sentences]


def _expected(scene: Scene, sentence: Sentence) -> Expected | None:
    """The kind of thing that is asked for, where the question is in the language of the passage."""
    language = scene.windows[sentence.place].found.cited.language
    is_foreign = language_of(scene.question, language) != language
    return None if is_foreign else expected_by(scene.question, language)


def _quoted(sentence: Sentence, scene: Scene) -> Checked:
    """A sentence with its place, dropped where it cannot be quoted."""
    quote = quote_at(scene.windows[sentence.place], sentence.start, sentence.end)
    found, text = quote.window.found, quote.text
    where = standing(found, quote.span.start, scene.sources)
    claim = Checked(Claim(text, sentence.place + 1, text), quote, where)
    if text != found.cited.text[sentence.start : sentence.end] or not text.strip():
        return claim.dropped("its document changed after it was found")
    if is_instruction(text) and not asks_for_instructions(scene.question):
        return claim.dropped("its quote speaks to a model, not to a reader")
    if is_order(scene.question) and not speaks_of(scene.question, text, found.cited.language):
        return claim.dropped("an act was asked for, and its quote tells nothing of that")
    if len(text) > LONGEST_QUOTE:
        return claim.dropped(f"its quote is longer than {LONGEST_QUOTE} characters")
    return claim


def _beside(said: Sequence[Checked], claim: Checked, rules: Constraints) -> Checked:
    """A sentence next to better ones, dropped where they leave no room for it."""
    quotes = [each.quote for each in said if each.quote is not None]
    if claim.quote is None or any(_overlap(each, claim.quote) for each in quotes):
        return claim.dropped("it was said already")
    if rules.is_over(len(said) + 1):
        return claim.dropped(too_much(rules))
    if quotes and sum(len(each.text) for each in (*quotes, claim.quote)) > _MOST_QUOTED:
        return claim.dropped("enough is quoted already")
    return claim


def _overlap(one: Quote, other: Quote) -> bool:
    same = one.window.found.cited.document_id == other.window.found.cited.document_id
    return same and one.span.start < other.span.end and other.span.start < one.span.end
