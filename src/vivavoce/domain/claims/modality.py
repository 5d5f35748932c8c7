"""Modality: whether words assert, deny, allow, advise or demand; of all or of some; surely or perhaps."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from vivavoce.domain.language.words import folded

from .opposites import opposites_in

_KEPT = 256


class Marks(NamedTuple):
    """What small words do to a statement."""

    denies: bool
    nearly_denies: bool
    """Whether a word such as "fail" or "impossible" denies without saying no."""
    force: str
    """may, should, must, will, or empty where something is simply said to be so."""
    is_universal: bool
    is_partial: bool
    is_proved: bool
    is_hinted: bool
    sides: frozenset[tuple[int, bool]]
    """Of each pair of opposites that it has a side of, which one."""

    @property
    def opposites(self) -> frozenset[int]:
        """The pairs of which it has one side and not the other."""
        return frozenset(number for number, _ in self.sides if self.side(number) is not None)

    def side(self, number: int) -> bool | None:
        """Which side of a pair it has; None where it has neither or both."""
        has = [(number, is_second) in self.sides for is_second in (False, True)]
        return has[1] if has[0] != has[1] else None


def knows(language: str) -> bool:
    """Whether it is known what small words do in a language."""
    return language in _LEXICON


@lru_cache(maxsize=_KEPT)
def marks_of(text: str, language: str) -> Marks:
    """The marks of a clause or a sentence; kept, as every sentence of a claim is held against the same."""
    known, plain = _plain(text, language)

    def has(kind: str) -> bool:
        return _pattern(known, kind).search(plain) is not None

    force = next((each for each in ("must", "should", "may", "will") if has(each)), "")
    return Marks(
        denies=has("not"),
        nearly_denies=has("fails"),
        force=force,
        is_universal=has("all"),
        is_partial=has("some"),
        is_proved=has("proves"),
        is_hinted=has("hints"),
        sides=frozenset(
            (number, bool(is_second))
            for number, pair in enumerate(opposites_in(known))
            for is_second, side in enumerate(pair)
            if side.search(plain) is not None
        ),
    )


def frames_of(text: str, language: str) -> frozenset[str]:
    """What a sentence does instead of saying that something is so.

    It is untrue (a myth), only so if something else is, only said to be so, so once, or asked.
    """
    known, plain = _plain(text, language)
    found = {kind for kind in _FRAMES if _pattern(known, kind).search(plain) is not None}
    return frozenset(found | {"asks"} if plain.rstrip(_CLOSERS).endswith("?") else found)


def opens_with_condition(text: str, language: str) -> bool:
    """Whether it begins with "if" or the like."""
    known, plain = _plain(text, language)
    return _pattern(known, "if").match(_JOINER.sub("", plain, count=1).lstrip(_CLOSERS)) is not None


def words_after(text: str, language: str, kind: str) -> list[str]:
    """What follows each word of a kind, such as "some" or "used to", up to three words of it."""
    known, plain = _plain(text, language)
    return [
        " ".join(plain[found.end() :].split(maxsplit=3)[:3])
        for found in _pattern(known, kind).finditer(plain)
    ]


def compares(text: str, language: str) -> bool:
    """Whether one thing is measured against another."""
    known = language if language in _LEXICON else "en"
    return _pattern(known, "than").search(folded(text)) is not None


def compared(text: str, language: str) -> tuple[str, str] | None:
    """What stands before and after the word that compares; None where none does."""
    known = language if language in _LEXICON else "en"
    plain = folded(text)
    found = _pattern(known, "than").search(plain)
    return None if found is None else (plain[: found.start()], plain[found.end() :])


_MONTH = re.compile(r"(?<=[\w,] )May(?= \d|,)|(?<=\d )May\b|(?<=\b[Ii]n )May\b|(?<=\b[Oo]f )May\b")
_FRAMES = ("untrue", "if", "said", "once", "like", "meant")
_JOINER = re.compile(r"^[\s,;:]*(?:(?:and|but|mas|e|pero|y)\s)?")
_CLOSERS = " \n\"'\u201c\u201d\u2019\u00bb\u00bf)]"
_LEXICON: dict[str, dict[str, str]] = {
    "en": {
        "neutral": "not only|not just|not merely|not least|no doubt|nothing but|nothing less than"
        "|no less than|above all|after all|all in all|at all|all the same|first of all|for all that"
        "|all over|no matter|even if|if any|if not|if only|let alone|of all possible"
        "|(?:no|not) (?:more|less|fewer|later|earlier) than",
        "not": r"not|\w+n't|no|never|none|nobody|nothing|nowhere|cannot|neither|nor|without|hardly"
        r"|scarcely|rarely|seldom|barely|(?<!a )(?<!quite a )few|by no means",
        "fails": r"fail\w*|lack\w*|impossible|unable|unlikely|reject\w*|refus\w*|den(?:y|ies|ied|ying)"
        r"|avoid\w*|prevent\w*|absen(?:t|ce)|instead of|rather than|contrary|oppos\w+|exclud\w*|forbid\w*"
        r"|forbade|prohibit\w*|ceas\w*|false\w*|wrong\w*|mistak\w*|myth\w*|doubt\w*|disagree\w*|ignor\w*"
        r"|neglect\w*|un(?:able|willing)\w*|dismiss\w*|against|little|overlook\w*|refut\w*|lost|los(?:es?|ing)"
        r"|rare|except|barred|disqualif\w*|useless|needless|spar(?:es?|ed|ing)|escap\w*",
        "may": r"may|might|could|can|perhaps|possibly|probably|likely|maybe|seem\w*|appear(?:s|ed)? to"
        r"|apparently|potentially|presumably|possible|tend(?:s|ed)? to",
        "should": r"should|ought|recommend\w*|advis(?:es?|ed|able)|had better|^let|(?<=[,;:] )let",
        "must": r"must|shall|ha(?:s|ve|d) to|needs? to|needed to|require[ds]?|necessar(?:y|ily)"
        r"|necessitat\w*|obliged|obligatory|mandatory|inevitabl[ey]|compulsory",
        "all": r"all|every|everyone|everybody|everything|everywhere|always|never|none|no one|nobody|each"
        r"|entirely|only|solely|exclusively|completely|totally|invariably|universally|without exception"
        r"|in any case|ever|alone|merely",
        "some": r"some|sometimes|many|(?<!the )most|mostly|(?<!the )several|often|usually|frequently"
        r"|generally|partly|partially|occasionally|certain|few|majority|minority|typically|in part|almost"
        r"|nearly|half",
        "proves": r"prov(?:e|es|ed|en|ing)|proofs?|demonstrat\w*|confirm\w*|guarantee\w*|certainly"
        r"|undoubtedly|definitely|conclusive\w*|undeniabl\w*|ensures?|ensured|beyond doubt|irrefutabl\w*"
        r"|settled",
        "hints": r"suggest\w*|hint\w*|impl(?:y|ies|ied)|indicat\w*|hypothe\w*|speculat\w*|guess\w*"
        r"|assum\w*|believ\w*",
        "will": "will|going to|won't",
        "than": r"(?<!rather )(?<!other )(?<!no more )(?<!no less )(?<!no fewer )(?<!little more )"
        r"than(?! \d)"
        r"|compared (?:to|with)",
        "untrue": r"myths?|mistake(?:n|nly)?|false(?:ly|hood)?|untrue|not true|wrong(?:ly)?|erroneous(?:ly)?"
        r"|misconceptions?|fallac(?:y|ies)|supposed(?:ly)?|so-called|incorrect(?:ly)?|illusions?|nonsense",
        "if": r"if|unless|until|till|provid(?:ed|ing) that|(?<=, )provided|(?:as|so) long as"
        r"|on (?:the )?condition|in case|whether|assuming|only (?:when|where)|except (?:when|if|where)"
        r"|were it not|but for|would(?! not)|except for|failing (?:this|that)"
        r"|in the absence of",
        "except": "except|unless|apart from|save for",
        "beside": r"(?<=, )(?:and |but )?not|not(?= [^,;:.]{1,60} but )",
        "like": r"as (?:if|though)",
        "instead": "instead of|rather than|far from|anything but",
        "meant": r"offer(?:s|ed)? to|promis(?:es?|ed)|intend(?:s|ed)?|plan(?:s|ned)? to|hop(?:es?|ed) to"
        r"|wish(?:es|ed)? to|want(?:s|ed)? to|tr(?:y|ies|ied) to|attempt(?:s|ed)? to|propos(?:es?|ed)",
        "said": r"(?:is|are|was|were|be|been|being) (?:\w+ )?(?:said|claimed|alleged|believed|thought|assumed"
        r"|presumed|reported|rumou?red|supposed|considered|deemed|affirmed|asserted|objected|suspected"
        r"|reckoned)(?: to| that)?|(?:suspect|expect)(?:s|ed)?|(?:suppos|imagin|fanc)(?:es?|ed|ies|ied)"
        r"|boast(?:s|ed)?|pretend(?:s|ed)?"
        r"|(?:said|claimed|alleged|believed|thought|assumed|presumed|reported|rumou?red) to (?:be|have)"
        r"|allegedly|reportedly|purported(?:ly)?|supposedly",
        "once": r"(?<!is )(?<!are )(?<!was )(?<!were )(?<!be )(?<!been )(?<!being )(?<!ly )used to|formerly",
    },
    "pt": {
        "neutral": "nao so|nao apenas|nao somente|sem duvida|nada mais que|nada menos que|acima de tudo"
        "|sobretudo|ao todo|todavia|so que|para sempre"
        "|nao (?:superior|inferior) a|nao (?:mais|menos) (?:de|que|do que)",
        "not": r"nao|nunca|jamais|nem|sem|nenhum|nenhuma|ninguem|nada|tampouco|raramente|poucos|poucas"
        r"|dificilmente",
        "fails": r"fracass\w*|falh\w*|falt(?:a|am|ou|ar)\b|impossive\w*|incapa\w*|improvave\w*|rejeit\w*"
        r"|recus\w*|neg(?:a|am|ou|aram|ar|ava)|evit\w*|imped\w*|proib\w*|em vez de|fals\w*|errad\w*|contra"
        r"|ignor\w*|ausencia|perd(?:e|em|eu|eram|ia)|deix(?:a|am|ou|aram) de|vedad[oa]s?"
        r"|rar[oa]s?|exceto|salvo",
        "may": r"pode|podem|poderia\w*|podera|poderao|possa|possam|podiam?|talvez|possivelmente|provavelmente"
        r"|parece\w*|possive(?:l|is)|aparentemente|costumam?|quica",
        "should": r"deveria\w*|convem|recomend\w*|aconselh\w*",
        "must": r"deve|devem|devera|deverao|te[mr]? que|tinham? que|tem de|precisa\w*|necessari\w*"
        r"|obrigatori\w*|obrigad\w*|exig\w*|inevitave\w*|ha de",
        "all": r"tod[oa]s?|sempre|nunca|jamais|nenhum|nenhuma|ninguem|cada|apenas|somente|so|unicamente"
        r"|completamente|totalmente|inteiramente|tudo|exclusivamente",
        "some": r"alguns|algumas|algum|alguma|muit[oa]s|maioria|vari[oa]s|frequentemente|geralmente"
        r"|as vezes|por vezes|em parte|quase|cert[oa]s|poucos|poucas|metade|normalmente|minoria",
        "proves": r"prov(?:a|am|ou|aram|ado|ada|ar)|comprov\w*|demonstr\w*|confirm\w*|garant\w*|certamente"
        r"|indubitave\w*|sem sombra de duvida",
        "hints": r"suger\w*|indic(?:a|am|ou|aram)|acredit\w*|sup(?:oe|oem|unha|unham)|insinu\w*",
        "will": "vai|vao|ira|irao",
        "than": r"(?:mais|menos|maior|maiores|menor|menores|melhor|melhores|pior|piores)\b[^.,;:]{0,40}?"
        r"(?<!\be )\bque",
        "untrue": r"mitos?|um (?:erro|engano|equivoco)|equivocad\w*|enganos[oa]s?|errad[oa]s?|fals[oa]s?"
        r"|falsamente|nao e verdade|erronea(?:mente|s)?|erroneos?|supost[oa]s?|supostamente|ilus(?:ao|oes)",
        "if": r"^se|(?<=[,;:] )se|(?<=\bso )se|(?<=apenas )se|(?<=somente )se"
        r"|se (?=(?:[oa]s?|nao|houver|for|forem)\b)|a menos que|a nao ser que|salvo se|exceto se"
        r"|^caso|(?<=[,;:] )caso|desde que"
        r"|contanto que|ate que|ate(?= \d)|enquanto nao|so quando|exceto|salvo|na falta d\w+"
        r"|na ausencia de|(?:em|no) caso de",
        "except": "exceto|salvo|a menos que|a nao ser",
        "beside": r"(?<=, )(?:e |mas )?nao|nao(?= [^,;:.]{1,60} mas )",
        "like": "como se",
        "instead": "em vez de|em lugar de|longe de",
        "meant": r"oferec\w*-se|promet\w*|pretend\w*|quer(?:em|ia|iam)?|tent(?:a|am|ou|aram)(?= \w+r\b)"
        r"|propoe|propos|propunha|espera(?:va)?m?(?= \w+r\b)",
        "said": r"(?:e|sao|foi|foram|era|eram) (?:dit[oa]s?|tid[oa]s?|considerad[oa]s?)|diz-se|dizia-se"
        r"|dizem(?: [ao]s(?: \w+){1,2})? que|ha quem diga|houve quem (?:me )?dissesse"
        r"|alegadamente|supostamente|alegad[oa]s?|suspeit(?:a|am|ava|avam|ou|aram)",
        "once": r"costumavam?|antigamente|outrora",
    },
    "es": {
        "neutral": "no solo|no solamente|no unicamente|sin duda|nada menos que|ante todo|sobre todo"
        "|del todo|con todo|solo que",
        "not": r"no|nunca|jamas|ni|sin|ningun|ninguna|ninguno|nadie|nada|tampoco|raramente|pocos|pocas",
        "fails": r"fracas\w*|fall(?:a|an|o|aron|ar)|falt(?:a|an|o|ar)\b|imposible\w*|incapa\w*"
        r"|improbable\w*|rechaz\w*|neg(?:o|aron|ar|aba)|nieg\w*|evit\w*|impid\w*|imped\w*|prohib\w*"
        r"|en vez de|en lugar de|fals\w*|errone\w*|contra|ignor\w*|ausencia",
        "may": r"pueden?|podria\w*|podran?|puedan?|podian?|quizas?|tal vez|posiblemente|probablemente"
        r"|parece\w*|posibles?|suelen?|acaso|aparentemente",
        "should": r"deberian?|conviene|recomi?end\w*|aconsej\w*",
        "must": r"deben?|deberan?|tienen? que|tenian? que|hay que|necesit\w*|necesari\w*|obligatori\w*"
        r"|obligad\w*|exig\w*|inevitabl\w*|ha de",
        "all": r"tod[oa]s?|siempre|nunca|jamas|ningun|ninguna|ninguno|nadie|cada|solo|solamente|unicamente"
        r"|completamente|totalmente|enteramente|exclusivamente",
        "some": r"algun[oa]?s?|much[oa]s|mayoria|vari[oa]s|frecuentemente|a menudo|generalmente|a veces"
        r"|en parte|casi|ciert[oa]s|poc[oa]s|mitad|normalmente|minoria",
        "proves": r"prueban?|prob(?:o|aron|ado|ada)|comprueb\w*|comprob\w*|demuestr\w*|demostr\w*|confirm\w*"
        r"|garantiz\w*|ciertamente|indudabl\w*",
        "hints": r"sugier\w*|suger\w*|indic(?:a|an|o|aron)|cre(?:e|en|ia|ian|yo)|supon\w*|insinu\w*",
        "will": "va a|van a|sera|seran",
        "than": r"(?:mas|menos|mayor|mayores|menor|menores|mejor|mejores|peor|peores)\b[^.,;:]{0,40}?"
        r"(?<!\bes )\bque",
        "untrue": r"mitos?|un (?:error|engano)|equivocad\w*|enganos[oa]s?|fals[oa]s?|falsamente"
        r"|no es (?:cierto|verdad)|erronea(?:mente|s)?|erroneos?|supuest[oa]s?|supuestamente|ilusion(?:es)?",
        "if": r"(?<!entre )(?<!por )(?<!de )(?<!en )(?<!a )si(?! mism)|a menos que|a no ser que"
        r"|salvo (?:que|si)|excepto si|siempre que|con tal de que|hasta que|hasta(?= \d)|en caso de"
        r"|solo cuando|excepto|salvo|a falta de",
        "except": "excepto|salvo|a menos que|a no ser",
        "beside": r"(?<=, )(?:y |pero )?no|no(?= [^,;:.]{1,60} sino )",
        "like": "como si",
        "instead": "en vez de|en lugar de|lejos de",
        "meant": r"ofrec\w*|promet\w*|pretend\w*|quier\w*|queria\w*|intent\w*|propon\w*|propuso",
        "said": r"se (?:dice|decia|afirma|cree|creia) que|dicen(?: l[ao]s(?: \w+){1,2})? que"
        r"|presunt[oa]s?|presuntamente|supuestamente"
        r"|(?:es|son|fue|fueron|era|eran) (?:considerad[oa]s?|tenid[oa]s? por)",
        "once": r"solian?|antiguamente|antano",
    },
}


@lru_cache(maxsize=_KEPT)
def _plain(text: str, language: str) -> tuple[str, str]:
    """The language whose words are looked for, and the text without phrases that only look like them."""
    known = language if language in _LEXICON else "en"
    plain = folded(_MONTH.sub(" ", text) if known == "en" else text).replace("\u2019", "'")
    return known, _pattern(known, "neutral").sub(" ", plain)


@cache
def _pattern(language: str, kind: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'])(?:{_LEXICON[language][kind]})(?![\w'])")
