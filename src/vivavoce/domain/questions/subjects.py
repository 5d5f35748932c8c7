"""Questions: which words they are about, and what kind of sentence would answer them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from vivavoce.domain.language.languages import asking_words, language_of, small_words
from vivavoce.domain.language.vocabulary import words
from vivavoce.domain.language.words import compounds_of, folded, words_of

from .answer_kinds import ANSWER_KINDS
from .question_words import question_word_in

_NONE: Mapping[str, frozenset[str]] = MappingProxyType({})


class Wanted(NamedTuple):
    """What a question asks for."""

    words: Mapping[str, float]
    """The stems that it is about, and what each weighs."""
    kinds: frozenset[str]
    """price, count, measure, time, person, definition: what an answer holds besides the words."""

    names: frozenset[str]
    """The stems of those that are names, of which an answer speaks."""
    is_foreign: bool
    """Whether the question is in another language than the stems."""
    shares_roots: bool = True
    """Whether words of one beginning are of one root: not between German *Garten* and English *garter*."""
    compounds: Mapping[str, frozenset[str]] = _NONE
    """Words that it writes with a hyphen, as one word, and the words that each is made of."""
    asks_leave: bool = False
    """Whether it asks what is allowed, which a text says in other words."""

    def against(self, known: Collection[str]) -> Wanted:
        """The same, to be held against known words, in the way in which they write a word with a hyphen.

        Among words of another language a word has no like, only itself.
        """
        wanted = self._written_as(known)
        if self.asks_leave and (leave := min(_LEAVE.intersection(known), default="")):
            wanted = wanted._replace(words={**wanted.words, leave: 1.0})
        if self.shares_roots:
            return wanted
        marked = {word if word in known else f"{_FOREIGN}{word}": told for word, told in wanted.words.items()}
        return wanted._replace(words=marked)

    def _written_as(self, known: Collection[str]) -> Wanted:
        words = dict(self.words)
        for joined, parts in self.compounds.items():
            if joined in known and not parts.issubset(known):
                words[joined] = max((words.pop(part) for part in parts if part in words), default=1.0)
        return self._replace(words=words) if words.keys() != self.words.keys() else self

    @property
    def asks_kind_alone(self) -> bool:
        """Whether it asks but for a kind of thing of what it names: "how high is Mount Pell?"."""
        others = self.words.keys() - self.names
        return bool(self.names) and all(self.words[word] <= _OF_KIND for word in others)

    @property
    def is_telling(self) -> bool:
        """Whether the kind alone tells an answer from another sentence, whatever its words."""
        return not self.kinds.isdisjoint(("price", "count", "time"))

    def fit(self, sentence: str) -> float:
        """How well a sentence is of the kind that answers, from 0 to 1; in the middle where any is."""
        if not self.kinds:
            return 0.4
        return max(ANSWER_KINDS[kind].fit(sentence) for kind in self.kinds)


def wanted_in(question: str, earlier: Sequence[str], language: str) -> Wanted:
    """What a question asks for, its words in the stems of a language.

    A question that points back is about the person's last messages too, but less.
    """
    asked = question[:_LONGEST]
    telling = dict.fromkeys(_words(asked, language), 1.0)
    if points_back(asked):
        for said, weight in zip(reversed(earlier), _EARLIER, strict=False):
            for word in _words(said[:_LONGEST], language):
                telling.setdefault(word, weight)
    own = language_of(asked, language)
    plain = folded(asked)
    kinds = {name: found for name, kind in ANSWER_KINDS.items() if (found := kind.asked.search(plain))}
    if len(kinds) > 1:  # "what is the price?" is answered by a price
        kinds.pop("definition", None)
    for found in kinds.values():
        for word in words_of(" ".join(_telling(found.group(), own)), language):
            telling[word] = min(_OF_KIND, telling.get(word, _OF_KIND))
    is_foreign = own != language
    names = frozenset() if is_foreign else names_in(asked, language)
    shares_roots = not is_foreign or {own, language} <= _NEAR
    compounds = compounds_of(asked, language)
    asks_leave = own in _ASKING_LEAVE and _ASKING_LEAVE[own].match(folded(asked)) is not None
    return Wanted(telling, frozenset(kinds), names, is_foreign, shares_roots, compounds, asks_leave)


def completed(question: str, earlier: Sequence[str]) -> str:
    """The question, after the message that it points back to."""
    asked = question[:_LONGEST]
    return f"{earlier[-1][:_LONGEST]} {asked}" if earlier and points_back(asked) else asked


def telling_words(question: str, language: str) -> frozenset[str]:
    """The words of a question that say what it is about, folded, without letters that stand alone."""
    telling = " ".join(_telling(question, language))
    return frozenset(word for word in _PLAIN.findall(folded(telling)) if len(word) > 1 or word.isdigit())


def has_words(question: str) -> bool:
    """Whether there is anything to look for: a Latin letter that stands alone is no word."""
    return _LOOKED_FOR.search(question[:_LONGEST]) is not None


def points_back(question: str) -> bool:
    """Whether a question cannot be understood without what was said before it."""
    own = language_of(question)
    plain = [folded(match.group()) for match in _WORD.finditer(question)]
    telling = list(_words(question, own))
    if not telling:
        return True
    if len(telling) > _FEW:
        return False
    word = question_word_in(question)
    if word is not None and word.kind != "reason" and len(_WORD.findall(question, word.end)) == 1:
        return True  # "who paid?", but neither "who is Ann?" nor "why bees?"
    if len(telling) == 1 and own in _SUBJECTS and _SUBJECTS[own].search(question) is not None:
        return True
    goes_on = bool(plain) and (plain[0] in _GOING_ON or plain[:2] in _WHAT_ABOUT)
    return goes_on or _stands_for_another(plain, own)


def names_in(text: str, language: str) -> frozenset[str]:
    """The stems of words with a capital that begin no sentence; none where capitals say nothing."""
    names = [name for found in _NAME.finditer(text) for name in _words(found.group(), language)]
    plain = sum(word.group()[0].islower() for word in _WORD.finditer(text))
    return frozenset(names) if plain >= len(names) and language != "de" else frozenset()


def has_pronoun(question: str) -> bool:
    """Whether a word of a question stands for something that was spoken of: "how long is she?"."""
    subjects = _SUBJECTS.get(language_of(question))
    plain = [folded(match.group()) for match in _WORD.finditer(question)]
    return not _PRONOUNS.isdisjoint(plain) or (subjects is not None and subjects.search(question) is not None)


def names_its_own(question: str) -> bool:
    """Whether a short question names a thing itself: "and thyme?", but not "and who grew it?"."""
    own = language_of(question)
    plain = [folded(match.group()) for match in _WORD.finditer(question)]
    telling = list(_words(question, own))
    return 0 < len(telling) <= _FEW and not _stands_for_another(plain, own)


_LONGEST = 2_000
_NEAR = frozenset({"pt", "es"})
"""Languages of which most words have their like in the other."""
_FOREIGN = "\u2260"
"""Stands before a word that no text has."""
_FEW = 3
_EARLIER = (0.6, 0.3)
"""What a word of the last message weighs, and of the one before."""
_OF_KIND = 0.5
"""And a word such as "price", which an answer says in figures."""
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W\d_]+)?")
_PLAIN = re.compile(r"[^\W_]+")
_ELISION = re.compile(r"^(?:[cdjlmnst]|qu)['\u2019]")
_ASKING_LEAVE = {
    "es": re.compile(r"\W*(?:puedo|podemos|se pueden?|esta permitid)"),
    "fr": re.compile(r"\W*(?:est-ce qu(?:e je peux|.on peut)|peut-on|puis-je|pouvons-nous)"),
    "de": re.compile(r"\W*(?:darf|durfen|kann (?:man|ich)|konnen (?:wir|sie))\b"),
    "it": re.compile(r"\W*(?:posso|possiamo|si puo|si possono|e permess)"),
}
_LEAVE = words(
    "permit prohib perm autoris interd admis defendu darf durf erlaubt verbot gestatt zulass untersagt",
    "permess viet ammess consent",
)
"""Stems of words that allow and forbid."""
_LOOKED_FOR = re.compile(r"[^\W_]{2}|\d|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff\uac00-\ud7a3]")
"""Two letters, a figure, or a letter of a script of which one may be a word."""
_NAME = re.compile(r"(?<=[^\W_][ ])[A-Z\u00c0-\u00dd][\w'-]*|(?<=[,;][ ])[A-Z\u00c0-\u00dd][\w'-]*")
_GOING_ON = words(
    "and or but so e ou mas y o pero entonces entao et mais alors und aber ma",
)
_WHAT_ABOUT = (["what", "about"], ["what", "of"], ["what", "if"], ["what", "else"], ["how", "about"])
_PRONOUNS = words(
    "it its that this they them he she him her one ones same those these",
    "isso isto ele ela eles elas dele dela deles esse essa este esta",
    "eso esto ellos ellas ese",
    "cela celui celle ceux celles ihn ihm ihnen dies",
    "diese dieser loro lui questo questa quello quella",
)
_ORDINALS = words(
    "first second third last other primeiro primeira segundo segunda outro outra otro otra",
    "deuxieme premiere troisieme dernier derniere zweite zweiten dritte dritten letzte letzten",
    "seconda secondo terzo",
)
_SUBJECTS = {
    "fr": re.compile(r"(?<!y a-t-)(?<!faut-)\b(?:il|elle|ils|elles)\b"),
    "de": re.compile(r"\b(?:er|sie)\b"),
}
"""Pronouns that stand beside the thing itself too, or for a "you": they point back where little is said."""
_SAYING_NOTHING = words(
    "please tell explain describe know want wondering give show list hi hello hey much many often long old",
    "about does do done doing could would there get got one ones happen happens happened happening",
    "oi ola favor diga dizer explique gostaria saber quero queria poderia mostre liste fale existe fica faz",
    "acontece aconteceu ocorre ocorreu sucede sucedeu ocurre ocurrio sucedio",
    "t hola dime quisiera puedo decir cuanto cuantos cuanta cuantas cuando donde cual quanto quantos",
)
_FRAMING = re.compile(
    r"\b(?:says?|said|thinks?|thought|teach(?:es)?|taught|writes?|wrote|argues?|argued|believes?|believed"
    r"|claims?|claimed|tells?|told|explains?|mentions?)(?=\s+(?:us\s+)?(?:about|of|on|that|regarding)\b)"
    r"|\b(?:diz|disse|dizia|pensa|pensava|ensina|ensinava|escreve|escreveu|fala|falou|acha|acredita|afirma"
    r"|dice|dijo|piensa|pensaba|ense\u00f1a|escribe|escribi\u00f3|habla|cree|opina)"
    r"(?=\s+(?:sobre|acerca|a\s+respeito|d[aeo]s?|del|que)\b)"
    r"|(?<=\bthe\s)(?:author|narrator|writer|essay)\b|(?<=\b[oael]\s)(?:autora?|narradora?|escritora?)\b"
    r"|\b(?:pas\u00f3|pasaba|passou|houve)(?=\s+co[mn]\b)"
    r"|\b(?:according|segundo|seg\u00fan)(?=\s+(?:to|o|a|el|la)\b)",
    re.IGNORECASE,
)
"""Words that only say who speaks: "teaches" in "what she teaches about the commons"."""


def _words(text: str, language: str) -> Iterable[str]:
    """The stems of the words that tell something, in whichever language the text is."""
    return words_of(" ".join(_telling(text, language_of(text, language))), language)


def _telling(text: str, language: str) -> Iterator[str]:
    """The words that tell something; "teaches" does not in "what she teaches about the commons"."""
    small, asking = small_words(language), asking_words(language)
    framing = {match.start() for match in _FRAMING.finditer(text)}
    for match in _WORD.finditer(text):
        word = match.group()
        own = _ELISION.sub("", word.lower())  # "appelle" of "s'appelle"
        is_small = word.lower() in small or own in asking or folded(word) in _SAYING_NOTHING
        if not is_small and match.start() not in framing:
            yield word


def _stands_for_another(plain: Sequence[str], language: str) -> bool:
    """Whether a word stands for a thing: "it", or "the second", but not "the first keeper"."""
    small = small_words(language)
    return any(
        each in _PRONOUNS or (each in _ORDINALS and (place + 1 == len(plain) or plain[place + 1] in small))
        for place, each in enumerate(plain)
    )
