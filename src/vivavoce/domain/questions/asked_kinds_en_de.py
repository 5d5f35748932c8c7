"""Kinds that questions ask for in English and German, and what gives them."""

from __future__ import annotations

import re

from vivavoce.domain.language.vocabulary import words

from .asked_kinds import MONEY, YEAR, AskedKind, AskedKinds

_WHAT = r"\bwhat(?:'s| is| was| are| were) the (?:\w+ )?"
_TIMES = words(
    "second seconds minute minutes hour hours day days night nights week weeks month months year years",
    "decade decades century centuries times",
)
ENGLISH = AskedKinds(
    re.compile(r"\bhow many (?:different )?(\w+)"),
    {
        "money": AskedKind(
            re.compile(
                r"\bhow much (?:\w+ ){0,6}?(?:costs?|paid|pays?|worth|earn\w*|charge\w*|spen[dt]|made?)\b"
                r"|\bhow much money\b|\bwhat (?:does|did) .{1,60} cost\b|"
                + _WHAT
                + r"(?:price|cost|fee|salary|budget|value)\b"
                r"|\bhow much (?:is|are|was|were) (?:an?|the|your) (?:\w+ )*?(?:ticket|entry|entrance"
                r"|admission|fare|pass|tour|room|night|membership|subscription|licen[cs]e|delivery|shipping|fine)s?\b"
            ),
            re.compile(
                MONEY
                + r"|\b(?:dollars?|euros?|pounds?|cents|francs|free|gratis|complimentary|percent|per cent"
                r"|(?:no|without) (?:\w+ )?(?:charge|fee|cost)s?|(?:pays?|costs?|charged?) nothing)\b"
            ),
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
                YEAR + r"|\bcentury\b|\b\d{3}0s\b|\b(?:january|february|march|april|may|june|july|august"
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


_WELCH = r"\bwelche[mnrs]? "
_WAS_IST = r"\bwas (?:ist|war|sind|waren) (?:der|die|das) "
_ZEITEN = words(
    "sekunde sekunden minute minuten stunde stunden uhr tag tage tagen nacht nachte woche wochen monat",
    "monate monaten jahr jahre jahren jahrzehnt jahrzehnte jahrhundert jahrhunderte mal",
)
GERMAN = AskedKinds(
    re.compile(r"\bwie ?viele (\w+)"),
    {
        "money": AskedKind(
            re.compile(
                r"\bwas kostet\w*|\bwie ?(?:viel|teuer|hoch) (?:\w+ ){0,6}?(?:\w*kost\w*|\w*zahl\w*"
                r"|verdien\w*|geld"
                r"|gebuhr|preis|strafe|gehalt|beitrag)\b|\bwie teuer\b|\bpreise?\b|"
                + _WAS_IST
                + r"(?:preis|gebuhr|gehalt|beitrag)\b"
            ),
            re.compile(
                MONEY
                + r"|\b(?:euro|cent|mark|franken|dollar|prozent|kostenlos\w*|kostenfrei\w*|gratis|umsonst"
                r"|gebuhrenfrei|befreit|halfte|rappen|schilling|gulden|kronen|unentgeltlich\w*"
                r"|(?:kostet|kosten|zahlt|zahlen) nichts|(?:ohne|keine) (?:gebuhr|kosten|entgelt|eintritt)\w*"
                r"|keinen eintritt|frei(?:e[nrs]?)? (?:eintritt|zutritt|zugang|fahrt)"
                r"|(?:eintritt|zutritt|zugang|fahrt|teilnahme)(?: \w+){0,5} frei)\b|[|:] ?frei(?!\w| \w)"
            ),
        ),
        "duration": AskedKind(
            re.compile(
                r"\bwie (?:lange|alt)\b|\bin welchem alter\b|\bwelche frist\b|"
                + _WAS_IST
                + r"(?:dauer|frist)\b"
            ),
            units=_ZEITEN,
        ),
        "frequency": AskedKind(
            re.compile(r"\bwie (?:oft|haufig)\b"),
            re.compile(
                r"\b(?:einmal|zweimal|dreimal|taglich|wochentlich|monatlich|jahrlich|jede[nrs]?|alle zwei)\b"
            ),
            _ZEITEN,
        ),
        "length": AskedKind(
            re.compile(r"\bwie (?:hoch|tief|breit|weit|lang|dick|gross)"),
            units=words(
                "kilometer meter metern zentimeter millimeter km m cm mm meilen fuss hektar quadratmeter"
            ),
        ),
        "weight": AskedKind(
            re.compile(r"\bwie schwer\b|\bwie ?viel wiegt\b"),
            units=words("kilo kilogramm kg g gramm tonne tonnen pfund zentner"),
        ),
        "temperature": AskedKind(
            re.compile(r"\bwie (?:warm|heiss|kalt)\b|" + _WELCH + r"temperatur\b"),
            re.compile(r"\bgrad\b|[\u00b0\u00ba]\s?c\b"),
        ),
        "speed": AskedKind(
            re.compile(r"\bwie schnell\b|" + _WELCH + r"geschwindigkeit\b"),
            re.compile(r"\b(?:kilometer|km|meter|m)(?:/h| (?:pro|in der) stunde|/s| pro sekunde)"),
        ),
        "date": AskedKind(
            re.compile(
                r"^(?:seit |bis |ab )?wann\b|"
                + _WELCH
                + r"(?:jahr|datum|tage?n?|monat|jahrhundert|zeit|uhrzeit|wochentag)\b|\bum wie ?viel uhr\b"
            ),
            re.compile(
                YEAR
                + r"|\bjahrhundert\b|\b(?:januar|februar|marz|april|mai|juni|juli|august|september|oktober"
                r"|november"
                r"|dezember|fruhling|fruhjahr|sommer|herbst|winter|(?:mon|diens|donners|frei|sams|sonn"
                r"|feier)tag\w*"
                r"|mittwoch\w*|sonnabend|heute|morgens?|mittags?|nachmittags?|abends?|nachts?)\b"
                r"|\b(?:als|wenn|nachdem|bevor|wahrend|bis|nach|vor|seit)\b"
            ),
            _ZEITEN,
        ),
        "person": AskedKind(
            re.compile(
                r"^(?:von |mit |fur |bei |zu )?we[rmn] (?:war|hat|ist|gehor\w+|wurde\w*|\w+te"
                r"|schrieb|schuf)\b|^wie (?:heisst|hiess|heissen)\b|^wessen\b"
            )
        ),
        "reason": AskedKind(
            re.compile(r"^(?:warum|weshalb|wieso)\b|\baus welchem grund\b|^wozu\b"),
            re.compile(
                r"\b(?:weil|denn|da|damit|deshalb|darum|daher|grund|grunde|wegen|dank|um|fur|so|wenn"
                r"|ursache|verhinder\w*"
                r"|vermeid\w*|schutz\w*|zerstor\w*)\b"
            ),
        ),
    },
)
