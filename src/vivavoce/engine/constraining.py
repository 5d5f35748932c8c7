"""Constraining: what a persona holds to beats whoever drafts its answer, a model or the corpus itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vivavoce.domain.constraints import Constraints
from vivavoce.domain.languages import language_of
from vivavoce.domain.sentences import sentences_of

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
    """The claims, in their order, up to as many sentences as may be said."""
    left: list[Checked] = []
    said = 0
    for each in claims:
        size = 0 if each.reason else sum(1 for _ in sentences_of(each.claim.text.strip()))
        is_over = size > 0 and rules.is_over(said + size)
        left.append(_constrained(each, too_much(rules)) if is_over else each)
        said += 0 if is_over else size
    return left


def too_much(rules: Constraints) -> str:
    """Why a claim is dropped that is more than may be said."""
    return f"it is to say {rules.most} sentence{'' if rules.most == 1 else 's'} at most"


def _constrained(claim: Checked, reason: str) -> Checked:
    return replace(claim, reason=reason, is_constrained=True)
