"""Negatives: answered rows made into questions that a text does not answer, though it is near."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from families import words_of
from rows import Row, Source
from sentences import spans_of

_LOOKED_AT = 12
"""Paragraphs of the article among which the nearest is looked for."""
_UPPER = "[A-ZÁÉÍÓÚÂÊÔÃÕÇ]"
_NAME = re.compile(rf"(?<=[a-z,] ){_UPPER}[\w'-]+(?: (?:of |de |da |do |dos |das |the )?{_UPPER}[\w'-]+)*")
_NUMBER = re.compile(r"\b\d[\d.,]*\d\b|\b\d\b")
_STEPS = (-40, -7, -3, 2, 5, 30)
"""How far a number is moved where the text has none to put for it."""
_PAIRS = """
first last, largest smallest, most least, before after, highest lowest, oldest newest, increase decrease,
increased decreased, more fewer, north south, east west, northern southern, eastern western, begin end,
began ended, longest shortest, earliest latest, minimum maximum, won lost, male female, men women, best worst,
majority minority, primeiro último, primeira última, maior menor, mais menos, antes depois, norte sul,
leste oeste, começou terminou, máximo mínimo, mínima máxima, homens mulheres, venceu perdeu, melhor pior,
public private, winter summer, inverno verão
"""
_OPPOSITES = {
    word: other
    for pair in (written.split() for written in _PAIRS.split(","))
    for word, other in (pair, pair[::-1])
}


def other_paragraph(row: Row, source: Source, rng: Random) -> str | None:
    """Another paragraph of the article that shares words with the question, but has no answer."""
    beside = source.beside(row)
    asked, answers = words_of(row["question"]), [answer["text"].lower() for answer in row["answers"]]
    near = [
        (len(asked & words) + rng.random(), context)
        for context, words in rng.sample(beside, min(_LOOKED_AT, len(beside)))
        if not any(answer in context.lower() for answer in answers)
    ]
    return max(near)[1] if near else None


def cut_paragraph(row: Row) -> str | None:
    """The paragraph without the sentences that have the answer."""
    context, first = row["context"], row["answers"][0]["start"]
    answers = [answer["text"].lower() for answer in row["answers"]]
    kept = [
        context[start:end]
        for start, end in spans_of(context)
        if not start <= first < end and not any(answer in context[start:end].lower() for answer in answers)
    ]
    return "".join(kept).strip() or None if len(kept) > 1 else None


def swapped_question(row: Row, rng: Random) -> str | None:
    """The question with a name, a number or a word put for another one."""
    ways = [*_other_names(row, rng), *_other_numbers(row, rng), *_opposites(row["question"])]
    if not ways:
        return None
    found, instead = rng.choice(ways)
    return row["question"][: found.start()] + instead + row["question"][found.end() :]


_Way = tuple[re.Match[str], str]


def _other_names(row: Row, rng: Random) -> Iterator[_Way]:
    there = _unsaid(_NAME, row)
    for found in _NAME.finditer(row["question"]):
        name = found.group()
        alike = [
            each for each in there if name not in each and abs(len(each.split()) - len(name.split())) <= 1
        ]
        if alike:
            yield found, rng.choice(alike)


def _other_numbers(row: Row, rng: Random) -> Iterator[_Way]:
    there = _unsaid(_NUMBER, row)
    for found in _NUMBER.finditer(row["question"]):
        number = found.group()
        alike = [each for each in there if len(each) == len(number)]
        if not alike and number.isdigit():
            alike = [str(max(1, int(number) + rng.choice(_STEPS)))]
        if alike:
            yield found, rng.choice(alike)


def _opposites(question: str) -> Iterator[_Way]:
    for found in re.finditer(r"\w+", question):
        if found.group() in _OPPOSITES:
            yield found, _OPPOSITES[found.group()]


def _unsaid(pattern: re.Pattern[str], row: Row) -> list[str]:
    """What the context has of this pattern and neither question nor answers have."""
    answers = " ".join(answer["text"] for answer in row["answers"])
    found = pattern.findall(row["context"])
    return [each for each in found if each not in row["question"] and each not in answers]
