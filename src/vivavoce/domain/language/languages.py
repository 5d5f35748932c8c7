"""Languages: which one a text is written in, told by its small words."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

UNKNOWN = ""
"""The language of a text that gives no sign of it."""

_ENOUGH = 400
"""Words that are looked at: more of them change nothing."""
_LETTERS = 20_000

_SMALL_WORDS = {
    "en": """a about after all also an and any are as at be because been before being between both but by can
        could did do does during each for from had has have he her him his how i if in into is it
        its just may me more most must my no nor not of on only or other our out over own same shall
        she should so some such than that the their them then there these they this those through to
        too under until up very was we were what when where which while who whom whose why will with
        would you your""",
    "pt": """a ao aos aquela aquele aquilo as até com como contra cuja cujo da das de dela dele deles depois
        desde deve do dos durante e é ela elas ele eles em enquanto entre era essa esse esta está
        estão estar este eu foi foram há isso isto já lhe mais mas me mesmo meu minha muito na não
        nas nem no nos nós num numa o onde os ou para pela pelas pelo pelos pode podem por porque
        posso qual quais qualquer quando quanto quantos quantas que quem são se sem ser será seu
        seus só sob sobre sua suas também tem têm ter tinha um uma uns você vocês""",
    "es": """a al algo ante antes aquel como con contra cual cuales cuando cuanto cuantos de del desde donde
        durante e el él ella ellas ellos en entre era es esa ese eso esta está están este esto fue
        fueron ha han hasta hay la las le les lo los más me mi mientras muy nada ni no nos o os otra
        otro para pero por porque puede que qué quien se según ser si sí sin sobre son su sus
        también te tiene tu un una uno unos y ya yo""",
    "fr": """à afin ai alors après au aucun aussi autre aux avant avec avoir ce ceci cela ces cet cette comme
        comment dans de depuis des donc du elle elles en entre est et été être eux fait il ils je la
        le les leur leurs lui ma mais me même mes moi mon ne nos notre nous on ou où par pas pendant
        peut plus pour pourquoi qu quand que quel quelle quels qui sa sans se sera ses si son sont
        sous sur ta te tes toi ton tous tout très tu un une vos votre vous y""",
    "de": """aber alle als also am an auch auf aus bei bin bis da damit dann das dass dein dem den der des die
        dies diese dieser doch durch ein eine einem einen einer eines er es für gegen hat hatte ich
        ihr ihre im in ist ja kann kein keine man mehr mein mit muss nach nicht noch nur ob oder
        ohne sein seine sich sie sind so über um und uns unter vom von vor war warum was weil wenn
        wer werden wie wieder wir wird wo zu zum zur""",
    "it": """a ad agli ai al alla alle anche avere c che chi ci come con contro cosa cui da dal dalla dalle
        degli
        dei del della delle di dopo dove e è ed era essere fra gli ha hanno i il in io la le lei li
        lo loro lui ma mentre mi mio ne nei nel nella nelle noi non nostro o ogni per perché però
        più può quale quando quanto quello questa questo qui se senza si sia sono su sua sugli sul
        sulla suo te ti tra tu tutti un una uno vi voi""",
}


_ASKING_WORDS = {
    "pt": """aí alguém algum alguma algumas alguns aonde chama chamam chamava chamavam conte cujas cujos dá
        devem devemos devo eram estamos estava estavam existe existem existia faço faz fazem fazer feita
        feitas feito feitos fiz fora fosse havia meus minhas nessa nesse nesta neste nossa nossas nosso
        nossos podemos poderia precisa preciso quanta seria tenho teve tudo vai vão vou""",
    "es": """ahí alguien alguna algunas alguno algunos algún aquella aquellas aquellos aunque cómo cuál cuáles
        cuándo cuánta cuántas cuánto cuántos cuéntame cuya cuyas cuyo cuyos debe debemos deben debo dónde
        eran eres esas esos estaba estaban estamos estas estos estoy existe existen fuera haber había
        habían habrá hace hacen hacer hacéis hacían hago haya háblame he hecha hechas hecho hechos hemos
        hice hizo hubo iba incluso llama llamaba llamaban llaman mis mí muchas mucho muchos necesito
        nuestra nuestras nuestro nuestros podemos podéis podía podrá podrán podría pueden puedes puedo
        quiero quién quiénes será serán sido sois somos soy tal tan tanto tenemos tener tenéis tengo tenía
        tenían tienen tienes todas todo todos tus tuvo unas usted ustedes va vais van viene vienen vuestra
        vuestras vuestro vuestros""",
    "fr": """a ait appelait appelle appellent appelles aucune aura aurait auront avaient avais avait avez
        aviez avons ayant celle celles celui certaines certains ceux chaque combien connaît contre devait
        devrait dis dites dois doit doivent eu eut existe explique étaient étais était êtes faire
        fais faisaient faisait faite faites faits fallait fallu faudrait faut firent fit font furent fus
        fut hors laquelle lequel lesquelles lesquels lors mieux parle parlez peuvent peux pouvait pouvez
        pouvons puis quelles quelqu quelque quelques quoi raconte racontez sais sait serait seront soit
        sommes suis toute toutes va vais vers veut veux vont voudrais""",
    "de": """ab andere anderem anderen anderer anderes ans aufs beim bereits bist bitte brauche braucht bzw
        dabei dafür dahin daran darauf darf darin darüber davon dazu deine deinem deinen deiner denen denn
        deren derer dessen dir dort dürfen eben eigentlich erklär erzähl erzähle etwa etwas euer eure gab
        gehört gewesen gibt habe haben hast hatten hätte hätten heißen heißt her hier hieß hin hinter ihm
        ihn ihnen ihrem ihren ihrer ins irgendein irgendwo jede jedem jeden jeder jedes jemand jemandem
        jetzt kannst keinem keinen keiner konnte konnten können könnte könnten lange lassen lässt mal
        meine meinem meinen meiner meines mich mir möchte möchten musste mussten müssen nachdem neben
        nichts niemand nun oft sag sage schon sehr sei seid seinem seinen seiner seines seit selbst sogar
        soll sollen sollte sollten somit sowie tun unser unsere unserem unseren unserer viel viele vielen
        vorher wann waren wäre wären welche welchem welchen welcher welches wem wen werde weshalb wessen
        wieso wieviel wobei wodurch wofür wogegen woher wohin womit woran worauf woraus worin worum
        worüber wovon wozu wurde wurden würde würden zwischen""",
    "it": """abbia abbiamo abbiano alcuna alcune alcuni alcuno allo avete aveva avevano avrà avuto bisogna
        chiama chiamano chiamava chiamavano chiunque ciascuno così dagli dai dall dallo debba dell
        dello deve devi devo devono diceva dimmi erano eravamo esiste esistono esser fa faccio
        facendo faceva facevano fanno fare fatta fatte fatti fatto fece fosse fossero fu furono già hai ho
        invece mia mie miei molta molte molti molto negli nell nello nessun nessuna nessuno nostra nostre
        nostri parlami possiamo posso possono poteva potevano puoi qual qualche qualcosa qualcuno quali
        quanta quante quanti quegli quei quell quella quelle quelli quest queste questi raccontami saranno
        sarà sarebbe sei siamo spiegami stata state stati stato stava stavano sto sue sui sull sulle sullo
        suoi tale tanto tua tue tuo tuoi tutta tutte tutto va vado vanno venga vengono veniva venivano
        viene vorrei vostra vostre vostri vostro""",
}
"""Words that questions are made of, besides the small ones: they tell a language, and not what is asked."""
_OTHER_WORDS = {
    "en": "am bin come comment den die fait hast hat man oft par per plus pour sage sans son ton tout war",
    "pt": "come dei dois lei li par todas todos vi",
}
"""Other words of a language, which are small ones of another: "do ants die?", "o que diz a lei?"."""


LANGUAGES = tuple(_SMALL_WORDS)
"""The languages that are told from each other."""


def language_of(text: str, likely: str = UNKNOWN) -> str:
    """The language that a text is written in: en, pt, es, fr, de or it; `likely` where nothing tells."""
    seen = dict.fromkeys(_SMALL_WORDS, 0.0)
    first = _first_words(text)
    for word in first:
        languages = _tellers().get(word)
        for language in languages or ():
            seen[language] += 1 / len(languages or ())  # a word of many languages tells little
    if _GERMAN_WAS.match(text) is not None:
        seen["de"] += 1
    best, second = sorted(seen.values(), reverse=True)[:2]
    if best == 0:
        return likely
    if best == second and likely in seen and seen[likely] == best:
        return likely
    return max(seen, key=lambda each: (seen[each], sum(word in small_words(each) for word in first)))


@cache
def small_words(language: str) -> frozenset[str]:
    """The words of a language that say nothing by themselves, in lower case."""
    return frozenset(_SMALL_WORDS.get(language, "").split())


@cache
def asking_words(language: str) -> frozenset[str]:
    """The words of a language that questions are made of, in lower case: "wann", "combien", "posso"."""
    return frozenset(_ASKING_WORDS.get(language, "").split())


def composed(text: str) -> str:
    """The text with each letter and its accent as one character, and without marks that stand alone."""
    if text.isascii():
        return text
    whole = unicodedata.normalize("NFC", text)
    return "".join(character for character in whole if not unicodedata.combining(character))


def _first_words(text: str) -> list[str]:
    found = []
    for match in _WORD.finditer(composed(text[:_LETTERS])):
        found.append(match.group().lower())
        if len(found) == _ENOUGH:
            break
    return found


_WORD = re.compile(
    r"(?<![^\W_])(?:[^\W\d_]{2,}"
    r"|(?<![-\u2010\u2011/&.])[^\W\d_](?![-\u2010\u2011/&+#]|\.[^\W_]|(?<=[AEO])(?:['\u2019]|\.\s+)[^\W_]))"
    r"(?![^\W_])"
)
"""A word as it stands alone: not joined to a figure, and no letter of a code, a compound or a name.

The small words of "peut-on" and "fale-me" count all the same; the letters of "e-mail" and "O'Neill" are not.
"""
_GERMAN_WAS = re.compile(r"\W*[Ww]as\s+[^\W\d_A-Z\u00c0-\u00de]+(?:en|t)\s+[A-Z\u00c4\u00d6\u00dc]")
"""The German word for what, before a verb and a noun: "was zahlen Kinder?", but not "was Robert married?"."""


@cache
def _tellers() -> dict[str, tuple[str, ...]]:
    """For each word that tells a language, the languages that it belongs to."""
    tellers: dict[str, tuple[str, ...]] = {}
    for language in _SMALL_WORDS:
        others = frozenset(_OTHER_WORDS.get(language, "").split())
        for word in small_words(language) | asking_words(language) | others:
            tellers[word] = (*tellers.get(word, ()), language)
    return tellers
