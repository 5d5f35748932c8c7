"""A thinker to ask: an avatar over a few texts, with or without a model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vivavoce.engine import Engine
from vivavoce.operations import CATALOGUE, OPERATOR, Caller
from vivavoce.operations.uploads import AddFile
from vivavoce.ports import Embedders
from vivavoce.testing import ScriptedModel, TestModels, ingested, open_test_engine

COMMONS = """\
Neither the state nor the market is uniformly successful in enabling individuals to sustain long-term, \
productive use of natural resource systems. Communities have relied on institutions that resemble neither.

Monitors are accountable to the appropriators or are the appropriators themselves. Rules may be changed by \
the users of a resource. In 1988 the team studied 127 irrigation systems in Nepal.

Graduated sanctions are not imposed at once. A first sanction may be as small as a warning.
"""
CONFIG: dict[str, Any] = {
    "id": "elinor-ostrom",
    "name": "Elinor Ostrom",
    "description": "Studied how people govern what they share.",
    "birthYear": 1933,
    "deathYear": 2012,
    "expertise": ["commons", "governance", "collective action"],
    "corpus": {
        "description": "Books and papers.",
        "dateRange": {"start": "1965-01-01", "end": "2012-06-12"},
        "sources": [{"title": "Governing the Commons", "type": "book", "year": 1990}],
    },
    "systemPrompt": {
        "identity": "A student of her work.",
        "tone": "Plain.",
        "constraints": ["Say what the corpus does not cover."],
        "citationStyle": "Title, year and page.",
    },
}
BOOK = {
    "id": "commons",
    "title": "Governing the Commons",
    "authors": ["Elinor Ostrom"],
    "year": 1990,
    "type": "book",
    "topics": ["commons", "irrigation"],
}


class Thinker:
    """An avatar of an engine, by the names of the wire."""

    def __init__(self, engine: Engine, models: TestModels) -> None:
        self.engine, self.models = engine, models
        self.datastore_id = ""

    async def opened(self, sources: list[dict[str, Any]] | None = None, **changes: Any) -> Thinker:
        """With its configuration, some keys of it changed, and no corpus yet."""
        config = {**CONFIG, **changes}
        made = await self.run("create_avatar", config=config, sources=[BOOK] if sources is None else sources)
        self.datastore_id = made["datastoreId"]
        return self

    async def run(self, operation: str, /, *, caller: Caller = OPERATOR, **arguments: Any) -> dict[str, Any]:
        result = await self.engine.run(CATALOGUE[operation].parse(arguments), caller)
        return result.model_dump(mode="json")

    async def reads(self, text: str = COMMONS, source: dict[str, Any] = BOOK) -> Thinker:
        """With a text in its corpus."""
        await self.run(
            "create_datasource",
            datastoreId=self.datastore_id,
            name=source["title"],
            text=text,
            config={"custom_id": source["id"]},
        )
        await ingested(self.engine)
        return self

    async def reads_file(self, path: Path, content: bytes, *, mime: str = "") -> Thinker:
        """With a file in its corpus, as its book."""
        path.write_bytes(content)
        config = {"custom_id": BOOK["id"], **({"mime_type": mime} if mime else {})}
        op = AddFile(datastore_id=self.datastore_id, name=BOOK["title"], file=path, config=config)
        await self.engine.run(op, OPERATOR)
        await ingested(self.engine)
        return self

    async def answers(self, question: str, **more: Any) -> dict[str, Any]:
        """What it answers; every quote is in its document, and every claim in the response."""
        answer = await self.run("generate_response", avatarId=CONFIG["id"], question=question, **more)
        for citation in answer["citations"]:
            text = await self.document(citation["document_id"])
            assert citation["quote"] == text[citation["start"] : citation["end"]]
            assert citation["claim"] in answer["response"]
        assert answer["abstained"] == (not answer["citations"])
        return answer

    async def why(self, answer: dict[str, Any]) -> dict[str, Any]:
        found = await self.run("explain_answer", avatarId=CONFIG["id"], answerId=answer["answer_id"])
        return found["why"]

    async def document(self, id: str) -> str:
        return await self.engine.ports.store.read(lambda tables: tables.documents.text(id))


@contextmanager
def open_thinker(
    folder: Path, model: ScriptedModel | None = None, *, embedders: Embedders | None = None
) -> Iterator[Thinker]:
    """An engine for an avatar, with a model where one is given, and the embedders."""
    models = TestModels(model)
    with open_test_engine(folder, models=models, embedders=embedders) as engine:
        yield Thinker(engine, models)


def claims(*given: tuple[str, int, str]) -> str:
    """What a model says: claims of text, passage and quote."""
    return json.dumps(
        {"claims": [dict(zip(("text", "passage", "quote"), each, strict=True)) for each in given]}
    )


def verdicts(*follows: bool) -> str:
    """What a model says when it judges."""
    return json.dumps({"verdicts": [{"claim": n, "follows": f} for n, f in enumerate(follows, start=1)]})
