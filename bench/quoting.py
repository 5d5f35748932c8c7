"""How often the sentence that is quoted holds the answer, in and across six languages, beside words alone."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from families import Family, asked_abroad, families_in
from reporting import report, words
from sets import FAMILIES, ingested_rows, own_rows

from vivavoce.app import App, open_app
from vivavoce.engine.library.retrieval import Found, Wanted, passages_for
from vivavoce.engine.voices.extraction import candidate_of, extracted_from
from vivavoce.ports import Judge
from vivavoce.settings import Settings

_DEEP = 8
"""How many passages are found for a question."""
_PARAPHRASE = 1
"""Of the questions about a passage, the second is in other words."""


class Asked(NamedTuple):
    """A question, and the words that answer it; None where no passage does."""

    text: str
    kind: str
    answer: str | None


class Said(NamedTuple):
    """Whether anything was quoted, and whether the first quote, or any, holds the answer."""

    kind: str
    anything: bool
    first: bool
    any: bool


async def main() -> None:
    """Ask about every n-th family that the readers were not taught, with them and without."""
    given = words(languages=",".join(FAMILIES.values()), every=1, abroad=0)
    rows = []
    for language in given.languages.split(","):
        with tempfile.TemporaryDirectory() as folder:
            settings = Settings.read({"VIVAVOCE_DATABASE": str(Path(folder) / "own.db")})
            async with open_app(settings) as app:
                rows += await _rows(language, app, given.every, is_abroad=bool(given.abroad))
    report("what is quoted of families of near passages", rows, given.json)


async def _rows(language: str, app: App, every: int, *, is_abroad: bool) -> list[dict[str, Any]]:
    families = [each for each in families_in(language) if each.is_held_out][::every]
    asked = [each for family in families for each in _asked_of(family)]
    if is_abroad:
        texts = asked_abroad(language)
        asked = [each._replace(text=texts[each.text]) for each in asked if each.text in texts]
    datastore_id, _ = await ingested_rows(own_rows(f"families-{language}.jsonl"), app)
    found = [await passages_for(Wanted(datastore_id, each.text, limit=_DEEP), app.ports) for each in asked]
    judges = app.ports.embedders.judges()
    ways = {"vivavoce": judges, "without readers": [each for each in judges if each.tells_subjects]}
    return [
        {"language": language, "by": way, "questions": len(asked), **_shares(told)}
        for way, some in ways.items()
        if (told := [await _said(*each, some) for each in zip(asked, found, strict=True)])
    ]


def _asked_of(family: Family) -> Iterator[Asked]:
    for passage in family.passages:
        for place, (question, answer) in enumerate(passage.answered):
            yield Asked(question, "in other words" if place == _PARAPHRASE else "plain", answer)
    yield from (Asked(question, "near", None) for question in family.unanswered)


async def _said(asked: Asked, found: Sequence[Found], judges: Sequence[Judge]) -> Said:
    candidates = list(map(candidate_of, found))
    extraction = await extracted_from(asked.text, (), candidates, judges)
    said = sorted(extraction.sentences, key=lambda each: each.rank)
    holds = [
        asked.answer is not None and asked.answer in candidates[each.place].text[each.start : each.end]
        for each in said
    ]
    return Said(asked.kind, bool(said), holds[:1] == [True], any(holds))


def _shares(told: Sequence[Said]) -> dict[str, float]:
    """Of each kind of question, how often it was answered, and with the words that answer it."""
    shares = {}
    for kind in ("plain", "in other words"):
        some = [each for each in told if each.kind == kind]
        shares[f"{kind}: rightly"] = sum(each.any for each in some) / len(some)
        shares[f"{kind}: first"] = sum(each.first for each in some) / len(some)
        shares[f"{kind}: at all"] = sum(each.anything for each in some) / len(some)
    near = [each for each in told if each.kind == "near"]
    return {**shares, "near: at all": sum(each.anything for each in near) / len(near)}


if __name__ == "__main__":
    asyncio.run(main())
