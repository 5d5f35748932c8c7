"""Uploads: files that a surface hands over. No tool and no route of their own: a file is no JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from vivavoce.domain.values import Id, JsonObject, Name

from .base import Effect, Operation
from .knowledge import DatastoreId
from .knowledge_results import DatasourceShown

LARGEST = 100 * 1024 * 1024
"""The most bytes that a file may have."""


class AddFile(Operation[DatasourceShown], effect=Effect.CREATE):
    """Add a file to a datastore. It is stored whole, then read and indexed."""

    datastore_id: DatastoreId
    name: Annotated[Name, Field(description="What it is called; its ending tells its kind.")]
    file: Annotated[Path, Field(description="Where this process finds it.")]
    config: Annotated[JsonObject, Field(description="Settings such as tags and custom_id.")] = {}
    replaces: Annotated[Id | None, Field(alias="id", description="The datasource that it replaces.")] = None
