"""Open questions: those that ask what is said of a subject, by whom, or search for it by words alone."""

from __future__ import annotations

import re

from vivavoce.domain.language.languages import language_of
from vivavoce.domain.language.vocabulary import words
from vivavoce.domain.language.words import folded

from .subjects import telling_words


def subject_of(question: str) -> str | None:
    """What an open question is about; None for a question that asks for one thing."""
    asked = question[:_LONGEST].strip(_AROUND)
    found = next((match for pattern in _OPEN if (match := pattern.match(asked)) is not None), None)
    if found is None:
        return None
    subject = asked[found.end() :].strip(_AROUND)
    is_named = bool(telling_words(subject, language_of(asked)))  # "about them" names nothing
    return subject if is_named and _CLAUSE.match(subject) is None else None


def keywords_of(question: str) -> str | None:
    """The subject of a search by words alone, such as "ferry fares in winter"; None for a sentence."""
    asked = question[:_LONGEST].strip(_AROUND)
    plain = frozenset(_PLAIN.findall(folded(asked)))
    telling = telling_words(asked, language_of(asked))
    is_search = "?" not in question and 0 < len(telling) <= _MOST_KEYWORDS and plain - _LINKING == telling
    return asked if is_search else None


def teller_of(question: str) -> str:
    """The name of the one whose words an open question asks for; empty where it names nobody.

    A text is nobody, unless it is said whose it is. Where all is in capitals they name nobody either.
    """
    asked = question[:_LONGEST].strip(_AROUND)
    found = next((match for pattern in _TELLERS if (match := pattern.match(asked)) is not None), None)
    if found is None or asked.isupper():
        return ""
    named = [word for word in found["who"].split() if word[0].isupper()]
    if _TEXT.search(found["who"]) is not None:
        named = [word for word in named if _OWNING.search(word) is not None]
    return _OWNING.sub("", named[-1]) if named else ""


def thing_in(question: str) -> str | None:
    """The thing that a question goes on to and asks nothing else of: "and thyme?", "what about thyme?"."""
    asked = question[:_LONGEST].strip(_AROUND)
    thing = _GOES_ON.sub("", asked, count=1).strip(_AROUND)
    plain = frozenset(_PLAIN.findall(folded(thing)))
    return thing if plain and plain - _JOINING == telling_words(thing, language_of(asked)) else None


