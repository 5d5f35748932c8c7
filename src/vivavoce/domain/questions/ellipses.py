"""Ellipses: short questions that go on with the one before them, told in full."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from vivavoce.domain.language.languages import asking_words, language_of, small_words
from vivavoce.domain.language.sentences import sentences_of, trimmed
from vivavoce.domain.language.vocabulary import words

from .complements import ARTICLES, COMPLEMENTS, CONTRACTED, FAMILIES, LINKS, UNTOLD
from .open_questions import subject_of
from .question_words import QuestionWord, plainly, question_word_in
from .wishes import is_acknowledgement, is_greeting, says_thanks


class Resumed(NamedTuple):
    """A short question in the words of the one before it."""

    question: str
    fresh: str = ""
    """The thing that it newly names, where it asks the same of another."""
    asked_first: str = ""
    """The question that was asked of the first thing: the next one is asked of that too."""
    is_more: bool = False
    """Whether more is asked for of what was said: "tell me more", "and then?"."""


def resumed(question: str, before: Resumed) -> Resumed | None:
    """The question in full: "By whom was the mill built?" for "And by whom?" after one about the mill.

    None where it says itself what it asks about, or where there is nothing that it could go on with.
    """
    asked = question.strip()
    if len(asked) > _LONGEST:
        return None
    if _asks_for_more(asked, before.question):
        return before._replace(is_more=True)
    word = question_word_in(asked)
    if word is not None:
        last = _last_of(before.question)
        phrase = _phrase(word, asked)
        return Resumed(_asked_with(phrase, last)) if phrase and last else None
    last = _last_of(before.asked_first or before.question)
    found = _complement_in(asked, last)
    if found is None or not last:
        return None
    return Resumed(_asked_of(found["link"], found["thing"], last), found["thing"], last)


def told_in_full(messages: Iterable[str]) -> list[Resumed]:
    """The messages of people one after the other, each short question in the words of the one before.

    Greetings, thanks and "ok" ask nothing, and are left out.
    """
    told: list[Resumed] = []
    for text in messages:
        if is_greeting(text) or says_thanks(text) or is_acknowledgement(text):
            continue
        told.append((resumed(text, told[-1]) if told else None) or Resumed(text))
    return told


_LONGEST = 80
_MOST_WORDS = 6
_FEW = 2
_LONG = 400
"""A longer message says too much to be asked again."""
_MORE = re.compile(
    r"\W*(?:(?:please|ok|por favor)\W+)?(?:(?:(?:can|could) you )?(?:tell (?:me|us)|say) more|more|what else"
    r"|anything else|go on|continue|(?:and )?(?:then what|what then|then|later|afterwards|next|after"
    r" that)|(?:me )?(?:conte|fale|diga)(?:[- ]me)? mais|(?:e )?(?:o )?que mais"
    r"|(?:e )?mais (?:alguma coisa|algo)|mais|(?:e )?(?:depois|entao"
    r"|em seguida)|prossiga|(?:y )?(?:despues|luego|entonces)|(?:y )?que mas|(?:y )?algo mas"
    r"|cuenta(?:me)? mas|sigue|(?:et )?(?:apres|ensuite|puis)|(?:dis|parle"
    r"|raconte)(?:-moi)?(?:-en)? (?:plus|davantage)"
    r"|(?:et )?quoi d.autre|autre chose|(?:und )?(?:dann|danach|weiter|was noch)|erzahle? (?:mir )?mehr|mehr"
    r"|sonst noch etwas|(?:e )?poi|(?:dimmi|raccontami) di piu|(?:e )?(?:cos.|che )altro|di piu)"
    r"(?: (?:about|of|sobre) (?:it|this|that|them|isso|isto|ele|ela|eles|elas|eso|esto))?"
    r"(?:,? (?:please|por favor))?\W*"
)
"""How somebody asks for more of what was said."""
_MORE_IN_SPANISH = re.compile(r"\W*m\u00e1s\W*", re.IGNORECASE)
_AND = re.compile(r"\W*(?:and|e|y|et|und)\s*(?:\?|\u2026|\.\.\.)\W*", re.IGNORECASE)
"""An "and" alone asks with the mark behind it."""
_NOTHING_ELSE = re.compile(
    r"(?:(?:is|was|were|are|did|does|foi|e|era|fue|es|ist|war|fu) )?"
    r"(?:(?:that|this|so|isso|isto|aquilo|eso|esto|cela|ca|das|dies|questo)\b ?)?"
    r"(?:(?:happen|be|so|exactly|precisely|then|acontec\w+|exatamente|mesmo|exactamente|exactement|genau"
    r"|esattamente)\b ?)?\W*"
)
"""What may stand behind a question word that asks the whole of the last question again."""
_NOTHING = re.compile(
    r"(?:(?:exactly|precisely|then|exatamente|mesmo|exactamente|exactement|genau|esattamente)\b ?)?\W*"
)
"""And behind one for which "is that" asks something else: "what is that?", "who was that?"."""
_OF_EVENTS = ("since", "until", "time", "place", "reason", "manner")
"""Question words that may be asked of all that was said: "why is that?"."""
_VERBS = words("am many much havia houve eram hay hab\u00eda hubo quantos quantas")
_FIXED = re.compile(
    r"(?:for (?:example|instance|sure|real)|in (?:general|fact|short|other words|addition|particular)"
    r"|of course|by the way|at (?:all|last|least)|on (?:average|purpose)"
    r"|por (?:exemplo|favor|enquanto|ejemplo|supuesto)|em (?:geral|resumo|suma|especial)"
    r"|de (?:fato|facto|verdade|verdad|acordo|acuerdo|nada|novo)|com certeza"
    r"|sem duvida|sin duda|en (?:general|serio)|par exemple|en fait|zum beispiel|im allgemeinen"
    r"|per (?:esempio|favore)"
    r"|in generale)"
)
"""Phrases that name nothing."""
_OF_NOUNS = ("means", "which", "count")
"""Question words that a noun may follow: "with what instrument?"."""
_AUXILIARIES = words("is was are were does did do has have had can could may might will would should")
_TOKEN = re.compile(r"[^\s?!.,;:]+")
_BE = {"en": "is", "pt": "\u00e9", "es": "es", "fr": "est", "de": "ist", "it": "\u00e8"}


def _asks_for_more(asked: str, before: str) -> bool:
    """Whether nothing but more is asked for; without its accent "mas" is "but", except after Spanish."""
    if _MORE.fullmatch(plainly(asked)) or _AND.fullmatch(asked) or _MORE_IN_SPANISH.fullmatch(asked):
        return True
    return asked.lower().strip(" ?!.\u00bf") == "mas" and language_of(before) == "es"


def _last_of(before: str) -> str:
    """The last sentence of a message, without the mark at its end."""
    text = before.strip()
    if len(text) > _LONG:
        return ""
    spans = [span for each in sentences_of(text) if (span := trimmed(text, each)) is not None]
    return text[slice(*spans[-1])].rstrip(" ?!.") if spans else ""


def _complement_in(asked: str, last: str) -> re.Match[str] | None:
    """The thing that a question adds; without an "and" it is in the language of the last, and asks."""
    language = language_of(last, "en")
    for own, pattern in COMPLEMENTS.items():
        found = pattern.fullmatch(asked)
        if found is None or not (found["opening"] or asked.endswith("?")):
            continue
        if own != language and (not found["opening"] or own in UNTOLD):
            continue
        if _names_a_thing(found, own):
            return found
    return None


def _phrase(word: QuestionWord, asked: str) -> str:
    """What is asked for, where nothing else is said; empty where something is."""
    rest = asked[word.end :]
    nothing = _NOTHING_ELSE if word.kind in _OF_EVENTS else _NOTHING
    if nothing.fullmatch(plainly(rest)):
        return word.written
    tokens = _TOKEN.findall(rest)
    return f"{word.written} {tokens[0]}" if len(tokens) == 1 and word.kind in _OF_NOUNS else ""


def _asked_with(phrase: str, last: str) -> str:
    """The last question with another question word."""
    subject = subject_of(f"{last}?")
    if subject is not None:
        rest = f"{_BE.get(language_of(last), 'is')} {subject}"
    else:
        asked = question_word_in(last)
        rest = _uncapitalised(last) if asked is None else _rest(asked, last)
    return f"{phrase[:1].upper()}{phrase[1:]} {rest}?"


def _uncapitalised(sentence: str) -> str:
    """A sentence as it goes on behind other words: its first word is small, unless it is a name."""
    first = _TOKEN.match(sentence)
    language = language_of(sentence)
    small = small_words(language) | asking_words(language)
    is_small = first is not None and first.group().lower() in small
    return sentence[:1].lower() + sentence[1:] if is_small else sentence


def _rest(asked: QuestionWord, last: str) -> str:
    """A question without the words that it begins with; "high" of "how high" stays."""
    rest = last[asked.end :]
    if asked.kind == "measure":
        return f"{rest} {asked.written.split()[-1]}"
    first = rest.split(maxsplit=1)[0].lower() if rest else ""
    is_subject = asked.kind in ("person", "thing") and language_of(last) == "en"
    return f"did someone {rest}" if is_subject and first not in _AUXILIARIES else rest


def _asked_of(link: str, thing: str, last: str) -> str:
    """The last question of another thing, in the place of the one behind the same link, else added."""
    family = next((each for each in FAMILIES if each.fullmatch(link)), None)
    said = f"{link.lower()} {thing}"
    links = [] if family is None else list(family.finditer(last))
    if not links:
        return f"{last} {said}?"
    at = links[-1]
    end = _end_of_thing(last, at.end(), len(thing.split()))
    is_alike = _is_definite(link, thing) == _is_definite(at.group(), last[at.end() : end])
    return f"{last[: at.start()]}{said}{last[end:]}?" if end > at.end() and is_alike else f"{last} {said}?"


def _is_definite(link: str, thing: str) -> bool:
    """Whether a thing has an article or a name: "in the mill" and "in Porto", but not "in cash"."""
    first = thing.split()[0]
    return link.lower() in CONTRACTED or first.lower() in ARTICLES or first[0].isupper()


def _end_of_thing(text: str, start: int, most: int) -> int:
    """Where the thing ends that begins at a place: before the next small word, or after so many words."""
    small = small_words(language_of(text)) - ARTICLES
    end, taken = start, 0
    tokens = list(_TOKEN.finditer(text, start))
    run = next((n for n, each in enumerate(tokens) if each.group().lower() in small), len(tokens))
    most = run if run == len(tokens) else most
    for each in tokens[:run]:
        taken += each.group().lower() not in ARTICLES
        if taken > most:
            break
        end = each.end()
    return end


def _names_a_thing(found: re.Match[str], language: str) -> bool:
    """Whether words name one thing and ask nothing of it; without an "and" before them they are very few."""
    if _FIXED.fullmatch(plainly(f"{found['link']} {found['thing']}")):
        return False
    tokens = found["thing"].lower().split()
    most = _MOST_WORDS if found["opening"] else _FEW
    small = small_words(language) | _VERBS
    is_linked = True  # an article may stand at the beginning, and behind "and" and "of"
    telling = 0
    for each in tokens:
        if each in LINKS:
            is_linked = bool(found["opening"])
        elif each in ARTICLES and is_linked:
            is_linked = False
        elif each in small or each in ARTICLES:
            return False
        else:
            telling, is_linked = telling + 1, False
    return 0 < telling <= most and len(tokens) <= _MOST_WORDS
