"""Prompt variables: the names in braces that a prompt, a step or an address may hold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .language.sentences import sentences_of

PROMPT_VARIABLES = frozenset(
    (
        *("user-phone-number", "user-name", "user-email"),
        *("conversation-id", "conversation-channel", "created-at", "status", "priority", "assignee-email"),
        *("total-messages", "frustration-level", "conversation-tags", "summary"),
        *("scenario-id", "scenario-name", "step-id", "step-name"),
        *("ad-headline", "ad-body", "ad-source-url", "ad-source-type", "ad-clicked-at", "ad-clid"),
        *("ad-source-id", "today", "channel"),
    )
)
"""Filled in from the conversation when a prompt is used."""


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with its variables filled in; braces that name none stay as they are.

    A variable that has no value is left out. What is filled in is never looked at again.
    """

    def value(found: re.Match[str]) -> str:
        name = found.group(1)
        if name in values:
            return values[name]
        return "" if name in PROMPT_VARIABLES else found.group()

    return _NAMED.sub(value, text)


def fitting(texts: Sequence[str], tokens: float) -> list[str]:
    """The first texts that fit into so many tokens together, roughly counted.

    Where even the first is too long it is cut after a sentence, so that something is given.
    """
    fit: list[str] = []
    left = tokens
    for text in texts:
        left -= tokens_of(text)
        if left < 0:
            break
        fit.append(text)
    if fit or not texts:
        return fit
    return [cut] if (cut := _cut(texts[0], tokens)) else []


def tokens_of(text: str) -> float:
    """How many tokens a text has, roughly: four Latin letters to one, and one for each Chinese character."""
    plain = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    if plain == len(text):
        return plain / _LETTERS
    return plain / _LETTERS + (len(text.encode("utf-8", "surrogatepass")) - plain) / _BYTES


_NAMED = re.compile(r"\{([^{}\n]{1,64})\}")
_LETTERS = 4
_BYTES = 3
"""Of the other scripts, bytes of UTF-8 to a token."""


def _cut(text: str, tokens: float) -> str:
    """The sentences at the beginning that fit; of a first sentence that does not, its first words."""
    most = text[: max(0, int(tokens * _LETTERS))]
    while (size := tokens_of(most)) > tokens:
        most = most[: min(len(most) - 1, int(len(most) * tokens / size))]
    if len(most) == len(text):
        return text
    ends = [end for _, end in sentences_of(text, 0, len(most) + 1) if end <= len(most)]
    if ends and (whole := text[: ends[-1]].rstrip()):
        return whole
    words = most.rsplit(None, 1)
    return words[0] if len(words) == 2 and not text[len(most)].isspace() else most.rstrip()
