"""Wishes: whether a message asks for a person, closes a conversation, greets or says yes to what was said.

Told by the words themselves in English, Portuguese and Spanish, small talk in French, German and Italian
too. A wish that is missed costs a sentence; one that is heard where there was none takes the conversation
out of the agent's hands. So doubt means no.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from vivavoce.domain.language import vocabulary
from vivavoce.domain.language.words import folded


def wants_human(text: str) -> bool:
    """Whether someone asks to be passed on to a person."""
    words = _words(text)
    if 0 < len(words) <= _SHORT_CALL and _is_bare_call(words):
        return True
    return any(_asks_for_person(clause) for clause in _clauses(text))


def says_thanks(text: str) -> bool:
    """Whether a message closes the conversation: thanks, a problem that is solved, or a goodbye."""
    words = _words(text)
    if not 0 < len(words) <= _LONGEST_CLOSING or "?" in text:
        return False
    if words[0] in vocabulary.DENYING and len(words) > 1 and words[1] in vocabulary.THANKS:
        words = words[1:]
    left, closings = _without(words, vocabulary.CLOSINGS)
    if not closings or not vocabulary.NOT_CLOSED.isdisjoint(left) or left[:1] in (["is"], ["was"], ["did"]):
        return False
    return sum(word not in vocabulary.POLITE for word in left) <= 1


def is_greeting(text: str) -> bool:
    """Whether a message greets and says nothing else, but for a name."""
    words = _words(text)
    if not 0 < len(words) <= _LONGEST_GREETING:
        return False
    left, greetings = _without(words, vocabulary.GREETINGS)
    others = [word for word in left if word not in vocabulary.GREETED]
    if not greetings or len(others) > 1:
        return False
    return not others or (others[0] == words[-1] and text.split()[-1][0].isupper() and "?" not in text)


def is_acknowledgement(text: str) -> bool:
    """Whether a message only says that it was heard: "ok", "sim", a laugh or a picture of a thumb."""
    words = _words(text)
    if "?" in text or len(words) > _LONGEST_ACKNOWLEDGEMENT:
        return False
    if not words:
        return bool(text.strip())
    if not vocabulary.DENYING.isdisjoint(words):  # "não entendi" is a complaint, "não, não" is none
        return vocabulary.DENYING.issuperset(words)
    left, _ = _without(words, vocabulary.HEARD)
    return all(word in vocabulary.ACKNOWLEDGING or _LAUGHTER.fullmatch(word) for word in left)


def after_greeting(text: str) -> str:
    """A message without the greeting that it begins with; the whole of it where it says nothing else.

    A greeting ends where its clause does, and may name somebody: "Oi Ana, …", also where that is a product.
    Without a comma only one that can be nothing else is taken off, before a small letter: "como está meu
    pedido" and "Hello Kitty" stay as they are.
    """
    if is_greeting(text):
        return text
    left = text
    for _ in range(_MOST_GREETINGS):
        clause_end = _GREETING_END.search(left[:_LONGEST_GREETING_CLAUSE])
        if clause_end is None or not is_greeting(left[: clause_end.start()]):
            break
        rest = left[clause_end.end() :].strip()
        if not _words(rest[:_LONGEST_GREETING_CLAUSE]):
            break
        left = rest
    plain = _PLAIN_GREETING.match(left)
    rest = left[plain.end() :] if plain else ""
    return rest if len(_words(rest[:_LONGEST_GREETING_CLAUSE])) > 1 and rest[0].islower() else left


def wish_language(text: str) -> str:
    """The language of the words of small talk in a message; nothing where it has none."""
    words = set(_words(text))
    counts = {language: len(words & tellers) for language, tellers in vocabulary.TELLERS.items()}
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] > 0 else ""


_SHORT_CALL = 4
_LONGEST_CLOSING = 16
_LONGEST_GREETING = 7
_LONGEST_ACKNOWLEDGEMENT = 4
_LONGEST_TEXT = 4_000
_LONGEST_PHRASE = 5
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W\d_]+)?")
_MOST_GREETINGS, _LONGEST_GREETING_CLAUSE = 4, 100
_GREETING_END = re.compile(r"[.,!?\n\u2026]+")
_LAUGHTER = re.compile(r"k{2,}|(?:ha|he|ja){2,}h?|(?:rs)+")
_PLAIN_GREETING = re.compile(
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening)|oi|ol[aá]|opa|bom dia|boa (?:tarde|noite)"
    r"|hola|buenos d[ií]as|buenas (?:tardes|noches)|bonjour|bonsoir|salut|hallo|guten (?:tag|morgen|abend)"
    r"|buongiorno|buonasera|salve|ciao) +",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[.,;:!?\n\u2026\u2014()\"\u201c\u201d]+")


def _words(text: str) -> list[str]:
    return [folded(match.group()).replace("\u2019", "'") for match in _WORD.finditer(text[:_LONGEST_TEXT])]


def _clauses(text: str) -> Iterator[list[str]]:
    for clause in _CLAUSE_END.split(text[:_LONGEST_TEXT]):
        if words := _words(clause):
            yield words


def _is_bare_call(words: Sequence[str]) -> bool:
    around = vocabulary.FILLERS | {"now", "agora", "ahora", "humano", "real", "live"}
    called = [word for word in words if word in vocabulary.CALLED_ALONE]
    left, known = _without_help(words), vocabulary.CALLED_ALONE | around
    return (bool(called) or len(left) < len(words)) and all(word in known for word in left)


def _asks_for_person(words: Sequence[str]) -> bool:
    if not vocabulary.CUSTOMERS.isdisjoint(_without_help(words)):
        return False
    for place, word in enumerate(words):
        if word in vocabulary.SPEAKING | vocabulary.WANTING | vocabulary.PASSING and _reaches_person(
            words, place
        ):
            before = words[max(0, place - 4) : place]
            subject = next((each for each in reversed(before) if each not in {"to", "please"}), "")
            is_others = word in vocabulary.SPEAKING and subject in vocabulary.OTHERS
            if not is_others and vocabulary.REFUSING.isdisjoint(before):
                return True
    return any(_asks_otherwise(words, place) for place in range(len(words)))


def _asks_otherwise(words: Sequence[str], place: int) -> bool:
    """Whether someone wishes to be served by a person, would rather deal with one, or asks for one there."""
    verb, before = words[place], words[max(0, place - 4) : place]
    if not vocabulary.REFUSING.isdisjoint(before):
        return False
    if verb in vocabulary.SERVED:
        return before[-1:] == ["ser"] and _reaches_person(words, place)
    if verb in vocabulary.DEALING:
        return not vocabulary.RATHER.isdisjoint(before) and _reaches_person(words, place)
    reached = [word for word in words[place + 1 :] if word not in vocabulary.FILLERS]
    return (
        verb in vocabulary.THERE
        and not vocabulary.UNMISTAKABLE.isdisjoint(reached[:1])
        and vocabulary.NEAR.issuperset(reached[1:])
    )


def _reaches_person(words: Sequence[str], place: int) -> bool:
    """Whether a person is what the verb at a place is about, with nothing but fillers between them."""
    verb, rest = words[place], words[place + 1 :]
    if verb in vocabulary.PASSING:
        is_first_person = rest[:1] in (["me"], ["us"]) or words[max(0, place - 1) : place] == ["me"]
        rest = rest[1:] if rest[:1] in (["me"], ["us"]) else rest
        is_first_person = is_first_person or verb.endswith("me") or _is_told_to_hand(words, place)
        if not is_first_person and verb not in vocabulary.CALLING:
            return False
        if verb in vocabulary.MOVING and (
            not rest or (rest[0] in vocabulary.AFTERWARDS and rest[0] != "to" and len(rest) <= 3)
        ):
            return True
    for index, word in enumerate(rest):
        pair = "-".join(rest[index : index + 2])
        is_department = word in vocabulary.DEPARTMENTS and verb in vocabulary.REACHING
        if pair in vocabulary.HUMAN_HELP or word in vocabulary.PERSONS or is_department:
            return _may_follow(rest[index + (2 if pair in vocabulary.HUMAN_HELP else 1) :], verb)
        if word not in vocabulary.FILLERS:
            return False
    return False


def _is_told_to_hand(words: Sequence[str], place: int) -> bool:
    """Whether the verb at a place begins an order to hand over: whoever gives it means themselves."""
    return words[place] in vocabulary.HANDING and all(word in vocabulary.OPENERS for word in words[:place])


def _without_help(words: Sequence[str]) -> list[str]:
    """The words without pairs that name human help, such as customer service."""
    pairs = [place for place, pair in enumerate(pairwise(words)) if "-".join(pair) in vocabulary.HUMAN_HELP]
    gone = {each for place in pairs for each in (place, place + 1)}
    return [word for place, word in enumerate(words) if place not in gone]


def _may_follow(after: Sequence[str], verb: str) -> bool:
    """Whether the words after the person leave it a person to speak with, not one for some other purpose."""
    if verb in vocabulary.WANTING and after and after[0] in vocabulary.PURPOSES:
        return len(after) > 1 and after[1] in vocabulary.HELPING
    return not after or after[0] in vocabulary.AFTERWARDS


def _without(words: Sequence[str], phrases: frozenset[tuple[str, ...]]) -> tuple[list[str], int]:
    """The words that are no part of a phrase, and how many phrases there were; longer phrases count first."""
    left: list[str] = []
    found = place = 0
    while place < len(words):
        for length in range(min(_LONGEST_PHRASE, len(words) - place), 0, -1):
            if tuple(words[place : place + length]) in phrases:
                found, place = found + 1, place + length
                break
        else:
            left.append(words[place])
            place += 1
    return left, found
