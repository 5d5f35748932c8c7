"""Prompts: ready-made instructions with which an assistant starts to work on this server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Argument:
    """Something that the person fills in."""

    name: str
    description: str
    required: bool = False
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Prompt:
    """A prompt: what it is for, what it asks for, and the text that it becomes."""

    name: str
    title: str
    description: str
    arguments: tuple[Argument, ...]
    write: Callable[[Mapping[str, str]], str]


_REQUESTS = (
    "List my agents.",
    "Create an agent that answers questions about our opening hours.",
    "Show the agent @support with its tools.",
    "Give the agent @support the datastore with our manuals.",
)
_GOALS = (
    "Set up a support agent with a datastore, a handover to a person and two follow-ups.",
    "Build a sales scenario with the steps New, Qualified, Offer and Won.",
    "Connect an agent to our order API and let it look orders up.",
)
_TASKS = (
    "Find out what this server can do and propose an agent for our shop.",
    "Review the agents of this workspace and suggest improvements.",
)


def _single_step(given: Mapping[str, str]) -> str:
    language = given.get("language")
    return f"""You operate a workspace of conversational agents through the tools of the vivavoce server.

The request: {given["request"]}

One tool call should be enough.
1. Say to yourself in one sentence what is wanted.
2. Choose the one tool that does it. If an id is missing, look it up with the matching list tool first.
3. Call it with exactly the values you were given. Never make up ids, addresses, keys or prices.
4. Report in {language or "the language of the request"}: what was done, the name and id it concerns, and what was \
deleted along with it if something was. If the tool answers with an error, follow the next step that it names once; \
if that does not help, show the error and ask."""


def _workflow(given: Mapping[str, str]) -> str:
    limits = given.get("constraints")
    return f"""You are the automation engineer of a workspace of conversational agents, which you run through the \
tools of the vivavoce server.

The goal: {given["goal"]}
{f"To be respected: {limits}" if limits else "No further constraints were given."}

Work in four phases.
1. Take it apart. List the things that must exist at the end (agents, tools, datastores, datasources, scenarios, \
steps, integrations) and what depends on what: a datastore before the tool that names it, a scenario before its \
steps, an agent before a step that names it.
2. Plan. Read what is already there with the list tools, so that nothing is made twice. Write the calls down in \
order, each with its tool and where its ids come from. Show the plan before the first change and ask about anything \
that is not clear; ask before anything is deleted.
3. Carry it out. One call after the other; go on only when a call has succeeded, and take ids from its result. If a \
call fails, mend the cause that the error names; never repeat a failed call unchanged.
4. Report. List what now exists with names and ids, what was changed, what was left alone, and what a person must \
still do, such as entering channel credentials."""


def _discovery(given: Mapping[str, str]) -> str:
    return f"""You have just been connected to a vivavoce server and do not know yet what it offers.

The task: {given["task"]}

1. Discover first. Call getDocumentation with docType tools, before any other tool. Read models, prompts and \
http_tools with the same tool when the task touches them.
2. Take stock. List the agents, datastores and scenarios that exist, without changing anything.
3. Think. Say which tools serve the task, what is missing, and which limits you found.
4. Propose a short plan, then carry it out one call at a time, checking each result before the next.
5. Report what you did and what you learned about this workspace, with names and ids."""


PROMPTS: tuple[Prompt, ...] = (
    Prompt(
        "simple_tool_operation",
        "Do one thing",
        "Carry out a request that needs a single tool call, and report the outcome.",
        (
            Argument("request", "What is to be done, in plain words.", required=True, suggestions=_REQUESTS),
            Argument(
                "language", "The language of the report.", suggestions=("English", "Português", "Español")
            ),
        ),
        _single_step,
    ),
    Prompt(
        "multi_step_workflow",
        "Build something in several steps",
        "Take a larger goal apart, plan the calls, carry them out in order, and sum up.",
        (
            Argument("goal", "What must exist or be true at the end.", required=True, suggestions=_GOALS),
            Argument("constraints", "What must be respected on the way."),
        ),
        _workflow,
    ),
    Prompt(
        "self_discovery",
        "Look around, then act",
        "Read the server's own documentation first, take stock, then plan and carry out a task.",
        (Argument("task", "What to do once the server is known.", required=True, suggestions=_TASKS),),
        _discovery,
    ),
)
"""In the order in which they are listed."""
