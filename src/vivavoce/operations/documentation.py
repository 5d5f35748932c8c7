"""The operation that tells a model what it can do here."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .base import Effect, Operation, Result

Topic = Literal["tools", "models", "prompts", "http_tools", "chatvolt_http_tools", "cal_com_http_tools"]


class Documentation(Result):
    """A page of documentation, as Markdown."""

    doc_type: Topic
    content: str


class GetDocumentation(
    Operation[Documentation],
    effect=Effect.READ,
    name="getDocumentation",
    aliases=("get_documentation",),
    route="GET /documentation/{docType}",
):
    """Read how to use this server: its tools, models, prompts, or templates for HTTP tools.

    Call it with docType tools before a task of several steps.
    """

    doc_type: Annotated[Topic, Field(description="Which page; the last two are the parts of http_tools.")]
