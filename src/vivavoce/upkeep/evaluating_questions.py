"""Questions to test an avatar with, and what is expected of each answer: one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    ValidationError,
    model_validator,
)

from vivavoce.domain.faults import faults_of, in_words
from vivavoce.domain.values import Line, Text, Value
from vivavoce.errors import InvalidInput
from vivavoce.operations.avatar_results import Citation
from vivavoce.operations.avatars import Spoken

_SHOWN = 20
"""How many lines that cannot be used are told of."""


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


class GoldQuote(Value):
    """Words of the corpus that a good answer rests on."""

    model_config = ConfigDict(extra="ignore")

    text: Annotated[
        Text, AfterValidator(_not_blank), Field(validation_alias=AliasChoices("text", "quote", "content"))
    ]
    source: Line | None = None
    """The id or the title of the source; in any of them where it is left out."""
    page: StrictInt | Line | None = None
    """The page as it is cited: its number, or what is printed on it."""

    def is_from(self, *names: str | None) -> bool:
        """Whether a source that goes by these names may be the one that is meant."""
        if self.source is None:
            return True
        wanted = self.source.strip().casefold()
        return any(name is not None and name.casefold() == wanted for name in names)

    def is_on_page_of(self, citation: Citation) -> bool:
        """Whether the citation names the page that is meant."""
        wanted = str(self.page).strip().casefold()
        return any(
            str(page).casefold() == wanted
            for page in (citation.page, citation.page_label)
            if page is not None
        )


def _gold(given: Any) -> Any:
    """A quote that is written as a text alone, as an object."""
    return {"text": given} if isinstance(given, str) else given


class Trial(Value):
    """A question, and what is expected of its answer."""

    model_config = ConfigDict(extra="allow")

    id: Annotated[
        Line,
        BeforeValidator(lambda given: str(given) if isinstance(given, int) else given),
        Field(min_length=1),
    ]
    question: Annotated[Text, AfterValidator(_not_blank)]
    answerable: StrictBool = True
    quotes: Annotated[
        list[Annotated[GoldQuote, BeforeValidator(_gold)]],
        Field(max_length=100, validation_alias=AliasChoices("quotes", "gold_quotes")),
    ] = []
    context: Annotated[
        list[Spoken], Field(max_length=1_000, validation_alias=AliasChoices("context", "conversation"))
    ] = []

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if self.quotes and not self.answerable:
            raise ValueError("quotes: a question that is not answerable has none")
        return self


def read_trials(content: bytes) -> list[Trial]:
    """The questions of a file; InvalidInput names each line that cannot be used, and why."""
    trials: dict[str, Trial] = {}
    lines: dict[str, int] = {}
    faults: list[str] = []
    for number, line in _lines(content):
        try:
            trial = _read(line, number)
        except ValidationError as error:
            said = in_words(faults_of(error)).replace(" at line 1 column ", " at column ")
            faults.append(f"line {number}: {said}")
            continue
        if trial.id in trials:
            faults.append(f"line {number}: id: {trial.id!r} is the one of line {lines[trial.id]} too")
        trials[trial.id] = trial
        lines.setdefault(trial.id, number)
    if faults:
        raise _refused(faults)
    if not trials:
        raise InvalidInput("There is no question in the file.", hint='Write {"question": "…"} on each line.')
    return list(trials.values())


def unknown_keys(trials: Sequence[Trial]) -> list[str]:
    """The keys that stand in the file and mean nothing, each once."""
    return list(dict.fromkeys(key for trial in trials for key in trial.model_extra or ()))


def _lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, counted from 1."""
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line.strip():
            yield number, line


class _Line(Value):
    """A line of the file, before it is known whether it names itself."""

    model_config = ConfigDict(extra="allow")


def _read(line: bytes, number: int) -> Trial:
    given = _Line.model_validate_json(line).model_extra or {}
    return Trial.model_validate({"id": f"line {number}"} | {k: v for k, v in given.items() if v is not None})


def _refused(faults: Sequence[str]) -> InvalidInput:
    many = len(faults)
    shown = [f"\n  {fault}" for fault in faults[:_SHOWN]]
    left = f"\n  and {many - _SHOWN} more" if many > _SHOWN else ""
    said = "1 line cannot be used" if many == 1 else f"{many} lines cannot be used"
    wanted = "Each must be a JSON object with a question"
    return InvalidInput(f"{said}, so nothing was asked. {wanted}:{''.join(shown)}{left}")
