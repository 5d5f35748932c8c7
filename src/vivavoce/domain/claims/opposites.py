"""Opposites: words of which one side says the contrary of the other."""

from __future__ import annotations

import re
from functools import cache


@cache
def opposites_in(language: str) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """The pairs of a language, each side as what finds its words."""
    pairs = []
    for line in _OPPOSITES[language].splitlines():
        one, other = (side.strip() for side in line.split("="))
        pairs.append((_side(one), _side(other)))
    return tuple(pairs)


_OPPOSITES: dict[str, str] = {
    "en": r"""more|greater|larger|bigger = less|fewer|smaller
        higher|high|above = lower|low|below
        better|best = worse|worst
        stronger|strong|strengthen\w* = weaker|weak|weaken\w*
        faster|quick\w* = slower|slow\w*
        longer = shorter
        before|earlier|precede\w* = after|later|follow(?:s|ed)?
        increas\w*|rise[sn]?|rising|rose|gr[oe]w\w* = decreas\w*|declin\w*|fell|reduc\w*|shr[iau]nk\w*
        most = least
        success\w*|succeed\w* = fail\w*
        support\w*|favou?r\w* = oppos\w+|against
        allow\w*|permit\w* = forbid\w*|prohibit\w*|ban|bans|banned
        includ\w* = exclud\w*
        agree\w* = disagree\w*
        possible = impossible
        legal = illegal
        true|truth = false\w*
        rich\w* = poor\w*
        good = bad|evil
        easy|easier|easily = hard|harder|difficult\w*
        early = late
        cheap\w* = expensive|costly
        public\w* = privat\w*
        maximum = minimum
        begin\w*|beg[au]n|start\w* = end|ends|ended
        w[io]n|wins = los[et]|loses
        accept\w* = reject\w*
        gain\w* = loss\w*
        equal\w* = unequal\w*|inequal\w*
        formal = informal
        central\w* = decentral\w*""",
    "pt": r"""mais|maior|maiores = menos|menor|menores
        melhor|melhores = pior|piores
        acima = abaixo
        antes = depois|apos
        aument\w*|cresc\w* = diminu\w*|reduz\w*|reduc\w*|caiu|cai
        sucesso\w*|exito\w* = fracass\w*
        permit\w* = proib\w*
        inclu\w* = exclu\w*
        possive\w* = impossive\w*
        verdad\w* = fals\w*
        ric[oa]s? = pobre\w*
        bom|boa|bons|boas|bem = mau|ma|maus|mas|mal
        facil\w* = dific\w*
        public[oa]s? = privad[oa]s?
        alt[oa]s? = baix[oa]s?
        forte\w* = frac[oa]s?
        aceit\w* = rejeit\w*
        igua\w* = desigua\w*""",
    "es": r"""mas|mayor|mayores = menos|menor|menores
        mejor|mejores = peor|peores
        encima = debajo
        antes = despues|tras
        aument\w*|crec\w* = dismin\w*|reduc\w*|redujo
        exito\w* = fracas\w*
        permit\w* = prohib\w*
        inclu\w* = exclu\w*
        posible\w* = imposible\w*
        verdad\w* = fals\w*
        ric[oa]s? = pobre\w*
        buen[oa]?s?|bien = mal[oa]?s?|mal
        facil\w* = dific\w*
        public[oa]s? = privad[oa]s?
        alt[oa]s? = baj[oa]s?
        fuerte\w* = debil\w*
        acept\w* = rechaz\w*
        igual\w* = desigual\w*""",
}


def _side(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b")
