"""Operations on variables: facts that are kept about a conversation."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from vivavoce.domain.conversations import VariableName, VariableValue
from vivavoce.domain.crm import addressable
from vivavoce.domain.prompting import PROMPT_VARIABLES

from .base import Effect, Listing, Operation, Result
from .conversation_results import VariableShown
from .conversations import ConversationId

VarName = Annotated[VariableName, Field(description="What it is called, at most 20 characters.")]


def _not_built_in(name: str) -> str:
    if name in PROMPT_VARIABLES:
        raise ValueError("is filled in from the conversation itself: choose another name")
    return name


class VariableList(Listing):
    """The variables of a conversation."""

    variables: list[VariableShown]


class VariableDeleted(Result):
    """A variable is gone."""

    message: str = "Variable successfully deleted"
    deleted: VariableShown


class SetVariable(
    Operation[VariableShown],
    effect=Effect.CHANGE,
    toolset="conversations",
    route="POST /variables",
    offer="extra",
    echoes="createdAt updatedAt",
):
    """Keep a fact about a conversation, in place of an older one. Prompts can name it, as {order}."""

    conversation_id: ConversationId
    var_name: Annotated[VarName, AfterValidator(addressable), AfterValidator(_not_built_in)]
    var_value: Annotated[VariableValue, Field(description="The fact, at most 100 characters.")]


class ListVariables(
    Operation[VariableList],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /variables/{conversationId}",
    offer="extra",
):
    """List the facts that are kept about a conversation."""

    conversation_id: ConversationId


class GetVariable(
    Operation[VariableShown],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /variables/{conversationId}/{varName}",
    offer="extra",
):
    """Show one fact that is kept about a conversation."""

    conversation_id: ConversationId
    var_name: VarName


class DeleteVariable(
    Operation[VariableDeleted],
    effect=Effect.DELETE,
    toolset="conversations",
    route="DELETE /variables/{conversationId}/{varName}",
    offer="extra",
    takes_along="nothing else",
):
    """Forget one fact about a conversation."""

    conversation_id: ConversationId
    var_name: VarName
