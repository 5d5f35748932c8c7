"""Triggers at run time: a message that meets the trigger of a step moves its conversation there."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass

from vivavoce.domain.crm import CrmLog, Step
from vivavoce.domain.language.languages import language_of
from vivavoce.domain.moving import MOST_IN_A_MINUTE, is_hasty
from vivavoce.domain.triggers import (
    ENOUGH_WORDS,
    NEAR,
    chosen_in,
    judged_text,
    judging_rules,
    nearest,
    open_steps,
    share_of_words,
)
from vivavoce.domain.turns import Turn
from vivavoce.errors import VivavoceError
from vivavoce.ports import Again, Delta, Embedders, Model, Prompt, Spent

from .handlers import Errand, Work
from .moving import current_stay, enter
from .turns.assembling import Scene
from .turns.extractive import ExtractiveModel
from .turns.guarding import GuardedModel
from .turns.lanes import Taken, check_nobody_took_over
from .turns.opening import why_silent
from .turns.prompt_variables import facts_of
from .turns.spending import Meter, spend

_PATIENCE = 30.0
"""Seconds in which a model must judge; after that the conversation stays where it is."""
_SAMPLING: dict[str, float | int] = {"temperature": 0.0, "max_tokens": 400}
_LONGEST_ANSWER = 400
"""Characters: whoever writes more does not answer with a number."""


@dataclass(frozen=True)
class _Place:
    """Where a conversation stands, and where it may go."""

    stay: CrmLog
    step: Step
    open: list[Step]
    facts: dict[str, str]


async def follow_trigger(known: Scene, model: Model, mine: Taken, errand: Errand) -> bool:
    """Let a conversation enter the step whose trigger its message meets; whether it may have moved.

    It happens once in a turn: one that is begun again sees that it moved the conversation before.
    """
    message = known.query.query
    if known.conversation.step_id is None or not message.strip():
        return False
    place = await errand.read(lambda work: _place(known, mine.turn, work))
    if place is None:
        return False
    if isinstance(model, ExtractiveModel):
        chosen = await _likeliest(message, place.open, errand.ports.embedders)
    else:
        chosen = await _judged(known, place, model, mine, errand)
    if chosen is None:
        return False
    await errand.write(lambda work: _entered(known, place, place.open[chosen], mine, work))
    return True


def _place(known: Scene, turn: Turn, work: Work) -> _Place | None:
    """Where the conversation stands; None where no trigger is to be judged."""
    conversation = known.conversation
    stay = current_stay(conversation, work)
    if stay is None or stay.turn_id == turn.id:
        return None
    logs = work.tables.crm_logs.where(conversation_id=conversation.id, newest_first=True)
    if is_hasty(logs[:MOST_IN_A_MINUTE], work.now):
        return None
    steps = work.tables.steps.where(scenario_id=stay.scenario_id)
    now = next((step for step in steps if step.id == stay.step_id), None)
    if now is None:
        return None
    found = open_steps(steps, now, {log.step_id for log in logs})
    return _Place(stay, now, found, facts_of(conversation, work)) if found else None


async def _judged(known: Scene, place: _Place, model: Model, mine: Taken, errand: Errand) -> int | None:
    """What a model says: which of the steps is meant; none where it fails, or says anything else."""
    spent: list[Spent] = []
    meter = Meter(known.agent, errand.ports, spent)
    prompt = Prompt(
        instructions=judging_rules(place.step, place.open),
        question=judged_text(known.query.query, known.conversation.tags, place.facts),
        sampling=_SAMPLING,
    )
    try:
        async with asyncio.timeout(_PATIENCE):
            answer = await _answer(GuardedModel(model, meter, mine.waiting), prompt, spent)
    except (VivavoceError, TimeoutError):
        return None
    finally:
        if spent or meter.reserved:
            await asyncio.shield(errand.write(lambda work: _counted(meter, work)))
    return chosen_in(answer, len(place.open))


async def _answer(model: Model, prompt: Prompt, spent: list[Spent]) -> str:
    said = ""
    async with aclosing(model.answer(prompt)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Delta):
                said += piece.text
            elif isinstance(piece, Spent):
                spent.append(piece)
            elif isinstance(piece, Again):
                said = ""
            if len(said) > _LONGEST_ANSWER:
                break
    return said


def _counted(meter: Meter, work: Work) -> None:
    if work.tables.agents.find(meter.payer.id) is not None:
        spend(meter, work, turns=0)


async def _likeliest(message: str, steps: Sequence[Step], embedders: Embedders) -> int | None:
    """Without a model: the step whose trigger has the words of the message, or is clearly nearest to it."""
    triggers = [step.trigger or "" for step in steps]
    shares = [share_of_words(trigger, message) for trigger in triggers]
    best = max(range(len(steps)), key=lambda place: shares[place])
    if shares[best] >= ENOUGH_WORDS:
        return best
    embedder = embedders.chosen("en")  # the one whose likeness of short messages was measured
    if embedder.identity not in NEAR:
        return None
    own, foreign = NEAR[embedder.identity]
    try:
        said, *meant = await embedder.passages([message, *triggers])
    except VivavoceError:
        return None
    enough = own if language_of(message) in embedder.languages else foreign
    return nearest([float(said @ each) for each in meant], enough)


def _entered(known: Scene, place: _Place, to: Step, mine: Taken, work: Work) -> None:
    """Enter the step, if the turn is still ours and the conversation still where it was seen."""
    mine.stored(work.tables)
    conversation = work.tables.conversations.find(known.conversation.id)
    step = work.tables.steps.find(to.id)
    if conversation is None or step is None:
        return
    check_nobody_took_over(conversation, mine.turn)
    stay = current_stay(conversation, work)
    if stay is None or stay.id != place.stay.id:
        return
    enter(
        conversation,
        step,
        work,
        cause="trigger",
        may_say=lambda each: not why_silent(known.agent, each, work),
        turn_id=mine.turn.id,
    )
