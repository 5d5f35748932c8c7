"""The answerer that needs no model: it answers with sentences of the agent's own documents."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator, Sequence

from vivavoce.domain.answers.extracting import Extract, Passage
from vivavoce.domain.answers.repeating import extracts_after
from vivavoce.domain.language.languages import language_of
from vivavoce.domain.questions.standalone import Spoken, standalone
from vivavoce.domain.questions.subjects import has_words
from vivavoce.domain.questions.wishes import (
    after_greeting,
    is_acknowledgement,
    is_greeting,
    says_thanks,
    wants_human,
    wish_language,
)
from vivavoce.ports import Called, Delta, Piece, Prompt, Returned, Spent

from .offering import QUESTION

_HUMAN, _RESOLVED = "request_human", "mark_as_resolved"
_REFUSED = "Not called"
"""How the toolbox begins to say that it did not make a call."""
_FAILED = (_REFUSED, "The avatar did not answer")


class ExtractiveModel:
    """Answers from the passages, and calls for a person or closes a conversation where that is wished."""

    name = "extractive"
    context = 16_000

    async def answer(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        """The sentences that answer, each with the number of its passage."""
        for piece in _pieces(prompt):
            yield piece
        yield Spent(self.name)


def found_nothing(prompt: Prompt) -> str:
    """That the documents do not answer, in the language of the question."""
    return _said(prompt, "unknown")


def _pieces(prompt: Prompt) -> Iterator[Piece]:
    wish = _wish(prompt.question)
    returned = [step.text for step in prompt.steps if isinstance(step, Returned) and step.name == wish]
    if returned and wish == _HUMAN:
        yield Delta(_said(prompt, "no_person" if returned[-1].startswith(_REFUSED) else "passed_on"))
    elif returned:
        yield Delta(_said(prompt, "goodbye"))
    elif wish and any(tool.name == wish for tool in prompt.tools):
        yield Called("call-1", wish, "{}")
    elif wish == _RESOLVED:
        yield Delta(_said(prompt, "goodbye"))
    elif is_greeting(prompt.question):
        yield Delta(_said(prompt, "greeting"))
    elif is_acknowledgement(after_greeting(prompt.question)):
        yield Delta(_said(prompt, "heard"))
    else:
        yield from _extracted(prompt, otherwise="no_person" if wish else "unknown")


def _wish(question: str) -> str:
    """The tool that fulfils what is wished."""
    if wants_human(question):
        return _HUMAN
    return _RESOLVED if says_thanks(question) else ""


def _extracted(prompt: Prompt, *, otherwise: str) -> Iterator[Piece]:
    passages = [
        Passage(each.number, each.text, each.language, each.score, each.source) for each in prompt.passages
    ]
    asked = after_greeting(prompt.question)
    before = [Spoken(said.by != "person", said.text) for said in prompt.history]
    whole = standalone(asked, before)
    extracts = extracts_after(whole, passages) if has_words(asked) else []
    if extracts:
        yield from (Delta(text) for text in _joined(extracts))
    elif otherwise == "unknown" and has_words(asked) and (avatar := _avatar_in(prompt)) is not None:
        yield from _consulted(prompt, avatar, whole.text)
    else:
        is_bare = otherwise == "unknown" and not passages and not prompt.has_datastore
        yield Delta(_said(prompt, "no_model" if is_bare else otherwise))


def _avatar_in(prompt: Prompt) -> str | None:
    """The first avatar that may be asked, by its name as a tool."""
    return next((tool.name for tool in prompt.tools if tool.parameters is QUESTION), None)


def _consulted(prompt: Prompt, avatar: str, asked: str) -> Iterator[Piece]:
    """The question for an avatar, and then what it said, with its sources."""
    told = [step.text for step in prompt.steps if isinstance(step, Returned) and step.name == avatar]
    if not told:
        yield Called("call-1", avatar, json.dumps({"question": asked}))
    else:
        yield Delta(_said(prompt, "unknown") if told[-1].startswith(_FAILED) else told[-1])


def _joined(extracts: Sequence[Extract]) -> Iterator[str]:
    """The sentences one after the other; those without a stop at their end as a list."""
    for place, extract in enumerate(extracts):
        is_item = len(extracts) > 1 and not extract.text.endswith(_STOPS)
        between = (
            "" if place == 0 else "\n" if is_item or not extracts[place - 1].text.endswith(_STOPS) else " "
        )
        yield f"{between}{'- ' if is_item else ''}{extract.text} [{extract.number}]"


def _said(prompt: Prompt, what: str) -> str:
    """A sentence in the language of the question, else of the conversation, else in English."""
    spoken, small_talk = prompt.language or language_of(prompt.question), wish_language(prompt.question)
    told = (spoken, small_talk) if what in _FOR_QUESTIONS else (small_talk, spoken)
    return _SAID[next((each for each in told if each in _SAID), "en")][what]


_FOR_QUESTIONS = ("unknown", "no_model")
_STOPS = tuple('.!?\u2026:;\u3002\uff01\uff1f"\u201d)')
_SAID = {
    "en": {
        "greeting": "Hello! How can I help you?",
        "heard": "All right. Is there anything else that you would like to know?",
        "goodbye": "You are welcome. Write again whenever you need something.",
        "passed_on": "I have asked for a person. Someone will reply to you here.",
        "no_person": "I cannot pass you on to a person here.",
        "unknown": "I found nothing in the documents that answers this. Could you put it in other words?",
        "no_model": "I have nothing to answer from: no language model is configured, "
        "and I have been given no documents.",
    },
    "pt": {
        "greeting": "Olá! Como posso ajudar?",
        "heard": "Certo! Posso ajudar em mais alguma coisa?",
        "goodbye": "Por nada! Escreva de novo quando precisar.",
        "passed_on": "Chamei uma pessoa da equipe. Alguém vai responder aqui.",
        "no_person": "Não consigo transferir você para uma pessoa por aqui.",
        "unknown": "Não encontrei nos documentos nada que responda a isso. Pode perguntar de outro modo?",
        "no_model": "Não tenho de onde responder: nenhum modelo de linguagem está configurado, "
        "e não recebi nenhum documento.",
    },
    "es": {
        "greeting": "¡Hola! ¿En qué puedo ayudar?",
        "heard": "¡De acuerdo! ¿Puedo ayudar en algo más?",
        "goodbye": "¡De nada! Escriba de nuevo cuando lo necesite.",
        "passed_on": "He llamado a una persona del equipo. Alguien le responderá aquí.",
        "no_person": "Desde aquí no puedo pasarle con una persona.",
        "unknown": "No encontré en los documentos nada que responda a esto. ¿Puede preguntarlo de otro modo?",
        "no_model": "No tengo de dónde responder: no hay ningún modelo de lenguaje configurado, "
        "y no he recibido ningún documento.",
    },
    "fr": {
        "greeting": "Bonjour ! Comment puis-je vous aider ?",
        "heard": "D'accord. Puis-je vous aider pour autre chose ?",
        "goodbye": "Je vous en prie. Écrivez de nouveau quand vous voulez.",
        "passed_on": "J'ai appelé une personne de l'équipe. Quelqu'un vous répondra ici.",
        "no_person": "Je ne peux pas vous passer une personne ici.",
        "unknown": "Les documents ne contiennent rien qui réponde à cela. Pouvez-vous le dire autrement ?",
        "no_model": "Je n'ai rien pour répondre : aucun modèle de langage n'est configuré, "
        "et je n'ai reçu aucun document.",
    },
    "de": {
        "greeting": "Guten Tag! Wie kann ich helfen?",
        "heard": "Gut. Möchten Sie noch etwas wissen?",
        "goodbye": "Gern geschehen. Schreiben Sie wieder, wenn Sie etwas brauchen.",
        "passed_on": "Ich habe jemanden aus dem Team gerufen. Sie bekommen hier eine Antwort.",
        "no_person": "Ich kann Sie hier nicht mit einem Menschen verbinden.",
        "unknown": "In den Dokumenten habe ich nichts gefunden, was darauf antwortet. "
        "Können Sie es anders sagen?",
        "no_model": "Ich habe nichts, woraus ich antworten könnte: Es ist kein Sprachmodell eingerichtet, "
        "und ich habe keine Dokumente bekommen.",
    },
    "it": {
        "greeting": "Buongiorno! Come posso aiutare?",
        "heard": "Va bene. Posso aiutare in altro?",
        "goodbye": "Prego! Scriva di nuovo quando ne ha bisogno.",
        "passed_on": "Ho chiamato una persona del gruppo. Qualcuno risponderà qui.",
        "no_person": "Da qui non posso passarle una persona.",
        "unknown": "Non ho trovato nei documenti nulla che risponda a questo. Può dirlo in altro modo?",
        "no_model": "Non ho di che rispondere: nessun modello linguistico è configurato, "
        "e non ho ricevuto alcun documento.",
    },
}
