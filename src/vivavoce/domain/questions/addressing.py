"""Addressing: a question to a student about what its thinker says, as a question about the thing itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache


def unaddressed(question: str, names: Sequence[str]) -> str:
    """The question without the thinker: "What does she say about rules?" asks what is said about rules.

    A thinker's own texts do not name the one who wrote them, so the name would only lead away from them.
    """
    asked = question
    for pattern, instead in _patterns(tuple(names)):
        asked = pattern.sub(instead, asked, count=1)
    asked = asked.strip(" ,")
    return (asked[:1].upper() + asked[1:]) if asked and asked != question else question


_SAYING = {
    "en": r"says?|said|think|thinks|thought|write|writes|wrote|written|believes?|believed|argues?|argued"
    r"|claims?|claimed|teach|teaches|taught|holds?|feels?|felt|tells?\s+us|told\s+us|have\s+to\s+say"
    r"|had\s+to\s+say|has\s+to\s+say|mentions?|explains?|makes?|made|recommends?|suggests?|conclude[sd]?"
    r"|observe[sd]?",
    "pt": r"diz|disse|dizia|pensa|pensava|pensou|escreve|escreveu|escrevia|acha|achava|acredita|acreditava"
    r"|afirma|afirmou|defende|defendia|ensina|ensinava|fala|falou|falava|opina|tem\s+a\s+dizer",
    "es": r"dice|dijo|dec\u00eda|piensa|pensaba|pens\u00f3|escribe|escribi\u00f3|escrib\u00eda|cree"
    r"|cre\u00eda|opina|opinaba|afirma|afirm\u00f3|defiende|defend\u00eda|ense\u00f1a|ense\u00f1aba|habla"
    r"|hablaba|habl\u00f3",
    "fr": r"dit|disait|pense|pensait|\u00e9crit|\u00e9crivait|croit|croyait|affirme|affirmait|enseigne"
    r"|soutient",
    "de": r"sagt|sagte|denkt|dachte|schreibt|schrieb|meint|meinte|glaubt|glaubte|lehrt|lehrte|behauptet",
    "it": r"dice|diceva|disse|pensa|pensava|scrive|scriveva|scrisse|crede|credeva|afferma|insegna|sostiene",
}
_THINKER = {
    "en": r"she|he|they|you|the\s+author|the\s+thinker",
    "pt": r"ela|ele|voc\u00ea|a\s+autora|o\s+autor",
    "es": r"ella|\u00e9l|usted|la\s+autora|el\s+autor",
    "fr": r"elle|il|l['\u2019]auteure?|l['\u2019]autrice",
    "de": r"sie|er|die\s+autorin|der\s+autor",
    "it": r"lei|lui|l['\u2019]autrice|l['\u2019]autore",
}
_APART = r"(?:^|,\s*)"
"""Where a word such as "pour" says whose view it is; elsewhere something is done for somebody."""


@lru_cache(maxsize=64)
def _patterns(names: tuple[str, ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    named = "".join(f"|{re.escape(name)}" for name in sorted(names, key=len, reverse=True) if name.strip())
    who = {language: rf"(?:{words}{named})" for language, words in _THINKER.items()}
    listed = [
        (
            rf"\bwhat\s+(?:does|did|do|would|has|have|had)\s+{who['en']}\s+(?:ever\s+)?(?:{_SAYING['en']})"
            r"\s+(?:about|of|on|regarding|concerning)\b",
            "what is said about",
        ),
        (
            rf"\bwhat\s+(?:is|was|are|were)\s+(?:{who['en']}['\u2019]s?|his|her|their"
            rf"|your)\s+(?:\w+\s+)?(?:views?|opinions?|positions?|stance|thoughts?|ideas?|teachings?"
            rf"|attitude)\s+(?:about|of|on|towards?|regarding|concerning)\b",
            "what is said about",
        ),
        (
            rf"\b(?:does|did"
            rf"|do)\s+{who['en']}\s+(?:ever\s+)?(?:{_SAYING['en']})\s+(?:anything\s+)?(?:about|of|on)\b",
            "what is said about",
        ),
        (rf"\b(why|how)\s+(?:does|did)\s+{who['en']}\s+(?:{_SAYING['en']})\s+that\b", r"\1 is it that"),
        (rf"\b(?:does|did|do)\s+{who['en']}\s+(?:{_SAYING['en']})\s+that\b", "is it so that"),
        (rf"\bwhat\s+(?:does|did|do)\s+{who['en']}\s+(?:{_SAYING['en']})(?:\s+that)?\s+(?=\w)", "what "),
        (rf"(?:,\s*)?\b(?:according\s+to|in\s+the\s+view\s+of)\s+{who['en']}\b\s*,?", " "),
        (
            rf"\bo\s+que\s+(?:\u00e9\s+que\s+)?(?:{who['pt']}\s+)?(?:{_SAYING['pt']})(?:\s+{who['pt']})?\s+(?:sobre"
            rf"|a\s+respeito\s+d[eoa]s?|acerca\s+d[eoa]s?|d[eoa]s?)\b",
            "o que se diz sobre",
        ),
        (rf"(?:,\s*)?\b(?:segundo|para|de\s+acordo\s+com)\s+{who['pt']}\b\s*,?", " "),
        (
            rf"\bqu\u00e9\s+(?:{who['es']}\s+)?(?:{_SAYING['es']})(?:\s+{who['es']})?\s+(?:sobre|acerca\s+del?|del?)\b",
            "qu\u00e9 se dice sobre",
        ),
        (rf"(?:,\s*)?\b(?:seg\u00fan|para|de\s+acuerdo\s+con)\s+{who['es']}\b\s*,?", " "),
        (
            rf"\bque\s+(?:{_SAYING['fr']})[\s-]{who['fr']}\s+(?=(?:sur|des?|du|d['\u2019])\b|d['\u2019])",
            "que dit-on ",
        ),
        (rf"(?:(?:,\s*)?\b(?:selon|d['\u2019]apr\u00e8s)|{_APART}pour)\s+{who['fr']}\b\s*,?", " "),
        (rf"\bwas\s+(?:{_SAYING['de']})\s+{who['de']}\s+(?=(?:\u00fcber|zu|zum|zur)\b)", "was wird gesagt "),
        (rf"(?:(?:,\s*)?\blaut|{_APART}(?:nach|f\u00fcr))\s+{who['de']}\b\s*,?", " "),
        (
            rf"\b(?:che\s+)?cosa\s+(?:{who['it']}\s+)?(?:{_SAYING['it']})(?:\s+{who['it']})?\s+(?=(?:di|de|su)\w*)",
            "che cosa si dice ",
        ),
        (rf"(?:(?:,\s*)?\bsecondo|{_APART}per)\s+{who['it']}\b\s*,?", " "),
    ]
    return tuple((re.compile(pattern, re.IGNORECASE), instead) for pattern, instead in listed)
