"""Standalone questions: what is asked, once what was said before is taken into account."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from vivavoce.domain.language.sentences import sentences_of, trimmed
from vivavoce.domain.language.words import folded

from .addressing import unaddressed
from .ellipses import resumed, told_in_full
from .listings import Asked, asked_of_several, is_list, things_named
from .ordinals import Pointer, pointers_in
from .question_words import plainly
from .subjects import points_back
from .wishes import after_greeting


class Spoken(NamedTuple):
    """An earlier message of a conversation of any number of people."""

    is_ours: bool
    """Whether the one who answers now said it."""
    text: str


class Standalone(NamedTuple):
    """A question that can be looked up."""

    question: str
    """With the thing in place of "the second one", where that was said."""
    text: str
    """What is looked up: the question, after the one before it where it cannot stand alone."""
    earlier: tuple[str, ...]
    """What people said before, the last message last."""
    is_cut: bool = False
    """Whether it was too long to be looked up as a whole."""
    said: tuple[str, ...] = ()
    """What the one who answers said before, the last message last."""
    fresh: str | None = None
    """What it newly names, where it asks the last question again of another thing; None where it does not."""
    is_more: bool = False
    """Whether it is the last question, of which more is to be said."""

    def without(self, word: str) -> Standalone:
        """The same question without a word such as "today", which no text of another time answers to."""
        left = " ".join(self.question.replace(word, " ").split()).replace(" ?", "?")
        return self._replace(question=left, text=self.text.replace(self.question, left))


def standalone(question: str, context: Sequence[Spoken], names: Sequence[str] = ()) -> Standalone:
    """The question with what it points back to: "the second one" becomes the second thing that was named.

    `names` are those of the thinker who is asked about, whom no text of theirs names.
    """
    asked, is_cut = _essence(after_greeting(question))
    before = [each._replace(text=each.text[:_LONGEST].strip()) for each in context[-_MOST:]]
    before = [each for each in before if each.text]
    told = told_in_full(each.text for each in before if not each.is_ours)
    people = tuple(each.question for each in told)
    said = tuple(each.text for each in before if each.is_ours)
    named, is_whole = _named(asked, before)
    if is_whole or (named != asked and people and not people[-1].endswith("?")):
        people = ()  # what was listed is known now, and nothing else was asked of it
    elif named == asked and people:
        if (again := resumed(asked, told[-1])) is not None:
            full = unaddressed(again.question, names)
            fresh = None if again.is_more else again.fresh
            return Standalone(full, full, (), is_cut, said, fresh, again.is_more)
        named = _with_subject(asked, people[-1])
        people = people if named == asked else ()
    asked = unaddressed(named, names)
    if not people or not points_back(asked):
        return Standalone(asked, asked, people, is_cut, said)
    last = people[-1]
    if points_back(last) and len(people) > 1:  # a chain: what is A? and B? and the cost of it?
        last = f"{people[-2]}\n{last}"
    return Standalone(asked, f"{last}\n{asked}", people, is_cut, said)


def conversation(messages: Iterable[tuple[str, str]], question: str, names: Sequence[str]) -> list[Spoken]:
    """What was said before, by role and text; `names` are those of the one who answers.

    Any other role is a participant. Instructions of a system and results of tools are nobody's words, and
    the question itself is not said before, although some clients send it so.
    """
    ours = _OUR_ROLES.union(*map(_spellings, names)) - _THEIR_ROLES
    initials = {"".join(word[0] for word in name.split()) for name in names if " " in name}
    roles = [(role.strip(), folded(role).strip(), text) for role, text in messages]
    said = [
        Spoken(plain in ours or (written in initials and written.isupper()), text)
        for written, plain, text in roles
        if plain not in _ASIDE
    ]
    if said and not said[-1].is_ours and said[-1].text.strip() == question.strip():
        said.pop()
    return said


def _spellings(name: str) -> frozenset[str]:
    """How a role may name someone: in full, or by the last name."""
    words = folded(name).split()
    return frozenset((" ".join(words), *words[-1:]))


_MOST = 40
_FEW = 8
_LONGEST = 2_000
_LONGEST_ITEM = 200
_LONGEST_POINTER = 24
_LONG_QUESTION = 2_000
_OUR_ROLES = frozenset({"assistant", "avatar", "ai", "bot", "model", "agent"})
_THEIR_ROLES = frozenset({"user", "human", "person", "participant", "customer", "visitor", "client"})
_ASIDE = frozenset({"system", "developer", "tool", "function"})
_BARE = re.compile(
    r"\W*(?:(?:and|but|so|e|y|mas|pero|ok|et|mais|und|aber|ma)\s+)?(?:(?:what|how)\s+(?:about|of)|(?:o\s+)?que\s+(?:tal|de"
    r"|dizer\s+de|hay\s+de)|(?:e\s+)?quanto|(?:en\s+)?cuanto|was\s+ist\s+mit|wie\s+ist\s+es\s+mit|qu.en\s+est-il|pour|per)?\W*"
)
"""What is left of a question that only points at one of several things."""
_SPEAK_OF = re.compile(
    r"(?:please\s+|por\s+favor,?\s+)?(?:(?:tell|teach)\s+(?:me|us)\s+(?:more\s+|something\s+)?about"
    r"|(?:talk|speak)\s+(?:about|of)"
    r"|(?:me\s+)?(?:fale|conte|diga)(?:-me)?\s+(?:mais\s+|algo\s+)?(?:sobre|d[aeo]s?)"
    r"|(?:h\u00e1bla|cu\u00e9nta|di)me\s+(?:m\u00e1s\s+|algo\s+)?(?:sobre|del?))"
    r"\s+(?P<subject>(?:\S+\s+){0,5}[^\s.?!]+)[.!]*",
    re.IGNORECASE,
)
"""How somebody is told what to speak of."""
_PRONOUN = re.compile(
    r"\b(?:they|them|it|he|she|him|eles|elas|ele|ela|ellos|ellas|\u00e9l|ella)\b", re.IGNORECASE
)
_GOING_ON = re.compile(r"^\W*(?:and|but|so|e|mas|y|pero|et|mais|und|aber|ma)\s+", re.IGNORECASE)


def _essence(question: str) -> tuple[str, bool]:
    """A long message by its questions, which mostly stand at its end; one without any by its beginning."""
    asked = question.strip()
    if len(asked) <= _LONG_QUESTION:
        return asked, False
    spans = [span for each in sentences_of(asked) if (span := trimmed(asked, each)) is not None]
    texts = [asked[start:end] for start, end in spans]
    questions = [text for text in texts if text.endswith(("?", "\uff1f", "\u061f")) and len(text) <= 600]
    kept = "\n".join(dict.fromkeys(questions[-3:]))
    return (kept or asked[:_LONG_QUESTION]), True


def _named(asked: str, before: Sequence[Spoken]) -> tuple[str, bool]:
    """The question with the thing that "the second one" or "the latter" stands for, of those named last.

    Where it asks nothing else, it is the question in which they were named, of that one alone; True then.
    """
    pointers = pointers_in(asked)
    if not pointers or len(asked.split()) > _LONGEST_POINTER:
        return asked, False
    for each, series in _series(before[-_FEW:]):
        things = things_named(each.text) if series is None else series.things
        if len(things) > 1 and all(pointer.place < len(things) for pointer in pointers):
            first, last = pointers[0], pointers[-1]
            is_bare = _BARE.fullmatch(plainly(f"{asked[: first.start]} {asked[last.end :]}")) is not None
            if series is not None and is_bare and first == last:
                return series.of(first.place), True
            return _with_things(asked, pointers, things), False
    return asked, False


def _with_things(asked: str, pointers: Sequence[Pointer], things: Sequence[str]) -> str:
    """The question with things in the place of the words that stand for them."""
    for start, end, place, link in reversed(pointers):
        asked = asked[:start] + link + things[place][:_LONGEST_ITEM] + asked[end:]
    return asked


def _series(before: Sequence[Spoken]) -> Iterator[tuple[Spoken, Asked | None]]:
    """The messages, the last first, each with what it asks of several things.

    An answer is left out where it speaks of the things that were named to it, unless it is a list.
    """
    asked = [None if each.is_ours else asked_of_several(each.text) for each in before]
    for place in reversed(range(len(before))):
        is_answer = before[place].is_ours and place > 0 and not before[place - 1].is_ours
        told = before[place].text
        if is_answer and not is_list(told):
            things = things_named(before[place - 1].text)
            if asked[place - 1] is not None or (things and all(thing in told for thing in things)):
                continue
        yield before[place], asked[place]


def _with_subject(asked: str, said: str) -> str:
    """The question with what somebody was told to speak of in the place of "they" or "it"."""
    subject = _SPEAK_OF.fullmatch(said.strip())
    if subject is None or len(asked.split()) > _LONGEST_POINTER:
        return asked
    named, count = _PRONOUN.subn(lambda _: subject["subject"], asked, count=1)
    bare = _GOING_ON.sub("", named, count=1) if count else asked
    return bare[:1].upper() + bare[1:]
