"""Asked kinds: how questions ask for a price, a date or a reason, and how a sentence gives one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from .vocabulary import words


class AskedKind(NamedTuple):
    """A kind of thing that questions ask for; all is matched against folded text."""

    asked: re.Pattern[str]
    """How a question says that it wants this."""
    marks: re.Pattern[str] | None = None
    """What a sentence has that gives it."""
    units: frozenset[str] = frozenset()
    """Or what stands soon after a number in it."""


class AskedKinds(NamedTuple):
    """The kinds of one language."""

    counts: re.Pattern[str]
    """How a question says that something is counted, and what."""
    kinds: Mapping[str, AskedKind]


_MONEY = r"[$\u20ac\u00a3]|%"
_YEAR = r"\b1\d{3}\b|\b20\d\d\b"

_QUAL = r"\bqua(?:l|is) (?:(?:e|era|eram|foi|foram|sao|seria|sera) )?(?:[oa]s? )?"
_MEDIDA = (
    r"(?:extensao|altura|distancia|profundidade|largura|comprimento|diametro|tamanho|altitude|espessura)\b"
)
_TEMPO = words(
    "segundo segundos minuto minutos hora horas h dia dias noite noites semana semanas mes meses ano anos",
    "decada decadas seculo seculos bimestre bimestres trimestre trimestres semestre semestres vez vezes",
)
_PORTUGUESE = AskedKinds(
    re.compile(r"\bquant[oa]s (\w+)"),
    {
        "money": AskedKind(
            re.compile(
                r"\bprecos?\b|\bquanto (?:\w+ ){0,5}?(?:vale|sai|(?:cust|pag|cobr|ganh|gast|arrecad)\w+)\b|"
                + _QUAL
                + r"(?:custo|valor|salario|renda|multa|taxa|mensalidade|orcamento)\b"
            ),
            re.compile(
                _MONEY + r"|\b(?:reais|centavos|dolar(?:es)?|euros?|libras|contos|por cento|gratis|gratuit\w+"
                r"|isent\w+|sem custo|por nossa conta|nao (?:se )?pag\w+)\b"
            ),
        ),
        "duration": AskedKind(
            re.compile(
                r"\bquanto (?:tempo|dur\w+|demor\w+|leva|levou|em quanto)\b|\bcom que (?:idade|frequencia)\b"
                r"|\bem que prazo\b|" + _QUAL + r"(?:prazo|duracao|idade)\b"
            ),
            units=_TEMPO,
        ),
        "length": AskedKind(
            re.compile(_QUAL + _MEDIDA + r"|\ba que " + _MEDIDA + r"|\bquanto mede\b"),
            units=words(
                "quilometro quilometros metro metros km m cm centimetro centimetros milimetro milimetros mm",
                "legua leguas milha milhas pes hectare hectares alqueires palmos",
            ),
        ),
        "weight": AskedKind(
            re.compile(_QUAL + r"peso\b|\bquanto pesa\w*"),
            units=words(
                "quilo quilos quilogramas kg g grama gramas miligramas mg tonelada toneladas arroba arrobas"
            ),
        ),
        "temperature": AskedKind(
            re.compile(_QUAL + r"temperatura\b|\ba que temperatura\b"),
            re.compile(r"\bgraus?\b|[\u00b0\u00ba]\s?c\b"),
        ),
        "speed": AskedKind(
            re.compile(_QUAL + r"velocidade\b|\ba que velocidade\b"),
            re.compile(r"\b(?:quilometros|km|metros|m)(?:/h| por hora|/s| por segundo)"),
        ),
        "date": AskedKind(
            re.compile(
                r"^(?:desde |ate )?quando\b|^que (?:horas?|dias?|anos?)\b"
                r"|\b(?:em|de|ate|entre|a partir de) que (?:anos?|datas?|mes|meses|dias?|epoca|seculo|decada"
                r"|horas?|horario)\b|" + _QUAL + r"(?:data|ano|dia|horarios?)\b"
            ),
            re.compile(
                _YEAR
                + r"|\bseculo\b|\b(?:anos|dia) \d|\d\s?h\b|\b(?:janeiro|fevereiro|marco|abril|maio|junho"
                r"|julho|agosto|setembro|outubro|novembro|dezembro|primavera|verao|outono|inverno|segunda|terca"
                r"|quarta|quinta|sexta|sabado|domingo|hoje|vespera|manha|tarde|noite|meio-dia|feriado)s?\b"
                r"|\b(?:quando|depois|antes|durante|apos|ate)\b"
            ),
            _TEMPO,
        ),
        "person": AskedKind(
            re.compile(r"^(?:por |com |de |a |para )?quem (?:foi|era|foram|\w+(?:ou|eu|iu|aram|eram|iram))\b")
        ),
        "reason": AskedKind(
            re.compile(r"^por ?que\b|\bpor que (?:razao|motivo)\b|^o que (?:causou|provocou|levou)\b"),
            re.compile(
                r"\b(?:porque|pois|devido|gracas|razao|motivos?|causa\w*|para|assim|se|evitar|ja que"
                r"|visto que|uma vez que|o que|a fim|v(?:em|inha) d\w|lev(?:ou|a) a"
                r"|(?:provoc|obrig|permit|proteg)\w+|em (?:razao|virtude|homenagem)"
                r"|por (?:causa|falta|isso|serem|ser|terem|ter|nao|medo|ordem|motivo|razao|\w+cao))\b"
            ),
        ),
    },
)

_WHAT = r"\bwhat(?:'s| is| was| are| were) the (?:\w+ )?"
_TIMES = words(
    "second seconds minute minutes hour hours day days night nights week weeks month months year years",
    "decade decades century centuries times",
)
_ENGLISH = AskedKinds(
    re.compile(r"\bhow many (?:different )?(\w+)"),
    {
        "money": AskedKind(
            re.compile(
                r"\bhow much (?:\w+ ){0,6}?(?:costs?|paid|pays?|worth|earn\w*|charge\w*|spen[dt]|made?)\b"
                r"|\bhow much money\b|\bwhat (?:does|did) .{1,60} cost\b|"
                + _WHAT
                + r"(?:price|cost|fee|salary|budget|value)\b"
            ),
            re.compile(_MONEY + r"|\b(?:dollars?|euros?|pounds?|cents|francs|free|percent|per cent)\b"),
        ),
        "duration": AskedKind(
            re.compile(
                r"\bhow (?:long (?:does|did|do|until|after|before|can|will|has|have)|old|often)\b"
                r"|\bwhat age\b"
            ),
            units=_TIMES,
        ),
        "length": AskedKind(
            re.compile(
                r"\bhow (?:tall|high|deep|wide|far|thick|big|large|long (?:is|was|are|were))\b|"
                + _WHAT
                + r"(?:length|height|depth|width|distance|diameter|size|elevation|area)\b"
            ),
            units=_TIMES
            | words(
                "kilometre kilometres kilometer kilometers metre metres meter meters km m cm mm centimetres",
                "centimeters millimetres millimeters foot feet inch inches mile miles yard yards acres ",
                "hectares square cubic",
            ),
        ),
        "weight": AskedKind(
            re.compile(r"\bhow heavy\b|\bhow much (?:\w+ ){1,5}?weigh\b|" + _WHAT + r"weight\b"),
            units=words(
                "kilogram kilograms kilos kg g gram grams tonne tonnes ton tons pound pounds ounce ounces"
            ),
        ),
        "temperature": AskedKind(
            re.compile(r"\bwhat temperature\b|\bhow (?:hot|cold|warm)\b|" + _WHAT + r"temperature\b"),
            re.compile(r"\bdegrees?\b|[\u00b0\u00ba]\s?[cf]\b"),
        ),
        "speed": AskedKind(
            re.compile(r"\bhow fast\b|" + _WHAT + r"speed\b"),
            re.compile(
                r"\b(?:kilomet[re]{2}s|km|met[re]{2}s|miles|m)(?:/h| (?:per|an) hour|/s| per second)|\bmph\b"
            ),
        ),
        "date": AskedKind(
            re.compile(r"^(?:since )?when\b|\b(?:what|which) (?:year|date|day|month|century|decade)\b"),
            re.compile(
                _YEAR + r"|\bcentury\b|\b\d{3}0s\b|\b(?:january|february|march|april|may|june|july|august"
                r"|september|october|november|december|spring|summer|autumn|winter|monday|tuesday|wednesday"
                r"|thursday|friday|saturday|sunday|today|morning|afternoon|evening|night|noon)s?\b"
                r"|\b(?:when|after|before|during|until)\b"
            ),
            _TIMES,
        ),
        "person": AskedKind(re.compile(r"^who(?:m|se)?\b")),
        "reason": AskedKind(
            re.compile(r"^why\b|\bwhat (?:caused|made|led)\b"),
            re.compile(
                r"\b(?:because|since|as|so|due|owing|thanks|reason|caus\w+|to|for|in order|therefore|led to"
                r"|which|if|prevent\w*|avoid)\b"
            ),
        ),
    },
)
ASKED_KINDS = {"pt": _PORTUGUESE, "en": _ENGLISH}
"""The languages in which it can be told what a question asks for."""
