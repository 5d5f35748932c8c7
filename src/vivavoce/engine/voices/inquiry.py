"""Inquiry: a question, and the passages among which its answer is looked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from vivavoce.domain.answers.answerability import Evidence, logit_of, spoken_of, together_told
from vivavoce.domain.answers.coverage import Coverage, coverage_of
from vivavoce.domain.answers.extracting import Passage, Weighed
from vivavoce.domain.answers.reading import Candidate, Part, likeliest_parts
from vivavoce.domain.answers.repeating import Conversation
from vivavoce.domain.corpus.excerpts import excerpts_of, is_instruction
from vivavoce.domain.language.languages import UNKNOWN, language_of
from vivavoce.domain.language.words import respelled, words_of
from vivavoce.domain.questions.asked_there import is_asked_in
from vivavoce.domain.questions.expecting import Expected, expected_by
from vivavoce.domain.questions.identifiers import Identified, identified_in
from vivavoce.domain.questions.open_questions import keywords_of, subject_of, thing_in
from vivavoce.domain.questions.subjects import completed, points_back, wanted_in
from vivavoce.ports import Judge, Reading

LONGEST = 1_000
"""The most characters of a sentence that is said: long ones of treatises and statutes too."""
_READ_CHARACTERS = 6_000
"""How much of the passages a judge reads, about as many characters as it reads in a second."""
_READ_PASSAGES = 10
_FIRST = 2
"""How many sentences under the very question, or under the subject, are said."""
_OTHER_WORDS = 1
"""How many words a heading may have besides the subject."""


@dataclass(frozen=True)
class Inquiry:
    """A question, and the passages among which its answer is looked for."""

    question: str
    earlier: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    said: tuple[str, ...] = ()
    """What the one who answers has said before."""
    fresh: str | None = None
    """What the last question is asked of now; None where it is another question."""
    is_alone: bool = False
    """Whether it is read without the questions before."""

    @cached_property
    def text(self) -> str:
        """The question as somebody reads it who has not heard what was said before, in their spelling."""
        texts = [each.titled(each.text) for each in self.candidates]
        return respelled(completed(self.question, self.before), texts)

    @cached_property
    def points_back(self) -> bool:
        """Whether it is read after the question before, without which it may say little."""
        return bool(self.before) and points_back(self.question)

    @property
    def by_itself(self) -> Inquiry:
        """The same, read without the questions before."""
        return replace(self, is_alone=True)

    @property
    def before(self) -> tuple[str, ...]:
        """The questions before, as far as it is read with them."""
        return () if self.is_alone else self.earlier

    def answered_there(self) -> list[Weighed]:
        """The first sentences under this very question, where a passage asks it."""
        if self.points_back:
            return []
        for place, each in enumerate(self.candidates):
            every = excerpts_of(each.text, each.language, LONGEST)
            first = next((one for one in every if is_asked_in(self.question, one.question)), None)
            under = [
                sentence
                for sentence in self.sentences(Part(place, 0, len(each.text)))
                if first is not None and sentence.excerpt.question == first.question
            ]
            if under and under[0].excerpt == first:  # else its answer is one that is not said
                return under[:_FIRST]
        return []

    def headed(self) -> list[Weighed]:
        """The first sentences under a heading that names what an open question is about, and little else."""
        if self.subject is None:
            return []
        found: list[list[Weighed]] = []
        for place, each in enumerate(self.candidates):
            asked = words_of(self.subject, each.language).keys()
            every = self.sentences(Part(place, 0, len(each.text)))
            for heading in dict.fromkeys(one.excerpt.under for one in every if one.excerpt.under):
                named = words_of(heading, each.language).keys()
                if asked and asked <= named and len(named) <= len(asked) + _OTHER_WORDS:
                    found.append([one for one in every if one.excerpt.under == heading][:_FIRST])
        return max(found, key=len, default=[])  # a passage may end right behind the heading

    def read_on(self) -> list[Weighed]:
        """What follows the last words that were said."""
        return self._conversation.read_on([self._sayable(each) for each in range(len(self.candidates))])

    def readable_by(self, judge: Judge) -> list[Part]:
        """What a judge can read in good time, in a language that it knows, the likeliest first."""
        first = range(min(len(self.candidates), _READ_PASSAGES))
        parts = self.likeliest([each for each in first if self.is_known_to(judge, each) and self.names(each)])
        is_any = not self.identified and self._going_on is None
        return parts if is_any else [part for part in parts if self.sentences(part)]

    def is_known_to(self, judge: Judge, place: int) -> bool:
        """Whether the question and the passage at a place are in one language that a judge knows."""
        written = self.candidates[place].language
        return not judge.languages or (self.is_at_home(place) and written in judge.languages)

    def is_at_home(self, place: int) -> bool:
        """Whether the passage at a place is in the language of the question, or in none, as a price list."""
        written = self.candidates[place].language
        return written == UNKNOWN or language_of(self.question, written) == written

    def is_abroad_to(self, reader: Judge, place: int) -> bool:
        """Whether question and passage are in two languages, both of which a reader knows."""
        written = self.candidates[place].language
        is_known = not reader.languages or {language_of(self.question), written} <= reader.languages
        return not self.is_at_home(place) and is_known and self.names(place)

    def likeliest(self, places: Sequence[int]) -> list[Part]:
        """Parts of the passages at these places, the likeliest to answer first, as many as are soon read."""
        return likeliest_parts(self.question, self.before, self.candidates, places, _READ_CHARACTERS)

    @cached_property
    def subject(self) -> str | None:
        """What the question is about, where it asks for no one thing."""
        if self._going_on is not None and (thing := thing_in(self.question)) is not None:
            return thing
        if self.points_back:
            return None
        return subject_of(self.question) or self._searched

    @cached_property
    def coverage(self) -> Coverage | None:
        """How much of the passages is about that; None for a question that asks for one thing."""
        return None if self.subject is None else coverage_of(self.question, self.candidates, self.subject)

    @cached_property
    def _searched(self) -> str | None:
        """The words of a search, where something is said of all of them together."""
        searched = keywords_of(self.question)
        covered = None if searched is None else coverage_of(self.question, self.candidates, searched)
        return searched if covered is not None and covered.spoken else None

    @cached_property
    def identified(self) -> tuple[Identified, ...]:
        """What the question names by number or code."""
        return identified_in(self.question)

    def names(self, place: int) -> bool:
        """Whether the passage at a place has all that the question names by number or code."""
        each = self.candidates[place]
        return all(one.is_in(each.titled(each.text)) for one in self.identified)

    def passage(self, place: int) -> Passage:
        """A passage as sentences are looked for in it."""
        each = self.candidates[place]
        return Passage(place, each.text, each.language, each.score, each.titled(""))

    def read(self, part: Part) -> str:
        """A part of a passage, as the judge reads it."""
        each = self.candidates[part.place]
        return each.titled(each.text[part.start : part.end])

    def alone(self, sentence: Weighed) -> str:
        """A sentence by itself, under its titles, as the judge reads it."""
        return self.candidates[sentence.passage.number].alone(sentence.excerpt)

    def around(self, sentence: Weighed) -> str:
        """A sentence between its neighbours, under its titles, as far as that is a few lines."""
        passage = sentence.passage
        every = excerpts_of(passage.text, passage.language, LONGEST)
        return self.candidates[passage.number].around(sentence.excerpt, every)

    def is_told_by_title(self, sentence: Weighed) -> bool:
        """Whether the titles of a sentence have a word of the question."""
        language = sentence.passage.language
        titles = self.alone(sentence).removesuffix(sentence.excerpt.text)
        asked = {word for word in words_of(self.text, language) if not word.isdigit()}
        return not asked.isdisjoint(words_of(titles, language))

    def sentences(self, part: Part) -> list[Weighed]:
        """The sentences of a part that may be said."""
        return [
            each
            for each in self._sayable(part.place)
            if part.start <= each.excerpt.start < part.end and self.goes_on(each)
        ]

    def pointed(self, part: Part, reading: Reading, chosen: Sequence[Weighed]) -> list[Weighed]:
        """The sentence of a part in which a reader marks the answer, with the others if it was chosen too.

        Words seldom find the answer where they would say another sentence.
        """
        read, (first, last) = self.read(part), reading.marked or (0, 0)
        marked = read[first:last].lstrip()  # the space before a word may be marked too
        place = last - len(marked) - len(read) + part.end if marked else -1
        if place < part.start:  # it marks nothing, or a title
            return list(chosen)
        holding = [each for each in self.sentences(part) if _holds(each, part.place, place)]
        others = [each for each in chosen if not _holds(each, part.place, place)]
        is_chosen = not holding or len(others) < len(chosen)
        return [*holding[:1], *(others if is_chosen else ())]

    def speaking(self, parts: Sequence[Part]) -> dict[Part, list[Weighed]]:
        """The sentences of parts that may be said; to an open question those that speak of its subject.

        A title that names the subject does not make every sentence under it speak of that.
        """
        every = {part: self.sentences(part) for part in parts}
        spoken = {part: found for part, each in every.items() if (found := list(filter(self._speaks, each)))}
        return every if self.subject is None else spoken or every

    def _speaks(self, sentence: Weighed) -> bool:
        language = sentence.passage.language
        asked = words_of(self.subject or "", language).keys()
        told = words_of(self.alone(sentence), language).keys()
        return asked <= told and not asked.isdisjoint(sentence.excerpt.words)

    def goes_on(self, sentence: Weighed) -> bool:
        """Whether a conversation goes on with a sentence; not where it would be said again instead."""
        return self._going_on is None or (sentence.passage.number, sentence.excerpt.start) in self._going_on

    def news_in(self, found: Sequence[Weighed]) -> list[Weighed] | None:
        """What of the sentences was not said before; None where the first was."""
        return self._conversation.news_in(found)

    def is_told_on(self, sentence: Weighed) -> bool:
        """Whether a conversation goes on with a sentence as far as words alone tell."""
        return self.goes_on(sentence) and self._conversation.is_told_on(sentence)

    @cached_property
    def _conversation(self) -> Conversation:
        return Conversation(self.question, self.earlier, self.said, self.fresh)

    @cached_property
    def _going_on(self) -> frozenset[tuple[int, int]] | None:
        """Where the sentences begin that speak of what is newly named; None where any may be said."""
        if not self.said:
            return None
        every = [each for place in range(len(self.candidates)) for each in self._sayable(place)]
        left = self._conversation.going_on(every)
        if len(left) == len(every):
            return None
        return frozenset((each.passage.number, each.excerpt.start) for each in left)

    def _sayable(self, place: int) -> list[Weighed]:
        """The sentences of the passage at a place that may be said at all."""
        passage = self.passage(place)
        return [
            Weighed(0.0, 1.0, False, passage, excerpt)
            for excerpt in excerpts_of(passage.text, passage.language, LONGEST)
            if not is_instruction(excerpt.text)
            and passage.is_of(self.identified, excerpt)
            and not any(heading.endswith(excerpt.text) for heading in self.candidates[place].headings)
        ]

    def spoken(self, place: int) -> tuple[float, float]:
        """Which share of what is asked the passage at a place speaks of, and how many names it lacks."""
        each = self.candidates[place]
        words = words_of(each.titled(each.text), each.language)
        return spoken_of(wanted_in(self.question, self.before, each.language).against(words), words)

    def expected(self, place: int) -> Expected | None:
        """The kind of thing that is asked for, in the language of the passage at a place."""
        language = self.candidates[place].language
        is_foreign = language_of(self.question, language) != language
        return None if is_foreign else expected_by(self.question, language)

    def has_what_is_asked(self, sentence: Weighed) -> bool:
        """Whether a sentence has the number, the date or the reason that is asked for, where one is."""
        expected = self.expected(sentence.passage.number)
        return expected is None or not expected.is_told_alike or expected.is_in(sentence.excerpt.text)

    def evidence(self, place: int) -> Evidence:
        """What the words of the passage at a place tell."""
        each = self.candidates[place]
        words = words_of(each.titled(each.text), each.language)
        wanted = wanted_in(self.question, self.before, each.language).against(words)
        expected = self.expected(place)
        title = words_of(each.titled(""), each.language)
        sentences = excerpts_of(each.text, each.language, len(each.text))
        told = together_told(wanted, expected, title, sentences)
        return Evidence(*self.spoken(place), *told, score=logit_of(each.score))


def _holds(sentence: Weighed, passage: int, place: int) -> bool:
    excerpt = sentence.excerpt
    return sentence.passage.number == passage and excerpt.start <= place < excerpt.start + len(excerpt.text)
