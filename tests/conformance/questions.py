"""The fixtures that ask the client something before they answer.

The first half asks the way our own tools do, with `Resolve`: one body for both protocol eras.
The second half builds its `InputRequiredResult` by hand, because the suite prescribes the keys.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

from mcp.server.mcpserver import Context, Elicit, ElicitationResult, Resolve, Sample
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
    SamplingMessage,
    TextContent,
)
from pydantic import BaseModel, Field

AnswerT = TypeVar("AnswerT")

# Asked with Resolve


class Person(BaseModel):
    """Who the user is."""

    username: str = Field(description="The name of the user.")
    email: str = Field(description="The address of the user.")


class Defaults(BaseModel):
    """One field of each primitive type, each with a default."""

    name: str = "John Doe"
    age: int = 30
    score: float = 95.5
    status: Literal["active", "inactive", "pending"] = "active"
    verified: bool = True


class Enums(BaseModel):
    """The five ways to let the user choose."""

    untitled_single: Literal["option1", "option2", "option3"] = Field(alias="untitledSingle")
    titled_single: str = Field(
        alias="titledSingle",
        json_schema_extra={
            "oneOf": [
                {"const": "value1", "title": "First Option"},
                {"const": "value2", "title": "Second Option"},
                {"const": "value3", "title": "Third Option"},
            ]
        },
    )
    legacy_enum: Literal["opt1", "opt2", "opt3"] = Field(
        alias="legacyEnum", json_schema_extra={"enumNames": ["Option One", "Option Two", "Option Three"]}
    )
    untitled_multi: list[Literal["option1", "option2", "option3"]] = Field(alias="untitledMulti")
    titled_multi: list[str] = Field(
        alias="titledMulti",
        json_schema_extra={
            "items": {
                "anyOf": [
                    {"const": "value1", "title": "First Choice"},
                    {"const": "value2", "title": "Second Choice"},
                    {"const": "value3", "title": "Third Choice"},
                ]
            }
        },
    )


def _who(message: str) -> Elicit[Person]:
    return Elicit(message, Person)


def _anyone() -> Elicit[Person]:
    return Elicit("Who are you?", Person)


def _defaults() -> Elicit[Defaults]:
    return Elicit("Please confirm or change these values.", Defaults)


def _enums() -> Elicit[Enums]:
    return Elicit("Please choose.", Enums)


def _continuation(prompt: str) -> Sample:
    return Sample([_said(prompt)], max_tokens=100)


def _any_sample() -> Sample:
    return Sample([_said("Say anything.")], max_tokens=100)


def test_elicitation(
    message: Annotated[str, Field(description="What to ask the user.")],
    person: Annotated[ElicitationResult[Person], Resolve(_who)],
) -> str:
    """Ask the user for a name and an address."""
    return f"User response: {_outcome(person)}"


def test_elicitation_sep1034_defaults(
    values: Annotated[ElicitationResult[Defaults], Resolve(_defaults)],
) -> str:
    """Ask the user to confirm values of every primitive type."""
    return f"Elicitation completed: {_outcome(values)}"


def test_elicitation_sep1330_enums(choices: Annotated[ElicitationResult[Enums], Resolve(_enums)]) -> str:
    """Ask the user to choose in five ways."""
    return f"Elicitation completed: {_outcome(choices)}"


def test_streaming_elicitation(person: Annotated[ElicitationResult[Person], Resolve(_anyone)]) -> str:
    """Ask the user, where the answer of the server is a stream."""
    return f"User response: {_outcome(person)}"


def test_sampling(
    prompt: Annotated[str, Field(description="What to ask the client's model.")],
    answer: Annotated[CreateMessageResult, Resolve(_continuation)],
) -> str:
    """Ask the client's model."""
    return f"LLM response: {_text_of(answer)}"


def test_missing_capability(answer: Annotated[CreateMessageResult, Resolve(_any_sample)]) -> str:
    """Ask the client's model, which a client without sampling must see refused."""
    return f"LLM response: {_text_of(answer)}"


# Asked by hand


def test_input_required_result_elicitation(ctx: Context) -> str | InputRequiredResult:
    """Ask the user for a name, then greet."""
    name = _elicited(ctx, "user_name", "name")
    if name is None:
        return InputRequiredResult(input_requests={"user_name": _form("What is your name?", name="string")})
    return f"Hello, {name}!"


def test_input_required_result_sampling(ctx: Context) -> str | InputRequiredResult:
    """Ask the client's model for a capital."""
    answer = _answer(ctx, "capital_question", CreateMessageResult)
    if answer is None:
        return InputRequiredResult(
            input_requests={"capital_question": _sample("What is the capital of France?")}
        )
    return _text_of(answer)


def test_input_required_result_list_roots(ctx: Context) -> str | InputRequiredResult:
    """Ask the client for its roots."""
    answer = _answer(ctx, "client_roots", ListRootsResult)
    if answer is None:
        return InputRequiredResult(input_requests={"client_roots": ListRootsRequest()})
    return "Roots: " + ", ".join(str(root.uri) for root in answer.roots)


