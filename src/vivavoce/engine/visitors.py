"""How the engine keeps what visitors say of themselves."""

from __future__ import annotations

from vivavoce.domain.agents import Agent
from vivavoce.domain.conversations import Conversation
from vivavoce.errors import Conflict, InvalidInput, NotFound
from vivavoce.operations.visitors import CaptureVisitor, VisitorShown

from .contacts import kept_contact
from .conversations import check_visitor, store_conversation
from .handlers import Work, handles
from .references import agent_named


@handles(CaptureVisitor)
def capture_visitor(op: CaptureVisitor, work: Work) -> VisitorShown:
    agent = agent_named(op.id, work)
    found = _conversation(op, agent, work)
    if work.caller.is_anonymous:
        check_visitor(None if found is None else found.id, op.visitor_id, work)
    if found is None:
        raise NotFound("There is no such conversation.", hint="List them with list_conversations.")
    if found.agent_id != agent.id:
        raise Conflict(f"Conversation {found.id!r} is one of another agent.", hint="Name that agent.")
    said = {"email": (op.visitor_email or "").strip(), "phone_number": (op.phone_number or "").strip()}
    given = {name: value for name, value in said.items() if value}
    if not given:
        fault = "is required, or phoneNumber"
        raise InvalidInput(f"visitorEmail: {fault}.", details={"visitorEmail": fault})
    kept = _claimed(found, given, work) if work.caller.is_anonymous else _known(found, given, work)
    store_conversation(kept, work)
    return VisitorShown(
        conversation_id=kept.id, contact_id=None if work.caller.is_anonymous else kept.contact_id
    )


def _conversation(op: CaptureVisitor, agent: Agent, work: Work) -> Conversation | None:
    """The conversation that is named, else the newest one of the visitor."""
    talks = work.tables.conversations
    if op.conversation_id is not None:
        return talks.find(op.conversation_id)
    if op.visitor_id is None:
        return None
    theirs = talks.where(agent_id=agent.id, visitor_id=op.visitor_id, newest_first=True, limit=1)
    return next(iter(theirs), None)


def _claimed(conversation: Conversation, given: dict[str, str], work: Work) -> Conversation:
    """The conversation with what a stranger says, who must not pass for someone we know."""
    before = conversation.metadata.get("visitor")
    spelt = {"phoneNumber" if name == "phone_number" else name: value for name, value in given.items()}
    visitor = {**(before if isinstance(before, dict) else {}), **spelt}
    return conversation.changed(work.now, metadata={**conversation.metadata, "visitor": visitor})


def _known(conversation: Conversation, given: dict[str, str], work: Work) -> Conversation:
    """The conversation with its contact, of whom this is known now."""
    known = None if conversation.contact_id is None else work.tables.contacts.find(conversation.contact_id)
    return conversation.changed(work.now, contact_id=kept_contact(given, known, work).id)
