"""Kinds that questions ask for in French and Italian, and what gives them."""

from __future__ import annotations

import re

from vivavoce.domain.language.vocabulary import words

from .asked_kinds import MONEY, YEAR, AskedKind, AskedKinds

_QUEL = r"\bquel(?:le)?s? (?:est|etait|sont|etaient|fut|sera) (?:l[ea]s? |l['\u2019]|son |sa )?"
_TEMPS = words(
    "seconde secondes minute minutes heure heures jour jours nuit nuits semaine semaines mois an ans",
    "annee annees decennie decennies siecle siecles trimestre trimestres semestre semestres fois",
)
FRENCH = AskedKinds(
    re.compile(r"\bcombien (?:de |d['\u2019])(?!(?:temps|argent|euros)\b)(\w+)"),
    {
        "money": AskedKind(
            re.compile(
                r"\bprix\b|\bcombien d(?:['\u2019]argent|['\u2019]euros)\b"
                r"|\bcombien (?:[\w-]+ ){0,5}?(?:cout|pa[iy]|vaut|gagn|depens|factur)\w*"
                r"|\bca coute combien\b|" + _QUEL + r"(?:cout|montant|tarif|salaire|amende|budget|valeur)\b"
            ),
            re.compile(
                MONEY
                + r"|\b(?:euros?|francs?|centimes|dollars?|livres sterling|pour cent|gratuit\w*|exoner\w+"
                r"|moitie|dirhams?|dinars?|fcfa"
                r"|(?:sans|aucuns?) frais|entree libre"
                r"|(?:ne|n['\u2019]y) pai(?:e|ent) (?:pas|rien))\b"
            ),
        ),
        "duration": AskedKind(
            re.compile(
                r"\bcombien (?:de |d['\u2019])temps\b|\ba quel age\b|\bquel age\b|\ba quelle frequence\b|"
                + _QUEL
                + r"(?:duree|delai|age)\b"
            ),
            units=_TEMPS,
        ),
        "length": AskedKind(
            re.compile(
                r"\bquelle (?:hauteur|distance|profondeur|largeur|longueur|taille|altitude)\b|"
                + _QUEL
                + r"(?:hauteur|distance|profondeur|largeur|longueur|taille|altitude|superficie)\b"
                r"|\bcombien mesure"
            ),
            units=words(
                "kilometre kilometres metre metres km m cm centimetres millimetres mm lieues pieds hectares"
            ),
        ),
        "weight": AskedKind(
            re.compile(_QUEL + r"poids\b|\bcombien (?:[\w-]+ ){0,4}?pese"),
            units=words("kilo kilos kilogrammes kg g gramme grammes tonne tonnes livres"),
        ),
        "temperature": AskedKind(
            re.compile(_QUEL + r"temperature\b|\ba quelle temperature\b"),
            re.compile(r"\bdegres?\b|[\u00b0\u00ba]\s?c\b"),
        ),
        "speed": AskedKind(
            re.compile(_QUEL + r"vitesse\b|\ba quelle vitesse\b"),
            re.compile(r"\b(?:kilometres|km|metres|m)(?:/h| par heure| a l['\u2019]heure|/s| par seconde)"),
        ),
        "date": AskedKind(
            re.compile(
                r"^(?:depuis |jusqu['\u2019]?a )?quand\b"
                r"|\bquel(?:le)?s? (?:annee|date|jours?|mois|siecle|epoque|heures?|horaires?)\b|"
                + _QUEL
                + r"(?:date|annee|jour|horaires?|heures)\b"
            ),
            re.compile(
                YEAR + r"|\bsiecle\b|\d\s?h\b|\b(?:janvier|fevrier|mars|avril|mai|juin|juillet|aout|septembre"
                r"|octobre"
                r"|novembre|decembre|printemps|ete|automne|hiver|(?:lun|mar|mercre|jeu|vendre|same)dis?"
                r"|dimanches?"
                r"|aujourd['\u2019]hui|matin|apres-midi|soir|nuit|midi|minuit|ferie)s?\b"
                r"|\b(?:quand|lorsque|apres|avant|pendant|jusqu)\b"
            ),
            _TEMPS,
        ),
        "person": AskedKind(
            re.compile(
                r"^(?:par |avec |de |a |pour )?qui (?:est|etait|fut|furent|sont|a|ont)\b"
                r"|^comment s['\u2019]appel\w+"
            )
        ),
        "reason": AskedKind(
            re.compile(
                r"^pourquoi\b|\bpour quelle (?:raison|cause)\b|^qu['\u2019]est-ce qui a (?:cause|provoque)\b"
            ),
            re.compile(
                r"\b(?:parce|car|puisque|grace|raisons?|motifs?|cause\w*|pour|afin|ainsi|donc|si|eviter"
                r"|comme|faute"
                r"|ce qui|en hommage|(?:provoqu|oblig|permet|proteg|ren[dt])\w*|a cause|en raison)\b| : "
            ),
        ),
    },
)

