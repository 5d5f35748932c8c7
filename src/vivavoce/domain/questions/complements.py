"""Complements: how a thing is named of which the last question is asked now: "and for students?"."""

from __future__ import annotations

import re

from vivavoce.domain.language.vocabulary import words

_THING = r"\s+(?P<thing>[^\s?!.,;:][^?!.,;:]*?)\W*"
COMPLEMENTS = {
    "en": re.compile(
        r"\W*(?P<opening>(?:and|but|or)\b,?\s+)?"
        r"(?P<link>in|at|on|for|to|from|with|by|of|about|during|after|before|under|among|without|against|near|since"
        r"|until)" + _THING,
        re.IGNORECASE,
    ),
    "pt": re.compile(
        r"\W*(?P<opening>(?:e|mas|ou)\b,?\s+)?"
        r"(?P<link>depois\s+d[eoa]s?|antes\s+d[eoa]s?|em|n[oa]s?|num|numa|para|pr[ao]|d[eoa]s?|aos?|\u00e0s?|com|por|pel[oa]s?|sem|sob|sobre|durante|ap\u00f3s"
        r"|desde|at\u00e9|entre|contra)" + _THING,
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"\W*(?P<opening>(?:y|pero|o)\b,?\s+)?"
        r"(?P<link>en|para|del?|al?|con|por|sin|sobre|durante|desde|hasta|entre|contra)" + _THING,
        re.IGNORECASE,
    ),
    "fr": re.compile(
        r"\W*(?P<opening>(?:et|mais|ou)\b,?\s+)?"
        r"(?P<link>pour|avec|sans|dans|chez|\u00e0|aux?|en|de|du|des|apr\u00e8s|avant|pendant|depuis|sur|sous|par|entre"
        r"|contre)" + _THING,
        re.IGNORECASE,
    ),
    "de": re.compile(
        r"\W*(?P<opening>(?:und|aber|oder)\b,?\s+)?"
        r"(?P<link>f\u00fcr|mit|ohne|in|im|am|an|bei|beim|nach|vor|von|vom|zu|zum|zur|auf|aus|\u00fcber|unter|w\u00e4hrend"
        r"|seit|bis|ab|gegen|zwischen)" + _THING,
        re.IGNORECASE,
    ),
    "it": re.compile(
        r"\W*(?P<opening>(?:e|ma|o)\b,?\s+)?"
        r"(?P<link>prima\s+d(?:i|el|ella)|per|con|senza|in|a|di|da|su|(?:ne|a|de|da|su)(?:l|llo|lla|i|gli|lle)|dopo"
        r"|durante|fino\s+a|tra|fra|contro)" + _THING,
        re.IGNORECASE,
    ),
}
"""How a thing is named of which the last question is asked now: "and for students?"."""
UNTOLD = ("it",)
"""Languages that an "and" does not tell: "e a segunda?" is Portuguese."""
FAMILIES = tuple(
    re.compile(rf"\b(?:{links})\b", re.IGNORECASE)
    for links in (
        "in|em|n[oa]s?|num|numa|en|dans|im|ne(?:l|llo|lla|i|gli|lle)",
        "at",
        "on|am|an",
        "to|aos?|\u00e0s?|al|\u00e0|aux?",
        "from",
        "with|com|con|avec|mit",
        "by|por|pel[oa]s?|par",
        "of|d[eoa]s?|del|du|des|di|de(?:llo|lla|i|gli|lle)|von|vom",
        "about|sobre|\u00fcber|sur|su",
    )
)
"""Links of one kind: what stands behind one is asked about in the place of what stands behind the other.

"For" is not among them: what is paid for bread is paid for a child in another way.
"""
ARTICLES = words(
    "the a an o os as um uma el la los las un una this that each every",
    "le les une der die das den dem ein eine einen einem einer il lo gli i uno",
)
CONTRACTED = words(
    "no na nos nas do da dos das ao aos \u00e0 \u00e0s pelo pela pelos pelas num numa al del",
    "au aux du des im am beim vom zum zur",
)
"""Links that are one with an article."""
LINKS = words("and or e ou y of de do da dos das del et und oder du des di")
"""What may stand between the words that name a thing."""
