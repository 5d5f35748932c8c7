"""Kinds that questions ask for in Portuguese and Spanish, and what gives them."""

from __future__ import annotations

import re

from vivavoce.domain.language.vocabulary import words

from .asked_kinds import MONEY, YEAR, AskedKind, AskedKinds

_QUAL = r"\bqua(?:l|is) (?:(?:e|era|eram|foi|foram|sao|seria|sera) )?(?:[oa]s? )?"
_MEDIDA = (
    r"(?:extensao|altura|distancia|profundidade|largura|comprimento|diametro|tamanho|altitude|espessura)\b"
)
_TEMPO = words(
    "segundo segundos minuto minutos hora horas h dia dias noite noites semana semanas mes meses ano anos",
    "decada decadas seculo seculos bimestre bimestres trimestre trimestres semestre semestres vez vezes",
)
PORTUGUESE = AskedKinds(
    re.compile(r"\bquant[oa]s (?!reais\b)(\w+)"),
    {
        "money": AskedKind(
            re.compile(
                r"\bprecos?\b|\bquanto dinheiro\b|\bquantos reais\b"
                r"|\bquanto (?!tempo\b)(?:\w+ ){0,5}?(?:vale|sai|(?:cust|pag|cobr|ganh|gast"
                r"|arrecad)\w+)\b|"
                + _QUAL
                + r"(?:custo|valor|salario|renda|multa|taxa|mensalidade|orcamento)\b"
            ),
            re.compile(
                MONEY + r"|\b(?:reais|centavos|dolar(?:es)?|euros?|libras|contos|por cento|gratis|gratuit\w+"
                r"|isent\w+|metade|escudos|cruzeiros|kwanzas|meticais|sem custos?|por nossa conta|de graca"
                r"|entrada (?:livre|franca)|cortesia"
                r"|nao (?:se )?pag\w+)\b"
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
                YEAR + r"|\bseculo\b|\b(?:anos|dia) \d|\d\s?h\b|\b(?:janeiro|fevereiro|marco|abril|maio|junho"
                r"|julho|agosto|setembro|outubro|novembro|dezembro|primavera|verao|outono|inverno|segunda"
                r"|terca"
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


_CUAL = r"\bcual(?:es)? (?:(?:es|era|fue|son|eran|seria) )?(?:el |la |los |las |su )?"
_TIEMPO = words(
    "segundo segundos minuto minutos hora horas dia dias noche noches semana semanas mes meses ano anos",
    "decada decadas siglo siglos trimestre trimestres semestre semestres vez veces",
)
SPANISH = AskedKinds(
    re.compile(r"\bcuant[oa]s (?!(?:euros|pesos|dolares)\b)(\w+)"),
    {
        "money": AskedKind(
            re.compile(
                r"\bprecios?\b|\bcuanto dinero\b|\bcuantos (?:euros|pesos|dolares)\b"
                r"|\bcuanto (?!tiempo\b)(?:\w+ ){0,5}?(?:vale|valen|sale|(?:cuest|cost|pag"
                r"|cobr|gan"
                r"|gast)\w+)\b|"
                + _CUAL
                + r"(?:coste|costo|precio|valor|sueldo|salario|multa|tasa|tarifa|cuota|presupuesto)\b"
            ),
            re.compile(
                MONEY + r"|\b(?:euros?|pesos?|dolar(?:es)?|pesetas?|centimos|centavos|reales|bolivianos|soles"
                r"|colones|quetzales|lempiras|guaranies|bolivares|balboas|la mitad|por ciento|gratis"
                r"|gratuit\w+|libre|sin coste|sin costo|(?:no|nada) (?:se )?pag\w+|exent\w+"
                r"|coste adicional|sin cargo|pag\w+ nada)\b"
            ),
        ),
        "duration": AskedKind(
            re.compile(
                r"\bcuanto (?:tiempo|dur\w+|tard\w+|demor\w+|lleva)\b|\bcon que (?:edad|frecuencia)\b"
                r"|\ben que plazo\b|" + _CUAL + r"(?:plazo|duracion|edad)\b"
            ),
            units=_TIEMPO,
        ),
        "length": AskedKind(
            re.compile(
                _CUAL + r"(?:longitud|altura|distancia|profundidad|anchura|largo|ancho|tamano|altitud)\b"
                r"|\bcuanto mide\b"
            ),
            units=words(
                "kilometro kilometros metro metros km m cm centimetros milimetros mm leguas millas hectareas"
            ),
        ),
        "weight": AskedKind(
            re.compile(_CUAL + r"peso\b|\bcuanto pesa\w*"),
            units=words("kilo kilos kilogramos kg g gramo gramos tonelada toneladas arrobas"),
        ),
        "temperature": AskedKind(
            re.compile(_CUAL + r"temperatura\b|\ba que temperatura\b"),
            re.compile(r"\bgrados?\b|[\u00b0\u00ba]\s?c\b"),
        ),
        "speed": AskedKind(
            re.compile(_CUAL + r"velocidad\b|\ba que velocidad\b"),
            re.compile(r"\b(?:kilometros|km|metros|m)(?:/h| por hora|/s| por segundo)"),
        ),
        "date": AskedKind(
            re.compile(
                r"^(?:desde |hasta )?cuando\b|\bque (?:horas?|dias?|anos?|fechas?|mes|meses|siglo|horario)\b|"
                + _CUAL
                + r"(?:fecha|ano|dia|horarios?)\b"
            ),
            re.compile(
                YEAR
                + r"|\bsiglo\b|\b(?:anos|dia) \d|\d\s?h\b|\ba las? \w+|\b(?:enero|febrero|marzo|abril|mayo"
                r"|junio"
                r"|julio|agosto|septiembre|octubre|noviembre|diciembre|primavera|verano|otono|invierno"
                r"|lunes|martes"
                r"|miercoles|jueves|viernes|sabados?|domingos?|hoy|vispera|manana|tarde|noche|mediodia"
                r"|festivos?)\b"
                r"|\b(?:cuando|despues|antes|durante|tras|hasta)\b"
            ),
            _TIEMPO,
        ),
        "person": AskedKind(
            re.compile(
                r"^(?:por |con |de |a |para )?quien(?:es)? (?:es|son|fue|era|fueron|\w+(?:o|aron|ieron))\b"
                r"|^como se llama\w*\b"
            )
        ),
        "reason": AskedKind(
            re.compile(r"^por ?que\b|\bpor que (?:razon|motivo)\b|^que (?:causo|provoco)\b"),
            re.compile(
                r"\b(?:porque|pues|debido|gracias|razon|motivos?|causa\w*|para|asi|si|evitar|ya que"
                r"|puesto que"
                r"|lo que|a fin|en (?:razon|virtud|homenaje)|(?:provoc|oblig|permit|proteg)\w+"
                r"|por (?:causa|falta|eso|ser|tener|no|miedo|orden|motivo|un|una|el|la|\w+cion))\b"
            ),
        ),
    },
)
