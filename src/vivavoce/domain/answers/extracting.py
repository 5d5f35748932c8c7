"""Extracting: the sentences of passages that answer a question, word for word."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vivavoce.domain.claims.citing import Citing
from vivavoce.domain.corpus.excerpts import LONGEST, Excerpt, excerpts_of, is_instruction
from vivavoce.domain.questions.expecting import Expected
from vivavoce.domain.questions.identifiers import Identified, identified_in
from vivavoce.domain.questions.subjects import Wanted, wanted_in


class Extract(NamedTuple):
    """A sentence that answers, and the number of the passage that it stands in."""

    number: int
    text: str

    @classmethod
    def cleaned(cls, number: int, text: str) -> Extract:
        """The sentence without marks of its own, which would be taken for ours."""
        citing = Citing(known=99)
        pieces = [*citing.feed(text), *citing.end()]
        return cls(number, "".join(piece for piece in pieces if isinstance(piece, str)).strip())


class Passage(NamedTuple):
    """A passage that may answer."""

    number: int
    text: str
    language: str
    score: float
    """How likely it answers, from 0 to 1."""
    title: str = ""
    """The titles that it stands under."""

    def is_of(self, named: Sequence[Identified], excerpt: Excerpt) -> bool:
        """Whether a sentence of it speaks of all that a question names by number or code."""
        end = excerpt.start + len(excerpt.text)
        return all(each.is_in(self.title) or each.is_of(self.text, excerpt.start, end) for each in named)

    @property
    def words(self) -> frozenset[str]:
        """The words that it is found by."""
        every = excerpts_of(self.text, self.language)
        return frozenset[str]().union(*(each.words for each in every), *(each.context for each in every))


def extracts_for(question: str, earlier: Sequence[str], passages: Sequence[Passage]) -> list[Extract]:
    """The few sentences that answer best, those of a passage in reading order; none where none is good.

    `earlier` are the person's messages before, the last one last: they complete a question such as
    "and the second one?".
    """
    return extracts_of(weighed_for(question, earlier, passages))


def extracts_of(weighed: Sequence[Weighed]) -> list[Extract]:
    """The few best of sentences that were weighed, those of a passage in reading order."""
    return [Extract.cleaned(each.passage.number, each.excerpt.text) for each in in_order(_chosen(weighed))]


class Weighed(NamedTuple):
    """A sentence, and what speaks for it."""

    score: float
    share: float
    """Which share of the question's words it holds, weighed."""
    is_likely: bool
    """Whether it is of the kind that answers, in a passage that is trusted to answer."""
    passage: Passage
    excerpt: Excerpt


def weighed_for(
    question: str, earlier: Sequence[str], passages: Sequence[Passage], longest: int = LONGEST
) -> list[Weighed]:
    """The sentences of at most so many characters that may answer at all and may be said, best first."""
    weighed: list[Weighed] = []
    for language in {passage.language for passage in passages}:
        own = [passage for passage in passages if passage.language == language]
        weighed += _weighed(wanted_in(question, earlier, language), own, longest)
    named = identified_in(question)
    weighed = [each for each in weighed if each.passage.is_of(named, each.excerpt)]
    weighed.sort(key=lambda each: (-each.score, each.passage.number, each.excerpt.place))
    return weighed


def best_of(weighed: Sequence[Weighed], least: float) -> list[Weighed]:
    """The first, and those that have at least so high a score and say something else."""
    chosen = list(weighed[:1])
    size = sum(len(each.excerpt.text) for each in chosen)
    for each in weighed[1:]:
        if each.score < least or len(chosen) == _MOST:
            break
        is_new = not any(_are_alike(each.excerpt, other.excerpt) for other in chosen)
        if (
            is_new
            and each.share >= _CONTEXT * chosen[0].share
            and size + len(each.excerpt.text) <= _MOST_CHARACTERS
        ):
            chosen.append(each)
            size += len(each.excerpt.text)
    return chosen


def with_kind_first(weighed: Sequence[Weighed], expected: Expected | None) -> list[Weighed]:
    """The sentences; where the first lacks what is asked for and one near it has it, those that have it.

    A reason is often given by another sentence than the one that says what it is the reason for.
    """
    every = list(weighed)
    if expected is None or expected.kind == "reason" or not every or expected.is_in(every[0].excerpt.text):
        return every
    first = every[0]
    having = [each for each in every if expected.is_in(each.excerpt.text)]
    is_near = any(
        each.passage.number == first.passage.number and each.share >= _HAVING * first.share for each in having
    )
    return having if is_near else every


def in_order(chosen: Sequence[Weighed]) -> list[Weighed]:
    """Best passage first and each in reading order, with the sentence that another points back to."""
    kept: dict[int, dict[int, Weighed]] = {}
    for each in ranked(chosen):
        kept.setdefault(each.passage.number, {})[each.excerpt.place] = each
    return [places[place] for places in kept.values() for place in sorted(places)]


def ranked(chosen: Sequence[Weighed]) -> list[Weighed]:
    """Best first, each followed by the sentence that it points back to."""
    kept: dict[tuple[int, int], Weighed] = {}
    for each in chosen:
        kept.setdefault((each.passage.number, each.excerpt.place), each)
        before = _before(each) if each.excerpt.points_back else None
        if before is not None:
            kept.setdefault((each.passage.number, before.place), each._replace(excerpt=before))
    return list(kept.values())


