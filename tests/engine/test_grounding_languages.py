"""Answers and silences in French, German and Italian, without a model."""

import pytest

from .thinkers import open_thinker

BAC = (
    "Le bac traverse la rivière depuis 1874. Le passage coûte deux euros pour un adulte. "
    "Le passeur, Armand Petit, a construit la barque lui-même.\n\n"
    "Le bac reste à quai pendant la crue, parce que le courant rompt les câbles."
)
FAEHRE = (
    "Die Fähre fährt seit 1874 über den Fluss. Die Überfahrt kostet für Erwachsene zwei Euro. Kinder fahren "
    "kostenlos. Der Fährmann Anton Krug hat den Kahn selbst gebaut.\n\n"
    "Bei Hochwasser ruht die Fähre, weil die Strömung das Seil zerreißt."
)
GLOCKE = "Die Glocke hängt im Turm. Die Glocke läutet mittags."
TRAGHETTO = (
    "Il traghetto attraversa il fiume dal 1874. La traversata costa due euro per gli adulti. I ragazzi "
    "passano gratis. Il barcaiolo Piero Lodi ha costruito la barca da solo.\n\n"
    "Durante la piena il traghetto resta fermo, perché la corrente spezza la corda."
)


@pytest.mark.parametrize(
    ("text", "question", "quote", "frame"),
    [
        (BAC, "Combien coûte le passage ?", "deux euros", " écrit : "),
        (BAC, "Qui a construit la barque ?", "Armand Petit", " écrit : "),
        (BAC, "Pourquoi le bac reste-t-il à quai ?", "rompt les câbles", " écrit : "),
        (FAEHRE, "Was kostet die Überfahrt?", "zwei Euro", " schreibt Elinor Ostrom: "),
        (FAEHRE, "Seit wann fährt die Fähre?", "seit 1874", " schreibt Elinor Ostrom: "),
        (FAEHRE, "Wer hat den Kahn gebaut?", "Anton Krug", " schreibt Elinor Ostrom: "),
        (TRAGHETTO, "Quanto costa la traversata?", "due euro", " scrive: "),
        (TRAGHETTO, "Chi ha costruito la barca?", "Piero Lodi", " scrive: "),
        (TRAGHETTO, "Perché il traghetto resta fermo?", "spezza la corda", " scrive: "),
    ],
)
async def test_it_is_answered_in_the_language_of_the_question(tmp_path, text, question, quote, frame):
    with open_thinker(tmp_path) as thinker:
        answer = await asked(thinker, text, question)

    assert quote in answer["citations"][0]["quote"]
    assert frame in answer["response"]


@pytest.mark.parametrize(
    ("text", "question", "said"),
    [
        (BAC, "Combien de barques y a-t-il ?", "corpus que j'ai étudié"),
        (BAC, "Quel âge a le passeur ?", "corpus que j'ai étudié"),
        (FAEHRE, "Wie viele Fähren gibt es?", "Korpus, das ich studiert habe"),
        (FAEHRE, "Wann beginnt das Hochwasser?", "Korpus, das ich studiert habe"),
        (TRAGHETTO, "Quanti traghetti ci sono?", "corpus che ho studiato"),
        (TRAGHETTO, "Quanto costa la corda?", "corpus che ho studiato"),
        (GLOCKE, "Warum läutet die Glocke mittags?", "Korpus, das ich studiert habe"),
        (GLOCKE, "Gibt es Eulen im Turm?", "Korpus, das ich studiert habe"),
    ],
)
async def test_what_the_corpus_lacks_is_refused_in_the_language_of_the_question(
    tmp_path, text, question, said
):
    with open_thinker(tmp_path) as thinker:
        answer = await asked(thinker, text, question)

    assert answer["abstained"]
    assert said in answer["response"]


@pytest.mark.parametrize(
    ("text", "before", "question", "quote"),
    [
        (FAEHRE, "Was kostet die Überfahrt?", "Und für Kinder?", "Kinder fahren kostenlos."),
        (TRAGHETTO, "Quanto costa la traversata?", "e per i ragazzi?", "I ragazzi passano gratis."),
        (BAC, "Quand le bac reste-t-il à quai ?", "Et pourquoi ?", "rompt les câbles"),
    ],
)
async def test_a_short_question_goes_on_with_the_last(tmp_path, text, before, question, quote):
    with open_thinker(tmp_path) as thinker:
        first = await asked(thinker, text, before)
        context = [{"role": "user", "content": before}, {"role": "assistant", "content": first["response"]}]
        answer = await thinker.answers(question, context=context)

    assert quote in " ".join(each["quote"] for each in answer["citations"])


@pytest.mark.parametrize(
    ("message", "begins", "disclosure"),
    [
        ("Bonjour !", "Bonjour. Je suis une IA", "Une IA qui a étudié"),
        ("Guten Tag", "Guten Tag. Ich bin eine KI", "Eine KI, die"),
        ("Buonasera", "Buongiorno. Sono un'IA", "Un'IA che ha studiato"),
    ],
)
async def test_a_greeting_is_returned(tmp_path, message, begins, disclosure):
    with open_thinker(tmp_path) as thinker:
        answer = await asked(thinker, BAC, message)

    assert answer["response"].startswith(begins)
    assert answer["disclosure"].startswith(disclosure)


async def asked(thinker, text, question):
    await (await thinker.opened()).reads(text)
    return await thinker.answers(question)
