"""How the engine carries out operations on access lists, and whom they keep from being answered."""

from __future__ import annotations

from collections.abc import Iterable

from vivavoce.domain.access import (
    MOST_LISTED,
    ON_WHATSAPP,
    AccessEntry,
    AccessKind,
    compared,
    names_of,
    phones_of,
)
from vivavoce.domain.agents import Agent
from vivavoce.domain.conversations import Conversation
from vivavoce.errors import Conflict, NotFound
from vivavoce.operations.access import (
    AddToBlacklist,
    AddToWhitelist,
    Blacklist,
    BlacklistEntry,
    ListAgentBlacklist,
    ListAgentWhitelist,
    ListBlacklist,
    RemovedFromBlacklist,
    RemovedFromWhitelist,
    RemoveFromBlacklist,
    RemoveFromWhitelist,
    ReplaceInWhitelist,
    Whitelist,
    WhitelistEntry,
)
from vivavoce.operations.conversation_results import AgentFace

from .handlers import Work, handles
from .references import agent_named


def why_kept_out(agent: Agent, conversation: Conversation, work: Work) -> str:
    """Why the lists of an agent keep it from answering someone, in words; nothing where they do not."""
    if not work.tables.access.where(agent_id=agent.id, limit=1):
        return ""
    contact = work.tables.contacts.find(conversation.contact_id or "")
    found = _listed(agent, names_of(conversation, contact), work)
    if any(entry.kind == "blacklist" for entry in found):
        return "The person is on the blacklist of the agent."
    if conversation.channel not in ON_WHATSAPP:
        return ""
    phones = {compared(number) for number in phones_of(conversation, contact)}
    is_allowed = any(entry.kind == "whitelist" and entry.who in phones for entry in found)
    if not is_allowed and work.tables.access.count(agent_id=agent.id, kind="whitelist"):
        return "The number is not on the whitelist of the agent."
    return ""


@handles(ListBlacklist)
def list_blacklist(op: ListBlacklist, work: Work) -> Blacklist:
    return _shown(work.tables.access.where(kind="blacklist"), work)


@handles(ListAgentBlacklist)
def list_agent_blacklist(op: ListAgentBlacklist, work: Work) -> Blacklist:
    agent = agent_named(op.agent_id, work)
    return _shown(work.tables.access.where(agent_id=agent.id, kind="blacklist"), work)


@handles(AddToBlacklist)
def add_to_blacklist(op: AddToBlacklist, work: Work) -> Blacklist:
    agent = agent_named(op.agent_id, work)
    people = [op.user_identify] if isinstance(op.user_identify, str) else op.user_identify
    entries = [
        _entry(agent, "blacklist", name, work) or _added(agent, "blacklist", name, work)
        for name in _each_once(people)
    ]
    return _shown(entries, work)


@handles(RemoveFromBlacklist)
def remove_from_blacklist(op: RemoveFromBlacklist, work: Work) -> RemovedFromBlacklist:
    agent = agent_named(op.agent_id, work)
    entry = work.tables.access.find(op.id)
    if entry is None or entry.agent_id != agent.id or entry.kind != "blacklist":
        raise NotFound(
            f"The blacklist of agent {agent.id!r} has no entry {op.id!r}.",
            hint="List them with list_agent_blacklist.",
        )
    work.tables.access.drop(entry.id)
    return RemovedFromBlacklist(id=entry.id)


@handles(ListAgentWhitelist)
def list_agent_whitelist(op: ListAgentWhitelist, work: Work) -> Whitelist:
    agent = agent_named(op.agent_id, work)
    entries = work.tables.access.where(agent_id=agent.id, kind="whitelist")
    return Whitelist(entries=[_number(entry) for entry in entries])


@handles(AddToWhitelist)
def add_to_whitelist(op: AddToWhitelist, work: Work) -> Whitelist:
    agent = agent_named(op.agent_id, work)
    numbers = [op.whatsapp_number] if isinstance(op.whatsapp_number, str) else op.whatsapp_number
    for number in numbers:
        _check_free(agent, number, work)
    added = [_added(agent, "whitelist", number, work) for number in _each_once(numbers)]
    return Whitelist(entries=[_number(entry) for entry in added])


@handles(ReplaceInWhitelist)
def replace_in_whitelist(op: ReplaceInWhitelist, work: Work) -> WhitelistEntry:
    agent = agent_named(op.agent_id, work)
    entry = _on_whitelist(agent, op.old_whatsapp_number, work)
    if compared(op.new_whatsapp_number) != entry.who:
        _check_free(agent, op.new_whatsapp_number, work)
    replaced = entry.changed(work.now, who=compared(op.new_whatsapp_number), named=op.new_whatsapp_number)
    work.tables.access.replace(replaced)
    return _number(replaced)


@handles(RemoveFromWhitelist)
def remove_from_whitelist(op: RemoveFromWhitelist, work: Work) -> RemovedFromWhitelist:
    entry = _on_whitelist(agent_named(op.agent_id, work), op.whatsapp_number, work)
    work.tables.access.drop(entry.id)
    return RemovedFromWhitelist()


def _listed(agent: Agent, names: set[str], work: Work) -> list[AccessEntry]:
    return [entry for entry in work.tables.access.within("who", sorted(names)) if entry.agent_id == agent.id]


def _shown(entries: list[AccessEntry], work: Work) -> Blacklist:
    agents = work.tables.agents.within("id", sorted({entry.agent_id for entry in entries}))
    faces = {agent.id: AgentFace(id=agent.id, name=agent.name, icon_url=agent.icon_url) for agent in agents}
    return Blacklist(
        entries=[
            BlacklistEntry(
                id=entry.id,
                agent_id=entry.agent_id,
                user_identify=entry.named,
                organization_id=entry.organization_id,
                agent=faces[entry.agent_id],
            )
            for entry in entries
        ]
    )


def _number(entry: AccessEntry) -> WhitelistEntry:
    return WhitelistEntry(agent_id=entry.agent_id, whatsapp_number=entry.named)


def _each_once(names: Iterable[str]) -> list[str]:
    """The names without those that mean the same person again."""
    return list({compared(name): name for name in reversed(list(names))}.values())[::-1]


def _entry(agent: Agent, kind: AccessKind, name: str, work: Work) -> AccessEntry | None:
    return next(iter(work.tables.access.where(agent_id=agent.id, kind=kind, who=compared(name))), None)


def _added(agent: Agent, kind: AccessKind, name: str, work: Work) -> AccessEntry:
    if work.tables.access.count(agent_id=agent.id, kind=kind) >= MOST_LISTED:
        raise Conflict(
            f"The {kind} of agent {agent.id!r} has {MOST_LISTED} entries.",
            hint=f"Take one off with remove_from_{kind}.",
        )
    entry = AccessEntry(**work.identity(), agent_id=agent.id, kind=kind, who=compared(name), named=name)
    work.tables.access.add(entry)
    return entry


def _check_free(agent: Agent, number: str, work: Work) -> None:
    if _entry(agent, "whitelist", number, work) is not None:
        raise Conflict(
            f"The number {number!r} is on the whitelist of agent {agent.id!r} already.",
            hint="list_agent_whitelist shows those that are.",
        )


def _on_whitelist(agent: Agent, number: str, work: Work) -> AccessEntry:
    entry = _entry(agent, "whitelist", number, work)
    if entry is None:
        raise NotFound(
            f"The whitelist of agent {agent.id!r} has no number {number!r}.",
            hint="List them with list_agent_whitelist.",
        )
    return entry