_MOST = 3
_MOST_CHARACTERS = 900
_GOOD = 0.42
"""The least score of a sentence that is given."""
_OF_THE_BEST = 0.78
"""And which share of the best one's score each other must have."""
_SHARE, _FIT, _TRUST, _BREVITY = 0.7, 0.15, 0.25, 0.04
"""What the words, the kind of sentence, the passage's score and a short sentence count."""
_SHORT = 220
_CONTEXT = 0.6
"""What a word of the heading above counts, next to one of the sentence itself."""
_HAVING = 0.25
"""Which share of the words of the first sentence another holds that has what is asked for in its place."""
_SAME_QUESTION = 0.7
"""From this share on, the question above a sentence is the one that was asked."""
_LIKELY = 0.75
"""From this score on a passage is trusted to answer, although it does so in other words."""
_FOREIGN = 0.4
"""What a word weighs that no sentence has because they speak another language."""
_ROOT = 5
"""Words of which so many letters are the same are of one root; one less across languages."""
_OTHERS = 8
"""Sentences that are thought to be there as well, so that rarity means something among few."""


def _weighed(wanted: Wanted, passages: Sequence[Passage], longest: int) -> list[Weighed]:
    """The excerpts of passages in one language that may answer at all."""
    pairs = [
        (each, excerpt) for each in passages for excerpt in excerpts_of(each.text, each.language, longest)
    ]
    rarity = _rarity(wanted, [excerpt for _, excerpt in pairs])
    whole = sum(rarity.values())
    scored = []
    named = {each.number for each in passages if not wanted.names or wanted.names & each.words}
    for passage, excerpt in pairs:
        if passage.number not in named or is_instruction(excerpt.text):
            continue  # it speaks of someone else, or to a model
        held = rarity.keys() & excerpt.words.keys()
        own = sum(rarity[word] for word in held)
        above = sum(rarity[word] for word in (rarity.keys() & excerpt.context.keys()) - held)
        may_be_likely = wanted.is_telling and passage.score >= _LIKELY
        if own or above or may_be_likely:
            share = _share(own, above, whole, excerpt.rank)
            fit = wanted.fit(excerpt.text)
            trust = min(1.0, max(0.0, passage.score))
            brevity = 1 if len(excerpt.text) <= _SHORT else 0
            score = _SHARE * share + _FIT * fit + _TRUST * trust + _BREVITY * brevity
            scored.append(Weighed(score, share, may_be_likely and fit == 1, passage, excerpt))
    return scored


def _share(own: float, above: float, whole: float, rank: int | None) -> float:
    if whole == 0:
        return 0.0
    share = (own + _CONTEXT * above) / whole
    if rank is None or own + above < _SAME_QUESTION * whole:
        return share
    return max(share, 0.95 - 0.08 * rank)  # the answer to this very question, whatever its words


def _rarity(wanted: Wanted, excerpts: Sequence[Excerpt]) -> dict[str, float]:
    """What each word of the question weighs: its own weight, and more where few sentences have it."""
    weights = {}
    for word, weight in _in_their_words(wanted, excerpts).items():
        having = sum(word in each.words or word in each.context for each in excerpts)
        weights[word] = weight * math.log1p((len(excerpts) + _OTHERS) / (having + 1))
    return weights


def _in_their_words(wanted: Wanted, excerpts: Sequence[Excerpt]) -> Mapping[str, float]:
    """The words of the question; one that no sentence has is replaced by a word of the same root."""
    known = set().union(*(each.words for each in excerpts), *(each.context for each in excerpts))
    if wanted.words.keys() <= known:
        return wanted.words
    length = _ROOT - 1 if wanted.is_foreign else _ROOT
    words: dict[str, float] = {}
    for word, weight in wanted.words.items():
        has_like = wanted.shares_roots and word not in known and len(word) >= length
        alike = (each for each in known if each[:length] == word[:length]) if has_like else ()
        their = word if word in known else min(alike, default=None)
        if their is None:
            words[word] = weight * (_FOREIGN if wanted.is_foreign else 1)
        else:
            words[their] = max(weight, words.get(their, 0.0))
    return words


def _chosen(weighed: Sequence[Weighed]) -> list[Weighed]:
    """The best, and those that are nearly as good and say something else; none where none is good."""
    best = next(iter(weighed), None)
    if best is None or best.score < _GOOD or best.share < _least_share(best.passage):
        return [each for each in weighed if each.is_likely][:1]
    return best_of(weighed, max(_GOOD, _OF_THE_BEST * best.score))


def _least_share(passage: Passage) -> float:
    """Which share of the question a sentence must hold: the less, the likelier the passage answers."""
    return min(0.6, max(0.2, 0.68 - 0.6 * passage.score))


def _are_alike(one: Excerpt, other: Excerpt) -> bool:
    both = one.words.keys() | other.words.keys()
    return not both or len(one.words.keys() & other.words.keys()) / len(both) > 0.7


def _before(scored: Weighed) -> Excerpt | None:
    """The sentence right before one, where it may be said."""
    for each in excerpts_of(scored.passage.text, scored.passage.language):
        if each.place == scored.excerpt.place - 1:
            return None if is_instruction(each.text) else each
    return None