_LONGEST = 2_000
_AROUND = " \t\n?!.,;:\"'\u00bf\u00a1\u201c\u201d"
_SAYS = (
    r"(?:say|says|said|think|thinks|thought|write|writes|wrote|written|teach|teaches|taught|tell|tells|told|know"
    r"|knows|known|believe|believes)"
)
_ABOUT = r"(?:about|of|regarding|concerning)"
_VIEWS = r"(?:views?|opinions?|thoughts?|ideas?|teachings?|attitude)"
_DIZ = (
    r"(?:diz|dizem|disse|dizia|fala|falam|falou|sabe|escreve|escreveu|pensa|pensava|acha|ensina|afirma|conta|contam"
    r"|dice|dicen|dijo|sabe|escribe|piensa|ense\u00f1a)"
)
_SOBRE = r"(?:sobre|a\s+respeito\s+d[eoa]s?|acerca\s+d(?:[eoa]s?|el))"
_DIT = r"(?:dit|disent|sait|savent|pense|\u00e9crit|enseigne|raconte)"
_SUR = r"(?:sur|des?|du|d['\u2019]|\u00e0\s+propos\s+d(?:es?|u|['\u2019]))"
_SAGT = r"(?:sagt|sagen|sagte|schreibt|denkt|meint|lehrt|wei\u00df|wissen|erf\u00e4hrt|steht|wird\s+gesagt)"
_UEBER = r"(?:\u00fcber|zu|zum|zur)"
_DICE = r"(?:dice|dicono|diceva|scrive|pensa|pensava|insegna|sa|racconta)"
_SU = r"(?:riguardo\s+a|di|su|(?:de|su)(?:l|llo|lla|i|gli|lle|ll['\u2019]))"
_ELSE = r"(?:cost|take|happen|when|if|who|need|quando|quem|cust\w+|acontec\w+|houve|cuando|cuesta)"
_BETWEEN = rf"(?:(?!{_ELSE}\b)\S+\s+)"
"""A word before the verb, that asks for nothing else."""
_OPEN = tuple(
    re.compile(
        rf"(?:(?:please|and|por\s+favor|e|y|et|und),?\s+)?(?:{each})(?:\s+|(?<=['\u2019]))", re.IGNORECASE
    )
    for each in (
        rf"(?:(?:can|could)\s+you\s+)?(?:tell|teach)\s+(?:me|us)\s+(?:more\s+|something\s+|a\s+bit\s+|all\s+)?{_ABOUT}",
        rf"(?:talk|speak|write)\s+(?:(?:to|with)\s+(?:me|us)\s+)?{_ABOUT}",
        rf"what\s+(?:is|was|are|were|has\s+been)\s+{_SAYS}\s+(?:here\s+|there\s+)?{_ABOUT}",
        rf"what\s+(?:does|did|do|can|could|would|has|have)\s+{_BETWEEN}{{1,6}}?{_SAYS}\s+(?:(?:me|us)\s+)?{_ABOUT}",
        rf"what\s+(?:is|was|are|were)\s+(?:\S+\s+){{1,4}}?{_VIEWS}\s+(?:on|towards?|{_ABOUT})",
        r"(?:what|how)\s+about|describe|discuss|summari[sz]e|descreva|describa",
        rf"(?:me\s+)?(?:fale|falem|conte|diga|discorra|h[a\u00e1]bla|cu[e\u00e9]nta|di)(?:-?(?:me|nos))?"
        rf"(?:\s+(?:mais|m[a\u00e1]s|algo|um\s+pouco|un\s+poco))?\s+(?:{_SOBRE}|d[eoa]s?|del)",
        rf"(?:(?:o\s+que|qu\u00e9|que\s+\u00e9\s+que)\s+{_BETWEEN}{{0,4}}?|que\s+){_DIZ}"
        rf"(?:(?:\s+\S+){{0,3}}?\s+{_SOBRE}|\s+(?:d[eoa]s?|del))",
        rf"qual\s+(?:\u00e9|era|foi)\s+a\s+(?:opini\u00e3o|vis\u00e3o|posi\u00e7\u00e3o|ideia)\s+(?:\S+\s+){{0,3}}?{_SOBRE}",
        rf"(?:parle|raconte|dis)[sz]?(?:-(?:moi|nous))?(?:\s+(?:plus|davantage|un\s+peu|quelque\s+chose))?\s+{_SUR}",
        rf"(?:dites|d[\u00e9e]cri(?:s|vez)|r[\u00e9e]sume[sz]?)(?:-(?:moi|nous))?(?:\s+{_SUR})?",
        rf"(?:que|qu['\u2019]est-ce\s+que?)\s+(?:\S+\s+){{0,3}}?{_DIT}(?:-\S+)?(?:\s+\S+){{0,3}}?\s+{_SUR}",
        rf"(?:erz[\u00e4a]hle?|sage?|sprich|berichte)(?:n\s+sie)?(?:\s+(?:mir|uns))?(?:\s+(?:etwas|mehr|alles))?\s+{_UEBER}",
        rf"was\s+{_SAGT}(?:\s+\S+){{0,4}}?\s+{_UEBER}|beschreiben?(?:\s+sie)?",
        rf"(?:parla|racconta|di|dim|spiega)(?:mi|ci|te|temi)?(?:\s+(?:qualcosa|di\s+pi[\u00f9u]))?\s+{_SU}|descrivi",
        rf"(?:(?:che\s+)?cosa|che)\s+(?:si\s+)?{_DICE}(?:\s+\S+){{0,3}}?\s+{_SU}",
    )
)
_TELLERS = tuple(
    re.compile(rf"(?:(?:please|and),?\s+)?{each}", re.IGNORECASE)
    for each in (
        rf"what\s+(?:does|did|do|would|has|have|had)\s+(?P<who>(?:\S+\s+){{1,4}}?){_SAYS}\s+(?:(?:me|us)\s+)?{_ABOUT}\b",
        rf"what\s+(?:is|was|are|were)\s+(?P<who>(?:\S+\s+){{0,3}}?\S+['\u2019]s?)\s+(?:\w+\s+)?{_VIEWS}\s+"
        rf"(?:on|towards?|{_ABOUT})\b",
    )
)
_OWNING = re.compile(r"['\u2019]s?$")
_TEXT = re.compile(
    r"\b(?:texts?|books?|work|chapters?|parts?|sections?|articles?|clauses?|paragraphs?|appendix|annex|pages?|notes?"
    r"|preface|introduction|contract|agreement|terms|treaty|report|paper|essay|letters?|speech|documents?|files?"
    r"|documentation|docs|manual|handbook|guide(?:lines?)?|readme|faqs?|polic(?:y|ies)|rules?|menu|website|site"
    r"|catalogu?e|brochure|author|corpus)\b",
    re.IGNORECASE,
)
"""What says something without being anybody: "Chapter 3", "your FAQ"."""
_MOST_KEYWORDS = 5
_GOES_ON = re.compile(
    r"(?:(?:and|but|so|e|mas|y|pero|et|mais|und|aber|ma)\b,?\s*)?"
    r"(?:(?:what|how)\s+(?:about|of)\b|what\s+(?:happened|happens)\s+(?:to|with)\b|about\b"
    r"|quanto\s+(?:aos?|\u00e0s?|a)\b|sobre\b|(?:o\s+)?qu[e\u00e9]\s+(?:tal\b|hay\s+del?\b|(?:aconteceu|houve|passou"
    r"|pas\u00f3|ocurri\u00f3|sucedi\u00f3)\s+co[mn]\b))?",
    re.IGNORECASE,
)
"""How somebody goes on to another thing."""
_JOINING = words(
    "the a an of o os as de do da dos das el la los las del le les du des der die das il lo gli di"
)
_LINKING = _JOINING | words("and or in on at for to by with from e ou em no na com para por y en con")
_PLAIN = re.compile(r"[^\W_]+")
_CLAUSE = re.compile(
    r"(?:how|why|when|where|who|whom|whose|which|what|whether|if|quando|quem|como|por\s?que|porque|quant[oa]s?|onde|qual"
    r"|quais|se|que|o\s+que|combien|pourquoi|quand|qui|comment|wie|warum|wann|wer|was|ob|wo|quant[eio]|perch\u00e9|chi"
    r"|dove|che)\b",
    re.IGNORECASE,
)
"""What asks for one thing after all: "tell me about how many"."""
