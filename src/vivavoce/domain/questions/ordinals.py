"""Ordinals: "the second" and "the latter", where they stand for a thing that was named before."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from vivavoce.domain.language.languages import asking_words, small_words
from vivavoce.domain.language.vocabulary import words

from .question_words import plainly


class Pointer(NamedTuple):
    """Words that stand for one of several things."""

    start: int
    end: int
    place: int
    """Which of the things it is; -1 for the last."""
    link: str
    """What is left of an article that is one with the word before it."""


def pointers_in(question: str) -> list[Pointer]:
    """The ordinals that stand for things; one with a noun behind it does not: "the first floor" is one."""
    plain = plainly(question)
    found: dict[int, Pointer] = {}
    for language, pattern in _POINTERS.items():
        for match in pattern.finditer(plain):
            pointer = None if _is_of_a_name(question, match) else _pointer(question, match, language)
            if pointer is not None:
                found.setdefault(pointer.start, pointer)
    return sorted(found.values())


def is_said_of_a_thing(word: str, language: str) -> bool:
    """Whether a small letter word is a verb or an adjective that is said of things: "cost", "built"."""
    if word in _VERBS.get(language, ()) or word in _ADJECTIVES.get(language, ()):
        return True
    pattern = _PARTICIPLES.get(language)
    return pattern is not None and pattern.fullmatch(word) is not None


_NAMES = {
    "en": "last latter|first 1st former|second 2nd|third 3rd|fourth 4th|fifth 5th|sixth 6th|seventh|eighth",
    "pt": "ultim#|primeir#|segund#|terceir#|quart#|quint#|sext#|setim#|oitav#",
    "es": "ultim#|primer#|segund#|tercer#|cuart#|quint#|sext#|septim#|octav#",
    "fr": "dernier derniere|premier premiere|second seconde deuxieme|troisieme|quatrieme|cinquieme|sixieme",
    "de": "letzt# letzter#|erst# erster#|zweit#|dritt#|viert#|funft#|sechst#|siebt#|acht#",
    "it": "ultim#|prim#|second#|terz#|quart#|quint#|sest#|settim#|ottav#",
}
"""How things are numbered: the last, the first, the second and so on; "#" is any of the endings."""
_ENDINGS = {"pt": "oa", "es": "oa", "it": "oa", "de": ("e", "er", "es", "en", "em")}
_ARTICLES = {
    "en": "the",
    "pt": "o|a|ao|do|da|no|na|pelo|pela",
    "es": "el|la|al|del",
    "fr": "le|la|au|du",
    "de": "der|die|das|den|dem|zum|zur|im|beim|vom",
    "it": "il|lo|la|al|alla|del|della|nel|nella|dal|dalla",
}
_ORDINALS = {
    language: {
        name.replace("#", ending): place
        for place, several in enumerate(names.split("|"), start=-1)
        for name in several.split()
        for ending in _ENDINGS.get(language, ("",))
    }
    for language, names in _NAMES.items()
}
_POINTERS = {
    language: re.compile(
        rf"\b(?P<article>{articles})\s+(?P<ordinal>{'|'.join(_ORDINALS[language])})\b(?!-\w)"
    )
    for language, articles in _ARTICLES.items()
}
_LINKS: Mapping[str, Mapping[str, str]] = {
    "en": {},
    "pt": {
        "ao": "a ",
        "\u00e0": "a ",
        "do": "de ",
        "da": "de ",
        "no": "em ",
        "na": "em ",
        "pelo": "por ",
        "pela": "por ",
    },
    "es": {"al": "a ", "del": "de "},
    "fr": {"au": "\u00e0 ", "du": "de "},
    "de": {"zum": "zu ", "zur": "zu ", "im": "in ", "beim": "bei ", "vom": "von "},
    "it": {
        **dict.fromkeys(("al", "alla"), "a "),
        **dict.fromkeys(("del", "della"), "di "),
        **dict.fromkeys(("nel", "nella"), "in "),
        **dict.fromkeys(("dal", "dalla"), "da "),
    },
}
_ANY = re.compile(
    r"\s+(?:ones?|things?|items?|options?|um|uma|uno|una|itens|coisa|opcao|opcion|cosa|opzione|chose"
    r"|option|moglichkeit"
    r"|of\s+(?:them|these|those|the\s+(?:two|three|four)|\d)|delas|deles|d[ao]s\s+(?:dois|duas|tres)"
    r"|de\s+l[ao]s\s+(?:dos|tres)|de\s+ell[ao]s|des\s+(?:deux|trois)|von\s+(?:beiden|ihnen)"
    r"|d(?:ei|elle)\s+(?:due|tre)|di\s+loro)\b(?!-\w)"
)
"""Words for a thing of any kind, and for all of them."""
_AND_ANOTHER = re.compile(
    r"\s+(?:and|or|e|ou|y|o|et|und|oder)\s+(?:(?:the|[oae]l?|l[aeo]|il|d(?:er|ie|as|en|em))\s+)?"
    rf"(?:{'|'.join({name: 0 for names in _ORDINALS.values() for name in names})}"
    r"|only|foremost|unic[oa]|seule?|unique|einzigen?)\b"
)
_NEXT = re.compile(r"\s*(?P<word>\w+)")
_ITS_OWN = {
    "en": words("to who whom whose that which of most own other same few"),
    "pt": words("a as o os ao \u00e0 que quem de d da do das dos outro outra"),
    "es": words("a al que quien en de del otro otra"),
    "fr": words("\u00e0 a qui que dont de d du des autre"),
    "de": words("der die das den dem des von vom zu andere anderen mal"),
    "it": words("a ad che di d del della dei delle altro altra"),
}
"""What says more of which one is meant: "the first who came", "the second of May"."""
_COMPARING = words("mais m\u00e1s plus pi\u00f9")
"""And what does before another word: the second dearest is "o segundo mais caro"."""
_VERBS = {
    "en": words(
        "costs means lasts takes opens closes includes says needs works comes goes begins starts ends",
        "holds belongs stands lies sails runs leaves arrives stays allows offers carries weighs measures",
        "contains cost mean last take open close include say need work come go begin start end hold",
        "belong stand lie sail leave arrive stay allow offer carry weigh contain happen",
    ),
    "pt": words(
        "custa custam custou custava abre abrem fecha fecham fica dura duram funciona inclui começa",
        "termina chega sai vale existe permite oferece significa precisa aconteceu acontece",
    ),
    "es": words(
        "cuesta cuestan costó abre abren cierra cierran queda dura funciona incluye empieza termina llega",
        "sale vale permite ofrece significa necesita sucede pasó",
    ),
    "fr": words(
        "coûte coûtent ouvre ferme dure fonctionne comprend inclut commence finit vaut reste permet offre",
        "signifie contient arrive",
    ),
    "de": words(
        "kostet kosten liegt steht heißt macht kommt geht fährt öffnet schließt dauert enthält braucht",
        "läuft beginnt endet bedeutet funktioniert gehört",
    ),
    "it": words(
        "costa costano apre chiude dura funziona include comprende inizia comincia finisce vale permette",
        "offre significa serve",
    ),
}
_ADJECTIVES = {
    "en": words(
        "cheap cheaper dear dearer expensive open closed free available better worse good bad big bigger",
        "small smaller large larger long longer short shorter old older new newer young younger high",
        "higher tall taller fast faster slow slower strong stronger built sold made found lost bought",
        "sunk broken given written shut held kept left lent paid won begun known seen told stolen burnt",
        "now today still already instead ever please exactly again per without within versus",
    ),
    "pt": words(
        "caro barato aberto aberta fechado fechada maior menor melhor pior agora hoje ainda",
    ),
    "es": words(
        "caro barato abierto abierta cerrado cerrada mayor menor mejor peor ahora hoy todavía",
    ),
    "fr": words(
        "cher chère ouvert ouverte fermé fermée maintenant encore",
    ),
    "de": words(
        "teuer teurer billig billiger offen geschlossen frei kostenlos groß größer klein kleiner alt",
        "älter neu neuer besser schlechter schneller länger kürzer höher jetzt heute pro denn genau bitte",
    ),
    "it": words(
        "caro cara aperto aperta maggiore minore migliore peggiore adesso ora ancora",
    ),
}
_PARTICIPLES = {
    "en": re.compile(r"(?!hundred|kindred)\w{2,}(?<!e)(?<!\bb)(?<!sh)(?<!sl)ed"),
    "de": re.compile(r"\w{0,4}ge\w{2,}(?:t|en)|(?:be|er|ent|ver|zer)\w{2,}(?:t|en)"),
}
_LINKING = words("per without within versus sem sin sans pro senza")
_HELPING = re.compile(r"\b(?:do|does|did|will|can|could|would|should|may|might|must)\s+$")
_OF_WHOLE = words("is are was were be has have had can could will would do does did may might must should")
_BEFORE_NAMED = re.compile(r"\w\W.*\b(?P<name>[^\W\d_a-z\u00df-\u00ff][\w'\u2019-]*)\s+$", re.DOTALL)


def _is_of_a_name(question: str, match: re.Match[str]) -> bool:
    """Whether an ordinal is a part of a name: "Charles the Second"."""
    ordinal = question[match.start("ordinal") : match.end("ordinal")]
    is_capital = ordinal[0].isupper() and not ordinal.isupper()
    return is_capital and _BEFORE_NAMED.search(question[: match.start()]) is not None


def _pointer(question: str, found: re.Match[str], language: str) -> Pointer | None:
    """An ordinal as what stands for a thing; None where a noun is behind it."""
    end = _end(question, found, language)
    article = question[slice(*found.span("article"))].lower()
    link = _LINKS[language].get(article, "")
    return None if end is None else Pointer(found.start(), end, _ORDINALS[language][found["ordinal"]], link)


def _end(question: str, found: re.Match[str], language: str) -> int | None:
    """Where the words end that stand for a thing; None where a noun is behind the ordinal."""
    plain, after = found.string, found.end()
    kind = _ANY.match(plain, after)
    if kind is not None:
        return kind.end()
    while (another := _AND_ANOTHER.match(plain, after)) is not None:
        after = another.end()
    following = _NEXT.match(question, after)
    if following is None:
        return found.end()
    is_helped = language == "en" and _HELPING.search(plain[: found.start()]) is not None
    rest = question[following.end() :]
    is_alone = _goes_on_without_a_noun(following["word"], rest, language, is_helped=is_helped)
    return found.end() if is_alone else None


def _goes_on_without_a_noun(word: str, rest: str, language: str, *, is_helped: bool) -> bool:
    """Whether the word behind an ordinal is none that it belongs to; the rest is what follows the word."""
    low = word.lower()
    if low in _ITS_OWN[language]:
        return False
    if language == "de" and word[0].isupper():
        return False
    following = _NEXT.match(rest)
    then = "" if following is None else following["word"].lower()
    is_last = then in small_words(language) | _ADJECTIVES[language] | {""}
    if low in _COMPARING:
        return then in small_words(language) | {""}
    if low in small_words(language) | asking_words(language) | _LINKING:
        return True
    if low in _VERBS[language] and (is_helped or low.endswith("s") or language != "en" or is_last):
        return True
    return is_last and (is_said_of_a_thing(low, language) or (is_helped and then not in _OF_WHOLE))
