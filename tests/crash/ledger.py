"""The ledger: what was accepted, heard, answered and sent, and everything that must not have happened."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .databases import Ask
from .outside import QUESTION
from .people import Load

_REMINDER = re.compile(r"Reminder (r\d+)")


@dataclass(frozen=True)
class Ledger:
    """The figures by their names, and what is wrong in words; nothing where all promises were kept."""

    figures: dict[str, Any]
    wrongs: list[str]


def ledger(load: Load, ask: Ask, kills: int) -> Ledger:
    """What the provider saw and the database holds, weighed against what was accepted."""
    arrivals = dict(ask("select state, count(*) from arrivals where event_id like 'e%' group by state"))
    messages = [json.loads(document) for (document,) in ask("select document from messages")]
    heard = _names(each["text"] for each in messages if each["from_"] == "human")
    said = _names(each["text"] for each in messages if each["from_"] == "agent")
    sent = _names(text for _, _, text in load.taken)
    states = dict(ask("select state, count(*) from deliveries group by state"))
    uncertain = dict(_uncertain(ask))
    reminded = Counter(name for _, _, text in load.taken for name in _REMINDER.findall(text))
    arrived = Counter(id for id, _, _ in load.taken)
    not_sent = set().union(*(set(QUESTION.findall(text)) for text in uncertain.values()))
    not_reminded = {name for text in uncertain.values() for name in _REMINDER.findall(text)}
    lost = load.accepted - set(sent) - not_sent
    wrongs = {
        "accepted and not heard": load.accepted - set(heard),
        "heard more than once": _more(heard),
        "accepted and not answered": load.accepted - set(said),
        "answered more than once": _more(said),
        "lost: neither sent nor marked uncertain": lost,
        "sent more than once": _more(sent),
        "one delivery that arrived twice": _more(arrived),
        "out of order": _out_of_order(load),
        "in the wrong chat": _in_wrong_chat(load),
        "planned and not sent": {name for name, is_ours in load.reminders.items() if is_ours}
        - set(reminded)
        - not_reminded,
        "planned and sent twice": _more(reminded),
        "uncertain in excess of the kills": set(list(uncertain)[kills:]),
        "not delivered for another reason": {
            f"{state}: {number}"
            for state, number in states.items()
            if state not in ("sent", "delivered", "read", "uncertain")
        },
        **load.stories.wrongs(load.taken, ask),
    }
    return Ledger(
        {
            "kills": kills,
            "requests of the provider": load.posts,
            "of these repeated": load.repeats,
            "events recognised as known": load.duplicates,
            "accepted": len(load.accepted),
            "heard": len(heard),
            "answered": len(said),
            "model calls": load.asked,
            "sent": len(sent),
            "tries to send": load.tries,
            "held answers": _held(load),
            "reminders planned / sent": f"{len(load.reminders)} / {len(reminded)}",
            **load.stories.figures,
            "deliveries": ", ".join(f"{state} {number}" for state, number in sorted(states.items())),
            "arrivals": ", ".join(f"{state} {number}" for state, number in sorted(arrivals.items())),
            "uncertain": len(uncertain),
            "of these arrived": sum(arrived[id] for id in uncertain),
            "lost": len(lost),
            "doubled": len(_more(sent)),
            "out of order": len(_out_of_order(load)),
        },
        [f"{what}: {len(names)}, e.g. {sorted(names)[:5]}" for what, names in wrongs.items() if names],
    )


def _names(texts: Iterable[str]) -> Counter[str]:
    """In how many texts each question is named."""
    return Counter(name for text in texts for name in set(QUESTION.findall(text)))


def _uncertain(ask: Ask) -> list[tuple[str, str]]:
    """The deliveries of which it is not known whether they arrived, with what they say."""
    return [
        (str(id), str(document))
        for id, document in ask(
            "select deliveries.id, messages.document from deliveries"
            " join messages on messages.id = deliveries.message_id where deliveries.state = 'uncertain'"
            " order by deliveries.id"
        )
    ]


def _more(numbers: Counter[str]) -> set[str]:
    return {name for name, number in numbers.items() if number > 1}


def _by_chat(load: Load) -> dict[str, list[tuple[int, int]]]:
    """The questions that were answered in each chat, in the order in which the provider saw the answers."""
    found = defaultdict(list)
    for _, chat, text in load.taken:
        for name in QUESTION.findall(text):
            number, _, place = name[1:].partition("x")
            found[chat].append((int(number), int(place)))
    return found


def _out_of_order(load: Load) -> set[str]:
    return {chat for chat, seen in _by_chat(load).items() if seen != sorted(seen)}


def _in_wrong_chat(load: Load) -> set[str]:
    return {
        chat for chat, seen in _by_chat(load).items() if {number for number, _ in seen} != {int(chat[1:])}
    }


def _held(load: Load) -> str:
    """How many answers there were to how many messages that were held."""
    held = [QUESTION.findall(text) for _, chat, text in load.taken if chat.startswith("h")]
    return f"{len(held)} to {sum(map(len, held))} messages"