def test_input_required_result_request_state(ctx: Context) -> str | InputRequiredResult:
    """Ask the user to confirm and get the state back that went out with the question."""
    return _confirmation(ctx, state="the state of the first round", done="state-ok")


def test_input_required_result_tampered_state(ctx: Context) -> str | InputRequiredResult:
    """Ask the user to confirm, with a state that nobody may alter (the SDK seals it)."""
    return _confirmation(ctx, state="nobody may alter this", done="The state came back whole.")


def test_input_required_result_multiple_inputs(ctx: Context) -> str | InputRequiredResult:
    """Ask the user, the client's model and the client at once."""
    name = _elicited(ctx, "user_name", "name")
    greeting = _answer(ctx, "greeting", CreateMessageResult)
    roots = _answer(ctx, "client_roots", ListRootsResult)
    if name is None or greeting is None or roots is None:
        asked: dict[str, InputRequest] = {
            "user_name": _form("What is your name?", name="string"),
            "greeting": _sample("Generate a greeting", max_tokens=50),
            "client_roots": ListRootsRequest(),
        }
        return InputRequiredResult(input_requests=asked, request_state="asked three things")
    return f"{_text_of(greeting)} {name}, you have {len(roots.roots)} roots."


def test_input_required_result_multi_round(ctx: Context) -> str | InputRequiredResult:
    """Ask the user twice; the second question depends on the first answer."""
    color = _elicited(ctx, "step2", "color")
    if color is not None:
        return f"{ctx.request_state} likes {color}."
    name = _elicited(ctx, "step1", "name")
    if name is None:
        question = _form("Step 1: What is your name?", name="string")
        return InputRequiredResult(input_requests={"step1": question}, request_state="nobody yet")
    question = _form("Step 2: What is your favorite color?", color="string")
    return InputRequiredResult(input_requests={"step2": question}, request_state=str(name))


def test_input_required_result_capabilities(ctx: Context) -> str | InputRequiredResult:
    """Ask only what the client says it can answer."""
    if ctx.input_responses:
        return "You answered what you can answer."
    can = ctx.client_capabilities
    asked: dict[str, InputRequest] = {}
    if can is not None and can.elicitation is not None:
        asked["user_name"] = _form("What is your name?", name="string")
    if can is not None and can.sampling is not None:
        asked["greeting"] = _sample("Generate a greeting")
    return (
        InputRequiredResult(input_requests=asked) if asked else "You can answer nothing, so nothing is asked."
    )


def test_input_required_result_prompt(ctx: Context) -> str | InputRequiredResult:
    """A prompt that asks the user for context first."""
    context = _elicited(ctx, "user_context", "context")
    if context is None:
        question = _form("What context should the prompt use?", context="string")
        return InputRequiredResult(input_requests={"user_context": question})
    return f"Consider this context: {context}"


TOOLS: tuple[Callable[..., Any], ...] = (
    test_elicitation,
    test_elicitation_sep1034_defaults,
    test_elicitation_sep1330_enums,
    test_streaming_elicitation,
    test_sampling,
    test_missing_capability,
    test_input_required_result_elicitation,
    test_input_required_result_sampling,
    test_input_required_result_list_roots,
    test_input_required_result_request_state,
    test_input_required_result_tampered_state,
    test_input_required_result_multiple_inputs,
    test_input_required_result_multi_round,
    test_input_required_result_capabilities,
)

PROMPTS: tuple[Callable[..., Any], ...] = (test_input_required_result_prompt,)


def _outcome(result: ElicitationResult[Any]) -> str:
    content = result.data.model_dump_json(by_alias=True) if result.action == "accept" else "{}"
    return f"action={result.action}, content={content}"


def _text_of(answer: CreateMessageResult) -> str:
    return answer.content.text if isinstance(answer.content, TextContent) else f"({answer.content.type})"


def _confirmation(ctx: Context, state: str, done: str) -> str | InputRequiredResult:
    if _elicited(ctx, "confirm", "ok") is None or ctx.request_state != state:
        question = _form("Please confirm", ok="boolean")
        return InputRequiredResult(input_requests={"confirm": question}, request_state=state)
    return done


def _elicited(ctx: Context, key: str, field: str) -> Any:
    answer = _answer(ctx, key, ElicitResult)
    return None if answer is None or answer.content is None else answer.content.get(field)


def _answer(ctx: Context, key: str, kind: type[AnswerT]) -> AnswerT | None:
    answer = (ctx.input_responses or {}).get(key)
    return answer if isinstance(answer, kind) else None


def _form(message: str, **fields: str) -> ElicitRequest:
    properties = {name: {"type": kind} for name, kind in fields.items()}
    schema = {"type": "object", "properties": properties, "required": list(fields)}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def _sample(question: str, max_tokens: int = 100) -> CreateMessageRequest:
    return CreateMessageRequest(
        params=CreateMessageRequestParams(messages=[_said(question)], max_tokens=max_tokens)
    )


def _said(text: str) -> SamplingMessage:
    return SamplingMessage(role="user", content=TextContent(text=text))
