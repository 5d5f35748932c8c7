"""Orders: messages that want a thing made up, a part played or rules broken, which no quote can do."""

from __future__ import annotations

import re

from vivavoce.domain.language.languages import language_of
from vivavoce.domain.language.words import folded, words_of

from .open_questions import subject_of


def is_order(message: str) -> bool:
    """Whether a message orders what no text can do: "write me a poem about cats", "ignore your rules".

    What is to be done tells, not the verb: "print a test page" is a search. Nor is a message an order that
    asks something besides: "act as a pirate and tell me when the library opens".
    """
    asked = message[:_LONGEST]
    plain = " ".join(folded(asked).replace("\u2019", "'").split())
    orders = [each for language, each in _ORDERS.items() if language_of(asked, language) == language]
    found = next((match for each in orders if (match := each.match(plain)) is not None), None)
    if found is None or _ASKING.search(plain, found.end()) is not None:
        return False
    later = _CLAUSE_END.split(plain)[1:]
    return not any(_is_question(each) for each in later if not any(order.match(each) for order in orders))


def speaks_of(order: str, text: str, language: str) -> bool:
    """Whether a text has all the words of an order, the act among them: then it may be what is looked for."""
    wanted = words_of(order, language).keys() - words_of(_POLITE, language).keys()
    return bool(wanted) and wanted <= words_of(text, language).keys()


def _is_question(clause: str) -> bool:
    """Whether a clause asks; "please?" asks nothing."""
    return {" ", "?"} <= set(clause) or subject_of(clause) is not None


def _pattern(before: str, *orders: str) -> re.Pattern[str]:
    """Orders of a language; a Portuguese infinitive, "escrever um poema", searches how that is done."""
    return re.compile(rf"(?!\W*\w+[aei]r\b)\W*(?:(?:{before})\b[ ,!]*)*(?:{'|'.join(orders)})")


_LONGEST = 2_000
_CLAUSE_END = re.compile(r"(?<=[.:;!?,]) | (?=(?:and|e) )")
_ASKING = re.compile(
    r"\b(?:how|why|when|where|who|whose|which|what|whether"
    r"|como|quando|onde|quem|qual|quais|quant[oa]s?|por ?que|o que|que (?:ano|dia|horas?))\b"
)
"""What asks for one thing, also without a question mark."""
_POLITE = (
    "please can could would will you now tell me us por favor agora voce pode poderia quero que conte conta"
)
"""What an order is wrapped in, and the telling, which a quote does."""
_END = r"(?= ?(?:[^\w ]|$)| (?:and|e|verbatim|word|palavra)\b)"
"""Where no more is said of a thing: "ignore the rules", not those of the road."""
_THE = "(?:(?:all|any|of|the|these|those) )"
_YOUR = f"{_THE}*(?:(?:your|previous|prior|above|system|initial|original|hidden) )+"
_O = "(?:(?:tod[ao]s|[ao]s?|ess[ea]s) )"
_SEU = f"{_O}*(?:seu|sua|teu|tua)s? "
_ACIMA = " (?:anterior(?:es)?|acima|inicia(?:l|is)|do sistema)"
_ORDERS = {
    "en": _pattern(
        "please|now|and|then|so|ok|okay|just|hey|hi|hello|first|you (?:must|should|will)"
        "|(?:can|could|would|will) you|(?:i want|i need|i would like|i'd like) you to",
        r"(?:(?:write|compose|generate|invent|sing)(?: me| us)?|make (?:me|us|up)) (?:an?|some|another) "
        r"(?:(?!of|about|on|to|for)[\w-]+ ){0,2}?(?:poem|haiku|song|rap|joke|story|stories)s?\b(?! of\b)",
        r"write (?:me |us )?(?:an?|some) (?:[\w-]+ )?(?:essay|program|code)\b(?! of\b)",
        r"(?:write (?:me|us) an? (?:letter|e-?mail)|generate a list|tell (?:me |us )?(?:a|another) joke)\b",
        r"translate (?:this\b|that\b|[\"'\u201c])|(?:reply|respond) (?:only|just) with\b",
        r"(?:act|behave) (?:as|like) (?:an?|if|though|you)\b|(?:pretend (?:to be|(?:that )?you)"
        r"|you(?: are|'re) now an?|from now on,? you(?: are|'re))\b",
        rf"(?:ignore|disregard|forget|override|bypass) (?:everything(?: above\b| you\b|{_END})"
        rf"|(?:{_YOUR}|{_THE}+(?=\w+(?: above\b|{_END})))(?:prompt|rules|instructions|restrictions)\b)",
        r"(?:print|output|reveal|leak|repeat|echo|show|tell|give|(?:reply|respond) with)(?: me| us)? "
        rf"{_YOUR}prompt{_END}",
        rf"(?:print|output|reveal|leak) your (?:hidden |system )?(?:instructions|configuration){_END}",
        r"(?:print|output|repeat|echo) (?:everything|(?:all )?the (?:text|words|instructions)) above\b",
    ),
    "pt": _pattern(
        "por favor|agora|e|entao|ok|oi|ola|primeiro|me|nos|(?:voce )?(?:pode|poderia|deve)"
        "|(?:quero|preciso|gostaria) que(?: voce)?",
        r"(?:escrev(?:a|e|er)|componha|fa(?:ca|z|zer)|cri[ea]r?|gere|invent[ea]r?|cant[ea]r?)"
        r"(?:[- ]me|[- ]nos)? (?:(?:para|pra) (?:mim|nos) )?(?:uns|umas?|um|outr[oa]) (?:\w+ )?"
        r"(?:poema|poesia|haicai|cancao|musica|rap|piada|historia|redacao|codigo(?= (?:em|que)\b))s?\b",
        r"(?:cont[ea]r?(?:[- ]me|[- ]nos)? (?:uma|outra) piada|gere uma lista)\b",
        r"traduz(?:a|ir) (?:isto\b|isso\b|[\"'\u201c])|responda (?:apenas|somente|so) com\b",
        r"(?:(?:aja|agir|comporte-se) como (?:se|uma?)|finj(?:a|ir) (?:que|ser)"
        r"|(?:a partir de )?agora,? voce e uma?)\b",
        rf"(?:ignor[ea]r?|desconsider[ea]r?|esquec(?:a|er)|burl[ea]r?) (?:tudo(?: acima\b| o que\b|{_END})"
        rf"|(?:{_SEU}|{_O}+(?=\w+(?:{_ACIMA}\b|{_END})))(?:prompt|regras|instrucoes|restricoes)\b)",
        r"(?:imprim[ai]r?|revel[ea]r?|exib[ai]r?|mostr[ea]r?|repita|repetir|diga|responda com)(?:[- ]me)? "
        rf"(?:{_SEU}prompt|{_O}*prompt{_ACIMA}){_END}",
        rf"(?:imprima|revel[ea]r?|exib[ai]r?) (?:{_SEU}(?:instrucoes|configuracao)|a configuracao){_END}",
        r"(?:imprima|exiba|repita) (?:tudo|o texto|as palavras|as instrucoes) acima\b",
    ),
}
"""What is made up, whose part is played, and which of the speaker's own rules are broken or shown."""
