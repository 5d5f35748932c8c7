"""Orders: messages that ask for something to be done or made up, which no quote of a text can do."""

from __future__ import annotations

import re

from vivavoce.domain.language.languages import small_words
from vivavoce.domain.language.vocabulary import words
from vivavoce.domain.language.words import folded, words_of

from .open_questions import subject_of


def is_order(message: str) -> bool:
    """Whether a message orders an act: "write me a poem about cats", "ignore your rules".

    Who says "tell me", "list" or "explain" wants to be told something, and that a text can do. A search such
    as "print quality" names no act: an order goes on with a small word, as "your" or "with". Nor is a message
    an order that asks something besides: "reply in English: when did it open?".
    """
    asked = folded(message[:_LONGEST]).replace("\u2019", "'")
    return _is_act(asked) and not any(map(_is_question, (asked, *_CLAUSE_END.split(asked))))


def _is_act(asked: str) -> bool:
    return any(_is_act_in(language, _BEFORE[language].sub("", asked, count=1)) for language in _ACTS)


def _is_act_in(language: str, asked: str) -> bool:
    found = _VERB.match(asked)
    if found is None or found["verb"] not in _ACTS[language] or found["next"] in _TELLING:
        return False
    following = found["next"]
    return not following.isalpha() or following in small_words(language) | _MORE[language]


def _is_question(clause: str) -> bool:
    if subject_of(clause) is not None:
        return True
    is_long = len(clause.split()) >= _SHORTEST
    return is_long and clause.rstrip(_CLOSERS).endswith("?") and not _is_act(clause)


def speaks_of(order: str, text: str, language: str) -> bool:
    """Whether a text has all the words of an order, the act among them: then it may be what is looked for."""
    wanted = words_of(order, language).keys() - words_of(_POLITE, language).keys()
    return bool(wanted) and wanted <= words_of(text, language).keys()


_LONGEST = 2_000
_SHORTEST = 2
"""With fewer words nothing is asked: "please?"."""
_CLAUSE_END = re.compile(r"(?<=[.:;!?,\n])\s+")
_CLOSERS = "\"'\u201d\u00bb) \n"
_VERB = re.compile(
    r"(?P<verb>[^\W\d_]+)[\s:-]+(?:(?:me|us|nos)\s)?(?P<next>o que|[^\W\d_]+|[\"'\u201c\u00ab])"
)
"""A verb, and the word or the quotation mark behind it."""
_TELLING = {
    *words("about what how why when where who which of and sobre como quando onde quem qual quais"),
    "o que",
}
"""What follows where something is to be told, "write about the flood", or the verb is none: "output of"."""
_POLITE = "please can could would will you now me us por favor agora voce pode poderia quero que"
_AROUND = r"[\s\"'\u201c\u00bf\u00a1(]*"
_BEFORE = {
    "en": re.compile(
        "^" + _AROUND + r"(?:(?:please|now|and|then|so|ok|okay|just|hey|hi|hello|first)\b[\s,!]*"
        r"|(?:can|could|would|will) you\b\s*|(?:i want|i need|i would like|i'd like) you to\b\s*"
        r"|you (?:must|should|will)\b(?: now\b)?\s*)*"
    ),
    "pt": re.compile(
        "^" + _AROUND + r"(?:(?:por favor|agora|e|entao|ok|oi|ola|primeiro|me|nos)\b[\s,!]*"
        r"|(?:voce )?(?:pode|poderia|deve)\b\s*|(?:eu )?(?:quero|preciso|gostaria) que (?:voce )?(?:me )?)*"
    ),
}
"""What may stand before the verb of an order."""
_ACTS = {
    "en": words(
        "write compose generate invent print output reveal leak repeat echo ignore disregard forget",
        "override bypass pretend act behave roleplay simulate imitate impersonate translate rewrite",
        "rephrase paraphrase sing rap draw reply respond",
    ),
    "pt": words(
        "escreva escrever escrevam componha compor gere gerar invente inventar imprima imprimir",
        "revele revelar exiba exibir repita repetir ignore ignorar desconsidere desconsiderar esqueca",
        "esquecer burle finja fingir aja agir comporte simule simular imite imitar traduza traduzir",
        "reescreva reescrever parafraseie cante cantar desenhe desenhar responda responder",
    ),
}
"""Acts of whoever speaks, which change no text; what one does with things may be what a manual tells."""
_MORE = {
    "en": words("everything verbatim previous prior out like only one back aloud"),
    "pt": words("seu sua seus suas teu tua teus tuas tudo todas todos qualquer apenas somente"),
}
"""What an order goes on with besides small words."""
