"""Constraining: what a persona holds to beats whoever drafts its answer, a model or the corpus itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vivavoce.domain.constraints import Constraints
from vivavoce.domain.language.languages import language_of
from vivavoce.domain.language.sentences import sentences_of

from .checking import Checked


def unshunned(claim: Checked, rules: Constraints) -> Checked:
    """The claim, dropped where it or its quote speaks of what is not to be spoken of."""
    if claim.reason or claim.quote is None:
        return claim
    language, quote, text = claim.quote.window.found.cited.language, claim.quote.text, claim.claim.text
    if what := rules.shuns(quote, language):
        return _constrained(claim, f"its quote speaks of what it is not to speak of: {what}")
    if what := rules.shuns(text, language_of(text, language)):
        return _constrained(claim, f"it speaks of what it is not to speak of: {what}")
    return claim


def shortened(claims: Sequence[Checked], rules: Constraints) -> list[Checked]:
    """The claims, in their order, up to as many sentences as may be said.

    Where each alone has more, the first is said as far as that: each sentence of a claim holds by itself.
    """
    left: list[Checked] = []
    said = 0
    for each in claims:
        size = 0 if each.reason else len(_sentences(each))
        is_over = size > 0 and rules.is_over(said + size)
        left.append(each.dropped(too_much(rules)) if is_over else each)
        said += 0 if is_over else size
    first = next((place for place, each in enumerate(claims) if not each.reason), None)
    if said == 0 and first is not None:
        left[first] = _begun(claims[first], rules)
    return left


def too_much(rules: Constraints) -> str:
    """Why a claim is dropped that is more than may be said."""
    return f"it is to say {rules.most} sentence{'' if rules.most == 1 else 's'} at most"


def _sentences(claim: Checked) -> list[str]:
    text = claim.claim.text.strip()
    return [text[each.start : each.end] for each in sentences_of(text)]


def _begun(claim: Checked, rules: Constraints) -> Checked:
    """A claim that ends where no more may be said."""
    text = "".join(_sentences(claim)[: rules.most]).strip()
    return replace(claim, claim=claim.claim._replace(text=text))


def _constrained(claim: Checked, reason: str) -> Checked:
    return replace(claim, reason=reason, is_constrained=True)
