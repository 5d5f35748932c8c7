"""Dimension words: what names how tall, wide or heavy something is, and the units that it is told in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Dimension = Literal["height", "width", "length", "depth", "thickness", "weight", "age"]

WORDS: Mapping[str, Mapping[Dimension, tuple[str, str]]] = {
    "en": {
        "height": ("tall|high", "height|elevation|altitude"),
        "width": ("wide|broad", "width|breadth"),
        "length": ("long", "length"),
        "depth": ("deep", "depth"),
        "thickness": ("thick", "thickness"),
        "weight": (r"heavy|weigh(?:s|ed|ing)?", "weight"),
        "age": ("old|aged", "age"),
    },
    "pt": {
        "height": ("alt[oa]s?", "altura|altitude"),
        "width": ("larg[oa]s?", "largura"),
        "length": ("comprid[oa]s?", "comprimento|extensao"),
        "depth": ("fund[oa]s?|profund[oa]s?", "profundidade"),
        "thickness": ("espess[oa]s?|gross[oa]s?", "espessura|grossura"),
        "weight": ("pesad[oa]s?|pes(?:a|am|ava|avam|ou|ando)", "peso"),
        "age": ("velh[oa]s?", "idade"),
    },
    "es": {
        "height": ("alt[oa]s?", "altura|altitud"),
        "width": ("anch[oa]s?", "anchura|ancho"),
        "length": ("larg[oa]s?", "longitud|largo"),
        "depth": ("hond[oa]s?|profund[oa]s?", "profundidad"),
        "thickness": ("grues[oa]s?", "grosor|espesor"),
        "weight": ("pesad[oa]s?|pes(?:a|an|aba|aban|ando)", "peso"),
        "age": ("viej[oa]s?", "edad"),
    },
    "fr": {
        "height": ("haute?s?", "hauteur|altitude"),
        "width": ("larges?", "largeur"),
        "length": ("longs?|longues?", "longueur"),
        "depth": ("profonde?s?", "profondeur"),
        "thickness": ("epais|epaisses?", "epaisseur"),
        "weight": ("lourde?s?|pes(?:e|ent|ait|aient|ant)", "poids"),
        "age": ("agee?s?|vieux|vieille", "age"),
    },
    "de": {
        "height": (r"hoch|hohe[mnrs]?", r"\w*hohe"),
        "width": (r"breite?[mnrs]?", r"\w*breite"),
        "length": (r"lange?[mnrs]?", r"\w*lange"),
        "depth": (r"tiefe?[mnrs]?", r"\w*tiefe"),
        "thickness": (r"dicke?[mnrs]?", r"\w*dicke"),
        "weight": (r"schwere?[mnrs]?|wieg\w*|wog\w*", r"\w*gewichts?"),
        "age": (r"alte?[mnrs]?", r"\w*alters?"),
    },
    "it": {
        "height": ("alt[oaie]", "altezza|altitudine"),
        "width": ("larg(?:o|a|hi|he)", "larghezza"),
        "length": ("lung(?:o|a|hi|he)", "lunghezza"),
        "depth": ("profond[oaie]", "profondita"),
        "thickness": ("spess[oaie]", "spessore"),
        "weight": ("pesant[ei]|pes(?:a|ano|ava|avano)", "peso"),
        "age": ("vecchi[oae]?", "eta"),
    },
}
"""The adjectives and verbs of each dimension, and its nouns, as they stand in folded text."""
SIZE = (
    r"[kcdm]?m|(?:kilo|quilo|chilo|centi|zenti|milli|mili)?met(?:ers?|ern|res?|ros?|ri)|f(?:oo|ee)t|ft"
    r"|inch(?:es)?|yards?|miles?|pes|pies|pieds?|piedi|fuss|zoll|palmos|milhas?|millas?|meilen?|miglia"
    r"|leguas?|lieues?"
)
"""The units of heights, widths, lengths, depths and thicknesses."""
UNITS: Mapping[Dimension, str] = {
    "weight": r"k?g|t|kilos?|quilos?|chil[oi]|(?:kilo|quilo|chilo|milli|mili)?gram\w*|ton\w*|pounds?|lbs?"
    r"|pfund|zentner|ounces?|arrobas?|livres|libras|quintal\w*",
    "age": r"years?|months|anos|meses|ans|mois|jahren?|monaten?|anni|mesi",
}
"""Those of what is no size."""
