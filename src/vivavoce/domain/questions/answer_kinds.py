"""Answer kinds: a price, a count, a measure, a time or a person, as questions ask and sentences give them."""

from __future__ import annotations

import re
from typing import NamedTuple


class AnswerKind(NamedTuple):
    """A kind of thing that answers: how a question asks for it, and what a sentence has that gives it."""

    asked: re.Pattern[str]
    """How the question says that it wants this."""
    full: re.Pattern[str]
    """What a sentence has that gives it."""
    half: re.Pattern[str] | None = None
    """And what one has that may give it."""

    def fit(self, sentence: str) -> float:
        """How well a sentence is of this kind, from 0 to 1."""
        if self.full.search(sentence) is not None:
            return 1.0
        return 0.5 if self.half is not None and self.half.search(sentence) is not None else 0.0


_DIGIT = re.compile(r"\d")
_NUMERAL = (
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dois|duas|tr\u00eas|quatro|cinco|seis|sete|oito"
    r"|nove|dez|dos|tres|cuatro|diez|deux|trois|quatre|cinq|huit|neuf|dix|\w*(?:zwei|drei|vier|fünf|sechs"
    r"|sieben)"
    r"|acht|neun|zehn|due|tre|quattro|cinque|sette|otto|nove|dieci)\b"
)
_DAY = (
    r"\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekday|weekend|january|february|march"
    r"|april|june|july|august|september|october|november|december|segunda|ter\u00e7a|quarta|quinta|sexta"
    r"|s\u00e1bado|domingo|janeiro|fevereiro|mar\u00e7o|abril|maio|junho|julho|agosto|setembro|outubro"
    r"|novembro|dezembro|lunes|martes|mi\u00e9rcoles|jueves|viernes|enero|noviembre|diciembre|lundi|mardi"
    r"|mercredi"
    r"|jeudi|vendredi|samedi|dimanche|janvier|f\u00e9vrier|avril|juin|juillet|ao\u00fbt|octobre"
    r"|d\u00e9cembre|montag"
    r"|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|januar|m\u00e4rz|juni|juli|oktober|dezember"
    r"|luned\u00ec"
    r"|marted\u00ec|gioved\u00ec|venerd\u00ec|sabato|domenica|gennaio|febbraio|maggio|giugno|luglio"
    r"|ottobre|dicembre)"
)
_MONEY = (
    r"[$\u20ac\u00a3\u00a5]"
    r"|\b(?:usd|eur|brl|reais|dollars?|euros?|d\u00f3lares|pesos|free|gr\u00e1tis|gratis|gratuit[oae]?s?"
    r"|cents?"
    r"|kostenlos|umsonst|kostenfrei|no charge|isent[oa]s?|de gra\u00e7a|n\u00e3o (?:se )?pagam?"
    r"|no (?:se )?pagan?"
    r"|exent[oa]s?|sans frais|freier eintritt|eintritt frei|non (?:si )?paga(?:no)?|esent[ei])\b"
    r"|[|:] ?frei(?!\w| \w)"
)
_WHAT_IS = (
    r"(?:qual(?:e|is)?|quel(?:le)?s?|cual(?:es)?|welche[mnrs]?) (?:(?:e|era|est|etait|es|fut|ist|war) )?"
    r"(?:(?:the|il|la|lo|le|el|o|a|die|der|das|su|sa|son) |l['\u2019])?"
)
_MEASURES = (
    r"lunghezza|larghezza|altezza|profondita|durata|distanza|altitudine|superficie|velocita|temperatura"
    r"|peso|eta"
    r"|dimensioni|longueur|largeur|hauteur|profondeur|duree|distance|altitude|superficie|vitesse"
    r"|temperature|poids"
    r"|taille|age|longitud|anchura|ancho|largo|altura|profundidad|duracion|distancia|altitud|velocidad"
    r"|edad|tamano"
    r"|comprimento|largura|profundidade|duracao|velocidade|tamanho|idade|area|diametro|diametre|lange"
    r"|breite|hohe"
    r"|tiefe|dauer|entfernung|geschwindigkeit|temperatur|gewicht|grosse|flache|alter"
)
ANSWER_KINDS = {
    "price": AnswerKind(
        re.compile(
            r"\b(?:how much|costs?|prices?|pricing|fees?|quanto (?:cust\w+|e(?! cost)|sai|fica)|precos?"
            r"|valor(?:es)?"
            r"|custos?|cuanto (?:es|(?:cuest|cost|val)\w+)|precios?|combien (?:(?:a|ont"
            r"|va)(?:-t-\w+)? )?cout\w*"
            r"|combien (?:est-ce|vau?t)|couts?|coute(?:nt|r|rait)?|coutait|prix|tarifs?|was kostet\w*"
            r"|kostete?n?|gekostet"
            r"|wie ?viel kostet|preise?|quanto (?:(?:e|sono|era) )?(?:cost|pag|val)\w+|prezz[oi])\b"
        ),
        re.compile(_MONEY, re.IGNORECASE),
        _DIGIT,
    ),
    "count": AnswerKind(
        re.compile(
            r"\b(?:how (?:many|long|old|far|often|big)|quant[oa]s|quanto tempo(?: (?:dur|demor|lev|sai"
            r"|fic)\w*)?|quanto (?:dur|demor)\w+|prazo|cuant[oa]s"
            r"|cuanto tiempo|combien d\w*(?: temps)?|wie ?viele|wie (?:lange|oft|alt|hoch|gross)|quant[ei]"
            r"|quanto (?:tempo|dura)|quel age)\b"
        ),
        re.compile(r"\d|" + _NUMERAL, re.IGNORECASE),
    ),
    "measure": AnswerKind(
        re.compile(
            rf"\b(?:{_WHAT_IS}(?:{_MEASURES})|(?:de |com |a )?que (?:{_MEASURES})"
            r"|wie (?:breit|tief|lang|weit|schwer|schnell|dick|warm|kalt|heiss|teuer))\b"
        ),
        re.compile(r"\d|" + _NUMERAL, re.IGNORECASE),
    ),
    "time": AnswerKind(
        re.compile(
            r"\b(?:when|what (?:time|year|day|date)|hours|open|opening|quando|que (?:horas|dia|ano)|horarios?"
            r"|qual a data|que mes(?:es)?|cuando|a que hora|quand|quel(?:le)?s? (?:annee|jours?|heures?"
            r"|date|mois)"
            r"|horaires?|wann|welche[mnrs]? (?:tage?n?|jahr|monat|datum|uhrzeit)|wie ?viel uhr"
            r"|(?:offnungs|uhr)zeiten"
            r"|(?:che|qual[ei]?) (?:or[ae]|giorn[oi]|ann[oi]|mes[ei])|orari[o]?)\b"
        ),
        re.compile(r"\d|" + _DAY, re.IGNORECASE),
    ),
    "person": AnswerKind(
        re.compile(
            r"^\W*(?:who|quem|quien|qui|wer|chi|comment s.appel\w+|wie (?:heisst|hiess|heissen)"
            r"|come si chiama\w*"
            r"|como se llama\w*|como se chama\w*)\b"
        ),
        re.compile(r"[^\W\d_] [A-Z\u00c0-\u00dd][\w'-]+"),
    ),
    "definition": AnswerKind(
        re.compile(
            r"^\W*(?:what(?:'s| is| are| does)|define|o que (?:e|sao|significa)|que (?:es|son|significa)"
            r"|qu.est-ce qu|was (?:ist|sind|bedeutet)|(?:che )?cos(?:a (?:e|sono|significa)|.e))\b"
        ),
        re.compile(
            r"^(?:\S+\s+){1,7}(?:is|are|means|refers|stands|\u00e9|s\u00e3o|significa|es|son|est|sont|ist"
            r"|sind"
            r"|bedeutet|\u00e8|sono)\s",
            re.IGNORECASE,
        ),
        re.compile(r"\b(?:is|are|means|\u00e9|s\u00e3o|es|son)\b", re.IGNORECASE),
    ),
}
