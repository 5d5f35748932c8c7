"""How many open questions are answered, about texts of our own of which every second one was left out."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reporting import report, words
from sets import own_rows

from vivavoce.app import App, open_app
from vivavoce.engine.library.fitting import fitted
from vivavoce.engine.library.retrieval import Wanted, passages_for
from vivavoce.engine.voices.extraction import candidate_of, extracted_from
from vivavoce.operations import OPERATOR
from vivavoce.operations.knowledge import CreateDatasource, CreateDatastore
from vivavoce.settings import Settings

_SETS = {
    "answerability-subjects.jsonl": ("Tell me about {}.", "What is said about {}?"),
    "answerability-encyclopaedia.jsonl": ("What is known about {}?", "Tell me about {}."),
    "answerability-pt-subjects.jsonl": ("Fale sobre {}.", "O que se diz sobre {}?"),
    "answerability-pt-long.jsonl": ("O que se sabe sobre {}?", "Fale-me de {}."),
}
"""Sets whose texts have titles, and how their titles are asked for, in turn."""
_LEFT_OUT, _TITLED = 2, 4
"""Every second text is left out of the corpus; every fourth one stands in it under its title."""
_EVIDENCE = ("headed", "spoken", "density", "relevance", "unlike")
_LIMIT = 0.5


async def main() -> None:
    """Ask for every title; count answers about what is there and refusals about what is not, and fit anew."""
    given = words(sets=",".join(_SETS))
    rows: list[dict[str, Any]] = []
    told: list[tuple[Mapping[str, Any], bool]] = []
    for name in given.sets.split(","):
        asked = await _asked(name)
        there = [likelihood >= _LIMIT for likelihood, _, is_there in asked if is_there]
        absent = [likelihood < _LIMIT for likelihood, _, is_there in asked if not is_there]
        rows.append(
            {
                "set": name,
                "there": len(there),
                "answered": sum(there) / len(there),
                "absent": len(absent),
                "refused": sum(absent) / len(absent),
            }
        )
        told += [(why, is_there) for _, why, is_there in asked]
    report("open questions", rows, given.json)
    for is_read in (True, False):
        some = [each for each in told if (each[0]["judge"] is not None) is is_read]
        if some:
            report("weights on these", [_weights(some, _EVIDENCE if is_read else _EVIDENCE[:3])], None)


def _weights(told: Sequence[tuple[Mapping[str, Any], bool]], names: Sequence[str]) -> dict[str, float]:
    import numpy

    columns = [numpy.array([float(why[name]) for why, _ in told]).clip(-8, 8) for name in names]
    found = fitted(columns, numpy.array([float(is_there) for _, is_there in told]))
    return dict(zip([*names, "base"], found, strict=True))


async def _asked(name: str) -> list[tuple[float, Mapping[str, Any], bool]]:
    """For every title the likelihood, the evidence, and whether its text is in the corpus."""
    found: list[tuple[float, Mapping[str, Any], bool]] = []
    rows = own_rows(name)
    with tempfile.TemporaryDirectory() as folder:
        async with open_app(Settings.read({"VIVAVOCE_DATABASE": str(Path(folder) / "open.db")})) as app:
            datastore_id = await _ingested(rows, app)
            for place, row in enumerate(rows):
                forms = _SETS[name]
                question = forms[place // _LEFT_OUT % len(forms)].format(row["title"])
                passages = await passages_for(Wanted(datastore_id, question, limit=10), app.ports)
                candidates = list(map(candidate_of, passages))
                said = await extracted_from(question, (), candidates, app.ports.embedders.judges())
                if "isAskedThere" not in said.why:  # no evidence was weighed
                    found.append((said.likelihood, said.why, place % _LEFT_OUT == 0))
    return found


async def _ingested(rows: Sequence[Mapping[str, Any]], app: App) -> str:
    datastore = await app.backend.run(CreateDatastore(type="qdrant", name="open"), OPERATOR)
    for place in range(0, len(rows), _LEFT_OUT):
        name = rows[place]["title"] if place % _TITLED == 0 else f"text {place}"
        op = CreateDatasource(datastore_id=datastore.id, name=name, text=rows[place]["passage"])
        await app.backend.run(op, OPERATOR)
    await app.ingester.finish()
    return datastore.id


if __name__ == "__main__":
    asyncio.run(main())
