"""The mixture: from where each lesson is drawn, and which of them are taught together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from courses import Course
from lessons import NOWHERE, SOMEWHERE, Asked, Lesson, Lessons, Tokenizer
from negatives import cut_paragraph, other_paragraph, swapped_question
from questions import LANGUAGES, questions_in
from rows import DERIVED, PAIRS, Row, Source

BATCH = 16
_WEIGHTS = {PAIRS: 0.82, DERIVED: 0.18}
_TITLED = 0.8
"""How many texts are read with their title before them."""
_OTHER, _CUT = 0.20, 0.56
"""Of the negatives, up to here: another paragraph; up to there: a cut one; from there: a swapped question."""
_SORTED = 24
"""Batches whose lessons are sorted by length together, so that little is padded."""


class Mixture:
    """Lessons without end, of kinds that chance picks."""

    def __init__(self, folder: Path, tokenizer: Tokenizer, course: Course, rng: Random) -> None:
        self._course, self._rng, self._lessons = course, rng, Lessons(tokenizer, course.layout, rng)
        self._sources = [Source.read(folder / name, course.shares) for name in _WEIGHTS]
        self._families = {language: Source.of_families(language) for language in LANGUAGES}
        self._own = {
            language: [each for each in questions_in(language) if not each.is_held_out]
            for language in LANGUAGES
        }

    def batches(self) -> Iterator[list[Lesson]]:
        """Batches of lessons that are about as long as each other."""
        while True:
            drawn = [self.drawn() for _ in range(BATCH * _SORTED)]
            drawn.sort(key=lambda lesson: len(lesson.ids) + self._rng.random() * 4)
            batches = [drawn[start : start + BATCH] for start in range(0, len(drawn), BATCH)]
            self._rng.shuffle(batches)
            yield from batches

    def drawn(self) -> Lesson:
        """One lesson."""
        dice, language = self._rng.random(), "en" if self._rng.random() < self._course.english else "pt"
        if dice < self._course.own:
            return self.drawn_of_own(language)
        if dice < self._course.families:
            return self.drawn_from(self._families[language])
        return self.drawn_from(self._rng.choices(self._sources, [*_WEIGHTS.values()])[0])

    def drawn_of_own(self, language: str) -> Lesson:
        """A question of our own: where it is answered, nobody said at which place."""
        question = self._rng.choice(self._own[language])
        asked = Asked(question.text, self._title(question.title), question.passage)
        lesson = self._lessons.lesson(asked)
        assert lesson is not None, "without a span there is always a lesson"
        place = SOMEWHERE if question.is_answered else NOWHERE
        return lesson._replace(first=place, last=place, is_answered=question.is_answered)

    def drawn_from(self, source: Source) -> Lesson:
        """A row as it is, or made into a question without an answer."""
        while True:
            pool = self._rng.choices(source.pools, [pool.weight for pool in source.pools])[0]
            row = self._rng.choice(pool.rows)
            title = self._title(row["title"])
            lesson = (
                self._of_answered(row, title, source, pool.unanswered)
                if row["answerable"]
                else self._lessons.lesson(Asked(row["question"], title, row["context"]))
            )
            if lesson is not None:
                return lesson

    def _of_answered(self, row: Row, title: str, source: Source, unanswered: float) -> Lesson | None:
        answer, dice = self._rng.choice(row["answers"]), self._rng.random()
        asked, lesson = Asked(row["question"], title, row["context"]), self._lessons.lesson
        if dice > unanswered:
            span = answer["start"], answer["start"] + len(answer["text"])
            return lesson(asked._replace(answer=span), may_shorten=True)
        if dice < unanswered * _OTHER:
            text = other_paragraph(row, source, self._rng)
            return None if text is None else lesson(asked._replace(text=text), may_shorten=True)
        if dice < unanswered * _CUT:
            text = cut_paragraph(row)
            return None if text is None else lesson(asked._replace(text=text))
        question = swapped_question(row, self._rng)
        return None if question is None else lesson(asked._replace(question=question))

    def _title(self, title: str) -> str:
        return title if self._rng.random() < _TITLED else ""
