"""Ends of turns that nothing was said in: told to webhooks, and to who asked for a callback."""

from __future__ import annotations

from typing import Any

from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.turns import Turn, TurnState
from vivavoce.engine.handlers import Work
from vivavoce.engine.time.announcing import WebhookEvent, announce
from vivavoce.engine.time.outgoing import call_back


def tell_of_the_end(turn: Turn, state: TurnState, reason: str, error: str, work: Work) -> None:
    """Tell of a message that was not answered; `error` is the code, where that failed."""
    conversation = work.tables.conversations.find(turn.conversation_id)
    message = work.tables.messages.find(turn.message_id)
    if conversation is None or message is None:
        return
    event: WebhookEvent = "USER_MESSAGE_RECEIVED" if state == "silent" else "AGENT_USER_MESSAGE"
    announce(event, conversation, work, heard=said_together(turn, message, work))
    say_why(reason, error, conversation, turn, work)


def say_why(reason: str, error: str, conversation: Conversation, turn: Turn, work: Work) -> None:
    """Let who asked for a callback know why there is no answer."""
    ids = {"conversationId": conversation.id, "visitorId": conversation.visitor_id or ""}
    why = {"error": error, "message": reason} if error else {"metadata": {"reason": reason}}
    answer_back({**ids, **why}, conversation, turn, work)


def said_together(turn: Turn, message: Message, work: Work) -> Message:
    """The message of a turn, with the words and files of those that are answered with it."""
    together = work.tables.messages.within("id", turn.joined)
    if not together:
        return message
    text = "\n".join(each.text for each in together if each.text)
    files = [file for each in together for file in each.attachments]
    return message.model_copy(update={"text": text, "attachments": files})


def answer_back(body: dict[str, Any], conversation: Conversation, turn: Turn, work: Work) -> None:
    """Let who asked for a callback have what the turn came to."""
    if turn.callback_url is not None:
        call_back(turn.callback_url, body, conversation, turn.message_id, work)
