"""Repeating: what was said in a conversation is not said again where another sentence goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from vivavoce.domain.corpus.excerpts import excerpts_of, is_instruction
from vivavoce.domain.language.languages import language_of
from vivavoce.domain.language.words import words_of
from vivavoce.domain.questions.expecting import expected_by
from vivavoce.domain.questions.giving import may_give
from vivavoce.domain.questions.question_words import QuestionWord, question_word_in
from vivavoce.domain.questions.standalone import Standalone
from vivavoce.domain.questions.subjects import Wanted, names_its_own, points_back, wanted_in

from .antecedents import meant_in
from .extracting import Extract, Passage, Weighed, extracts_of, weighed_for


class Conversation:
    """A question, and what was said before it."""

    def __init__(
        self, question: str, earlier: Sequence[str], said: Sequence[str], fresh: str | None = None
    ) -> None:
        """`earlier` is what people said, `said` what the one who answers said, the last one last.

        `fresh` is the thing of which the last question is asked again, empty where another thing is asked of
        the same, and None where it is another question.
        """
        self._question, self._said, self._fresh = question, said, fresh
        self._before = earlier[-1] if earlier else ""
        self._meant = meant_in(question, earlier, said)
        self._words: dict[str, list[Mapping[str, int]]] = {}

    def going_on(self, weighed: Sequence[Weighed]) -> list[Weighed]:
        """Only the sentences that speak of what is newly named, where some of the others were said.

        All of them where nothing is, or where what was said tells more of it. Where the last question is
        asked again, what was said and lacks what is now asked for is not said again: a time, a place, a
        reason, or what is newly named.
        """
        if not self._said:
            return list(weighed)
        every = [each for each in weighed if self._may_be_said(each)]
        if self._fresh is not None or self._is_new or not names_its_own(self._question):
            return every
        kept: list[Weighed] = []
        for language in {each.passage.language for each in every}:
            own = [each for each in every if each.passage.language == language]
            told = _Told.of(self._question, self._before, self._said_in(language), language)
            kept += _going_on(own, told)
        places = {(each.passage.number, each.excerpt.place) for each in kept}
        left = [each for each in every if (each.passage.number, each.excerpt.place) in places]
        return left or every

    def is_said(self, sentence: Weighed) -> bool:
        """Whether a sentence was said before."""
        return self._says(self._said, sentence)

    def news_in(self, found: Sequence[Weighed]) -> list[Weighed] | None:
        """What of the sentences was not said before; None where the first was.

        Then it answers the question before, and this one must be read by itself; unless it has all that this
        one asks for, too.
        """
        if found and self.is_said(found[0]) and self._has_all(found[0]):
            return list(found)
        new = [each for each in found if not self.is_said(each)]
        return new if new[:1] == list(found[:1]) else None

    def _has_all(self, sentence: Weighed) -> bool:
        """Whether a sentence has the words of the question, or the kind of thing where it has no words."""
        language = sentence.passage.language
        wanted = wanted_in(self._question, (), language).words.keys()
        expected = expected_by(self._question, language)
        is_given = expected is not None and expected.is_in(sentence.excerpt.text)
        return wanted <= _words(sentence) if wanted else is_given

    def is_told_on(self, sentence: Weighed) -> bool:
        """Whether words alone tell that a sentence answers the last question, asked again.

        It names the thing of which that is asked now. Where another thing is asked of the same, it has a word
        of the question, or follows what was said.
        """
        if self._fresh is None or not self._said:
            return True
        if self._fresh:
            return self._names_it(sentence)
        language = sentence.passage.language
        if not wanted_in(self._question, (), language).words.keys().isdisjoint(sentence.excerpt.words):
            return True
        every = excerpts_of(sentence.passage.text, language)
        before = [each for each in every if each.place == sentence.excerpt.place - 1]
        return any(self.is_said(sentence._replace(excerpt=each)) for each in before)

    def read_on(self, passages: Sequence[Sequence[Weighed]]) -> list[Weighed]:
        """What follows the last words that were said, in the first passage that has more under their heading.

        Each of the passages is given by its sentences in reading order.
        """
        for each in passages:
            last = [place for place, one in enumerate(each) if self._says(self._said[-1:], one)]
            if last:
                under = each[last[-1]].excerpt.under
                after = [one for one in each[last[-1] + 1 :] if not self.is_said(one)]
                on = [one for one in after[:_MORE] if one.excerpt.under == under]
                if on:
                    return on
        return []

    def _may_be_said(self, sentence: Weighed) -> bool:
        """Whether a sentence gives what is now asked for, or is at least a new one, and of what is meant.

        Any sentence may answer another question, whatever was said before. Where another thing is
        asked of the same, a new one must give it too: in all else it answers the last question as well.
        """
        if self._meant is not None and self._meant.is_of_another(sentence):
            return False
        if self._fresh is None:
            return True
        word = self._asked
        is_given = word is None or may_give(word.kind, sentence.excerpt.text, self._question)
        if self._fresh == "":
            return is_given
        return (is_given and self._names_it(sentence)) or not self.is_said(sentence)

    @cached_property
    def _is_new(self) -> bool:
        """Whether the question is complete, and about nothing that was said last."""
        if not self._before or points_back(self._question):
            return False
        language = language_of(self._question)
        last = words_of(self._said[-1], language).keys()
        return wanted_in(self._question, (), language).words.keys().isdisjoint(last)

    @cached_property
    def _asked(self) -> QuestionWord | None:
        return question_word_in(self._question)

    def _names_it(self, sentence: Weighed) -> bool:
        own = words_of(self._fresh or "", sentence.passage.language).keys()
        return not own or not own.isdisjoint(_words(sentence))

    def _says(self, said: Sequence[str], sentence: Weighed) -> bool:
        known = self._said_in(sentence.passage.language)
        return any(_says(each, sentence) for each in known[len(known) - len(said) :])

    def _said_in(self, language: str) -> list[Mapping[str, int]]:
        """What was said, as stems of a language."""
        if language not in self._words:
            self._words[language] = [words_of(text, language) for text in self._said]
        return self._words[language]


def extracts_after(asked: Standalone, passages: Sequence[Passage]) -> list[Extract]:
    """The few sentences that answer best in a conversation, as far as words alone tell."""
    conversation = Conversation(asked.question, asked.earlier, asked.said, asked.fresh)
    if asked.is_more:
        on = conversation.read_on([_sentences_in(each) for each in passages])
        return [Extract.cleaned(each.passage.number, each.excerpt.text) for each in on]
    found = _found(conversation, asked, passages)
    if asked.earlier and points_back(asked.question):
        new = conversation.news_in(found)
        found = _found(conversation, asked._replace(earlier=()), passages) if new is None else new
    return extracts_of(found)


def _found(conversation: Conversation, asked: Standalone, passages: Sequence[Passage]) -> list[Weighed]:
    left = conversation.going_on(weighed_for(asked.question, asked.earlier, passages))
    return [each for each in left if conversation.is_told_on(each)]


_MORE = 2
"""How many sentences are said where more is asked for."""
_SAME = 0.8
"""From this share of the words of the shorter on, a sentence says what a message says."""
_FEWEST = 3
"""Fewer words may be part of anything."""


class _Told(NamedTuple):
    """What a question asks for, and what was told before."""

    wanted: Wanted
    new: frozenset[str]
    """Words of the question that the one before it does not have."""
    said: Sequence[Mapping[str, int]]

    @classmethod
    def of(cls, question: str, before: str, said: Sequence[Mapping[str, int]], language: str) -> _Told:
        wanted = wanted_in(question, (), language)
        new = wanted.words.keys() - wanted_in(before, (), language).words.keys()
        return cls(wanted, frozenset(new), said)

    def worth(self, sentence: Weighed) -> tuple[float, float]:
        """How much of the question a sentence holds, and how well it is of the kind that answers."""
        held = self.wanted.words.keys() & _words(sentence)
        return sum(self.wanted.words[word] for word in held), self.wanted.fit(sentence.excerpt.text)


def _sentences_in(passage: Passage) -> list[Weighed]:
    every = excerpts_of(passage.text, passage.language)
    return [Weighed(0.0, 1.0, False, passage, each) for each in every if not is_instruction(each.text)]


def _going_on(weighed: Sequence[Weighed], told: _Told) -> list[Weighed]:
    """The sentences in one language that are new and speak of what is new; none where none was said."""
    known = [any(_says(each, sentence) for each in told.said) for sentence in weighed]
    worths = [told.worth(sentence) for sentence, is_known in zip(weighed, known, strict=True) if is_known]
    if not worths:
        return []
    most, fittest = (max(each) for each in zip(*worths, strict=True))
    left = [sentence for sentence, is_known in zip(weighed, known, strict=True) if not is_known]
    left = [sentence for sentence in left if told.new & _words(sentence)]
    worthy = [(sentence, *told.worth(sentence)) for sentence in left]
    return [sentence for sentence, held, fit in worthy if held >= most and fit >= fittest]


def _says(said: Mapping[str, int], sentence: Weighed) -> bool:
    own = sentence.excerpt.words.keys()
    fewer = min(len(own), len(said))
    return fewer >= _FEWEST and len(own & said.keys()) >= _SAME * fewer


def _words(sentence: Weighed) -> frozenset[str]:
    """The words of a sentence and of what it stands under."""
    return frozenset(sentence.excerpt.words) | frozenset(sentence.excerpt.context)