_QUALE = r"\bqual[ei]? (?:(?:e|era|fu|sono|erano|sara) )(?:il |lo |la |i |gli |le |l['\u2019])?"
_DURATE = words(
    "secondo secondi minuto minuti ora ore giorno giorni notte notti settimana settimane mese mesi anno anni",
    "decennio decenni secolo secoli trimestre trimestri semestre semestri volta volte",
)
ITALIAN = AskedKinds(
    re.compile(r"\bquant[ei] (?!(?:soldi|euro)\b)(\w+)"),
    {
        "money": AskedKind(
            re.compile(
                r"\bprezz[oi]\b|\bquant[oi] (?:denaro|soldi|euro)\b"
                r"|\bquanto (?!tempo\b)(?:\w+ ){0,5}?(?:vale|valgono|(?:cost|pag|guadagn"
                r"|spend|spes)\w+)\b|"
                + _QUALE
                + r"(?:costo|prezzo|valore|stipendio|multa|tariffa|quota|bilancio)\b"
            ),
            re.compile(
                MONEY + r"|\b(?:euro|lire|lira|dollar[io]|centesimi|per cento|gratis|gratuit\w+|esent[ei]"
                r"|meta prezzo|la meta|franch[io]|fiorini"
                r"|senza (?:costi|spese)|(?:non|nulla|niente) (?:si )?pag\w+|pag\w+ (?:nulla|niente)"
                r"|(?:ingresso|entrata) liber[oa]|omaggio)\b"
            ),
        ),
        "duration": AskedKind(
            re.compile(
                r"\bquanto (?:tempo|dur\w+|ci (?:vuole|mett\w+))\b|\ba che eta\b|\bcon che frequenza\b|"
                + _QUALE
                + r"(?:durata|eta|termine|scadenza)\b"
            ),
            units=_DURATE,
        ),
        "length": AskedKind(
            re.compile(
                _QUALE + r"(?:altezza|distanza|profondita|larghezza|lunghezza|grandezza|altitudine|superficie"
                r"|circonferenza)\b|\bquanto (?:misura|e (?:alt|lung|larg|profond|grand)\w+)"
            ),
            units=words(
                "chilometro chilometri metro metri km m cm centimetri millimetri mm miglia piedi ettari"
            ),
        ),
        "weight": AskedKind(
            re.compile(_QUALE + r"(?:peso|carico)\b|\bquanto pesa\w*"),
            units=words("chilo chili chilogrammi kg g grammo grammi quintale quintali tonnellata tonnellate"),
        ),
        "temperature": AskedKind(
            re.compile(_QUALE + r"temperatura\b|\ba (?:che|quale) temperatura\b"),
            re.compile(r"\bgrad[oi]\b|[\u00b0\u00ba]\s?c\b"),
        ),
        "speed": AskedKind(
            re.compile(_QUALE + r"velocita\b|\ba (?:che|quale) velocita\b"),
            re.compile(r"\b(?:chilometri|km|metri|m)(?:/h| (?:all['\u2019]|l['\u2019])ora|/s| al secondo)"),
        ),
        "date": AskedKind(
            re.compile(
                r"^(?:da |fino a |dal )?quando\b"
                r"|\b(?:che|quale|quali) (?:or[ae]|giorn[oi]|ann[oi]|dat[ae]|mes[ei]|secolo|epoca"
                r"|orari[o]?)\b|" + _QUALE + r"(?:data|anno|giorno|orari[o]?)\b"
            ),
            re.compile(
                YEAR + r"|\bsecolo\b|\b(?:gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre"
                r"|ottobre"
                r"|novembre|dicembre|primavera|estate|autunno|inverno|(?:lune|marte|mercole|giove|vener)di"
                r"|sabat[oi]"
                r"|domenic(?:a|he)|oggi|mattin[aoi]|pomeriggio|sera|notte|mezzogiorno|mezzanotte"
                r"|festiv[oi])\b"
                r"|\b(?:quando|dopo|prima|durante|entro|fino)\b"
            ),
            _DURATE,
        ),
        "person": AskedKind(
            re.compile(
                r"^(?:da |con |di |a |per )?chi (?:e|fu|era|sono|furono|ha|hanno|\w+(?:o|arono|irono|ava"
                r"|eva))\b"
                r"|^come si chiama\w*"
            )
        ),
        "reason": AskedKind(
            re.compile(
                r"^perche\b|\bper (?:che|quale) (?:ragione|motivo)\b|^(?:che )?cosa (?:causo|provoco)\b"
            ),
            re.compile(
                r"\b(?:perche|poiche|siccome|grazie|ragion[ei]|motiv[oi]|causa\w*|per|affinche|cosi|quindi"
                r"|percio"
                r"|se|evitare|dato che|visto che|in onore|(?:provoc|obblig|permett|protegg)\w+)\b"
            ),
        ),
    },
)
