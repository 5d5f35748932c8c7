"""Marking: the sentence that is said has what is asked for, though a reader points to another one."""

from asyncio import run
from collections.abc import Iterator

import pytest

from vivavoce.adapters.embedders.chosen import ChosenEmbedders
from vivavoce.domain.answers.reading import Candidate
from vivavoce.engine.voices.extraction import extracted_from
from vivavoce.ports import Reading

PIX = "Aceitamos cartão de débito e Pix. Não aceitamos cheques. O restaurante fica na Rua das Flores."
VISITS = (
    "## Consultas\n\nAs consultas podem ser marcadas por telefone ou pelo site. Quem precisa desmarcar deve"
    " avisar com 24 horas de antecedência. A clínica abre às oito."
)
LENT = (
    "Si possono prendere in prestito cinque libri alla volta. I film sono al massimo due e si restituiscono"
    " entro una settimana. Le riviste non si prestano."
)
BELLS = (
    "Le clocher a deux cloches. La grande cloche, fondue en 1740, pèse deux tonnes. La petite pèse trois"
    " cents kilos et sonne les quarts d'heure."
)
SWIM = {
    "pt": "## O que trazer\n\n- uma touca\n- uma toalha\n- uma moeda para o armário\n\nAs crianças entram com"
    " um adulto.",
    "de": "## Was Sie mitbringen\n\n- eine Badekappe\n- ein Handtuch\n- eine Münze für das Schließfach\n\n"
    "Kinder kommen mit einem Erwachsenen.",
}
PRICES = (
    "## Tickets\n\n| Ticket | Price |\n|---|---|\n| Adults | £9.50 |\n| Students | £6 |\n"
    "| Children under 12 | free |\n\nThe museum is closed on Mondays."
)


@pytest.fixture(scope="module")
def built_in() -> Iterator[ChosenEmbedders]:
    """The models that come with the program."""
    embedders = ChosenEmbedders()
    yield embedders
    embedders.close()


def said(text, question, language, judges, title="Casa"):
    candidate = Candidate.named(title, text, language, 0.9)
    found = run(extracted_from(question, (), [candidate], judges))
    return [text[each.start : each.end] for each in sorted(found.sentences, key=lambda each: each.rank)]


@pytest.mark.parametrize(
    ("language", "text", "question", "first"),
    [
        ("pt", PIX, "Vocês aceitam Pix?", "Aceitamos cartão"),
        ("pt", PIX, "Vocês aceitam cheque?", "Não aceitamos cheques"),
        ("pt", VISITS, "Posso desmarcar a consulta?", "Quem precisa desmarcar"),
        ("pt", VISITS, "Como marco uma consulta?", "As consultas podem"),
        ("it", LENT, "Quanti film posso prendere in prestito?", "I film sono al massimo due"),
        ("it", LENT, "Quanti libri posso prendere in prestito?", "Si possono prendere"),
        ("fr", BELLS, "Combien pèse la grande cloche ?", "La grande cloche"),
        ("fr", BELLS, "Combien pèse la petite cloche ?", "La petite pèse"),
        ("pt", SWIM["pt"], "Preciso de touca?", "uma touca"),
        ("pt", SWIM["pt"], "Preciso de moeda?", "uma moeda"),
        ("de", SWIM["de"], "Brauche ich eine Badekappe?", "eine Badekappe"),
        ("de", SWIM["de"], "Brauche ich ein Handtuch?", "ein Handtuch"),
        ("en", PRICES, "How much is a ticket for children?", "Children under 12 | free"),
        ("en", PRICES, "How much is a ticket for students?", "Students | £6"),
        ("en", "Dogs are welcome here. Cats are not allowed.", "Are dogs allowed?", "Dogs are welcome"),
    ],
)
def test_the_sentence_that_has_all_that_is_asked_for_is_said_first(built_in, language, text, question, first):
    assert said(text, question, language, built_in.judges())[0].startswith(first)


def test_another_item_of_the_list_is_not_said_beside_the_one_that_is_asked_for(built_in):
    for question in ("How much is a ticket for children?", "How much is a ticket for students?"):
        assert len(said(PRICES, question, "en", built_in.judges())) == 1


class Leaning:
    """Points to some words, and is so sure of each sentence that it reads alone."""

    identity = "leans"
    languages = frozenset({"pt"})
    tells_subjects = False

    def __init__(self, pointed: str, *sure: tuple[str, float]) -> None:
        self.pointed, self.sure = pointed, dict(sure)

    async def read(self, question, texts):
        return [Reading(0.0, self._sure_of(text), self._marked(text)) for text in texts]

    async def likeness(self, question, passage):
        return []

    def _sure_of(self, text: str) -> float:
        held = [logit for words, logit in self.sure.items() if words in text]
        return held[0] if len(held) == 1 else 9.0

    def _marked(self, text: str) -> tuple[int, int] | None:
        place = text.find(self.pointed)
        return None if place < 0 else (place, place + len(self.pointed))


@pytest.mark.parametrize(
    ("logit", "told"),
    [
        (4.1, ["Quem vem de ônibus desmarca no balcão.", "Na portaria se marca a visita."]),
        (5.1, ["Quem vem de ônibus desmarca no balcão."]),
        (2.9, ["Na portaria se marca a visita."]),
    ],
)
def test_what_was_pointed_to_is_said_too_where_the_reader_is_surer_of_it(logit, told):
    text = "Na portaria se marca a visita. Quem vem de ônibus desmarca no balcão."
    reader = Leaning("portaria", ("portaria", 5.0), ("ônibus", logit))

    assert said(text, "Onde se desmarca a visita de ônibus?", "pt", [reader], title="Visita") == told
