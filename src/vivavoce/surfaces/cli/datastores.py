"""Datastores as people name them: by id or by name."""

from __future__ import annotations

from vivavoce.app import App
from vivavoce.errors import InvalidInput, NotFound
from vivavoce.operations import OPERATOR
from vivavoce.operations.knowledge import CreateDatastore, ListDatastores
from vivavoce.operations.knowledge_results import DatastoreShown


async def datastore_called(text: str, app: App, *, may_make: bool = False, hint: str = "") -> DatastoreShown:
    """The datastore with this id or exactly this name; a new one where it may be made."""
    all = (await app.backend.run(ListDatastores(), OPERATOR)).datastores
    found = [each for each in all if each.id == text] or [each for each in all if each.name == text.strip()]
    if len(found) > 1:
        ids = ", ".join(each.id for each in found)
        raise InvalidInput(f"{len(found)} datastores are called {text!r}.", hint=f"Give an id: {ids}.")
    if found:
        return found[0]
    if may_make:
        made = CreateDatastore.parse({"type": "qdrant", "name": text})
        return await app.backend.run(made, OPERATOR)
    raise NotFound(f"No datastore {text!r}.", hint=f"See them with vivavoce list-datastores.{hint}")
