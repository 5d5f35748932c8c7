"""How the engine carries out operations on the variables of conversations."""

from __future__ import annotations

from vivavoce.operations.conversation_results import VariableShown
from vivavoce.operations.variables import (
    DeleteVariable,
    GetVariable,
    ListVariables,
    SetVariable,
    VariableDeleted,
    VariableList,
)

from .handlers import Work, handles
from .references import conversation_named


@handles(SetVariable)
def set_variable(op: SetVariable, work: Work) -> VariableShown:
    known = conversation_named(op.conversation_id, work)
    conversation = known.with_variable(op.var_name, op.var_value, work.now)
    work.tables.conversations.replace(conversation)
    return VariableShown.showing(conversation.id, op.var_name, conversation.variable(op.var_name))


@handles(ListVariables)
def list_variables(op: ListVariables, work: Work) -> VariableList:
    conversation = conversation_named(op.conversation_id, work)
    return VariableList(
        variables=[
            VariableShown.showing(conversation.id, name, variable)
            for name, variable in conversation.variables.items()
        ]
    )


@handles(GetVariable)
def get_variable(op: GetVariable, work: Work) -> VariableShown:
    conversation = conversation_named(op.conversation_id, work)
    return VariableShown.showing(conversation.id, op.var_name, conversation.variable(op.var_name))


@handles(DeleteVariable)
def delete_variable(op: DeleteVariable, work: Work) -> VariableDeleted:
    conversation = conversation_named(op.conversation_id, work)
    deleted = VariableShown.showing(conversation.id, op.var_name, conversation.variable(op.var_name))
    work.tables.conversations.replace(conversation.without_variable(op.var_name, work.now))
    return VariableDeleted(deleted=deleted)
