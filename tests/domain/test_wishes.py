"""Which messages ask for a person, close a conversation or greet, and which only look like it."""

import pytest

from tests.growth import assert_linear
from vivavoce.domain.questions.wishes import (
    after_greeting,
    is_acknowledgement,
    is_greeting,
    says_thanks,
    wants_human,
    wish_language,
)

FOR_A_HUMAN = """\
I want to speak to a human
I'd like to talk to a real person, please
Can I talk to someone about my bill?
Please transfer me to an agent
transfer me
Connect me with a representative
Could you put me through to an operator?
I need a human
human please
Agent!
get me a real person now
How can I speak to a live agent?
This is useless. Let me talk to your manager.
I would prefer human support
I don't want a bot, I want a person
quero falar com um atendente
Quero um humano
Posso falar com uma pessoa de verdade?
me transfere para um atendente por favor
Me transfere
preciso de atendimento humano
atendente
Atendimento humano, por favor
Não entendi nada. Gostaria de falar com alguém do suporte
chama um atendente aí, por favor
Não quero robô, quero falar com gente: quero um atendente
Como faço para falar com um atendente?
quiero hablar con una persona
Necesito un agente humano
pásame con un asesor
transfere para um humano por favor
transferir para atendente
Por favor, encaminhe para o atendimento
Can you transfer to a human?
connect me to support
Please connect me with customer service
put me through to the support
customer service please
Customer support!
quero falar com o suporte
Gostaria de ser atendido por uma pessoa
quero ser atendida por um humano
tem algum humano aí?
Tem atendente humano?
I'd rather deal with a human being
Is there a human here?
""".splitlines()

NOT_FOR_A_HUMAN = """\
Fui atendido por uma pessoa
Não quero ser atendido por um humano
Tem atendente treinado em libras?
How do I deal with a manager?
Is there an operator for string concatenation?
Is there a human on the moon?
Are there human to human transmissions?
Tem operador para a máquina?
Existe operadora no Brasil?
Is there a human resources policy?
There is a human in the photo
human resources policy?
What are the customer service hours?
customer service hours?
Is customer service open today?
Connect me to support articles about billing
How do I transfer to another person?
Transferir dinheiro para uma pessoa
transferir para outra pessoa
Como transferir para atendente no fluxo do CRM?
The agent should transfer to a human after three failures
Do you offer support in French?
Give me support for my printer
How do agents talk to support systems?
Our customer service is slow
What is the human resources policy on holidays?
o atendimento humano funciona quando?
Qual é o horário do atendimento humano?
I want to talk about my order
I don't want to talk to a human
Não quero falar com atendente
How do I transfer money to another person?
Can the agent talk to a person on WhatsApp?
Are you a human or a bot?
I spoke to an agent yesterday and the refund came
falei com um atendente ontem e deu certo
How do I transfer my account to someone?
What happens when customers want to speak to a human?
How do I talk to a person who is angry?
Do I need a person to sign the contract?
How do I create an agent?
I need an agent that answers in French
quero criar um agente
Quanto ganha um atendente?
Quero saber o preço por pessoa
I need human-readable dates
Preciso de uma pessoa jurídica para abrir conta?
Can you transfer me the invoice?
me transfere o valor hoje mesmo do pedido
How many people work there?
Qual pessoa assina o contrato?
o cliente quer falar com um atendente, o que faço?
talk to me
thanks
""".splitlines()

THANKS = """\
thanks, that solved it
Thank you!
Thanks a lot for your help
ok thanks
perfect, thank you so much
No, thanks
that's all, thank you
It works now, thanks
Problem solved
Thanks Maria!
bye
obrigado, era só isso
Obrigada!
valeu
Vlw, deu certo
Muito obrigado pela ajuda
Não, obrigado. Era só isso.
resolvido, obrigado
Perfeito, muito obrigada mesmo
tchau, obrigado
muchas gracias
Gracias, eso es todo
""".splitlines()

NOT_THANKS = """\
thanks, but it still fails
obrigado, mas ainda não funciona
thank you, and what about shipping?
thank you, and what about shipping
Thanks in advance
Obrigado desde já
is it solved?
The problem is not solved
não funcionou, obrigado
How do I say thank you in French
the thank you page is broken
Thanks for nothing
valeu a pena comprar o plano
Valeu a pena?
Perfect
ok
My order is resolved wrongly in your system
thanks, I will try it tomorrow and come back
Obrigado, e qual é o prazo de entrega
gracias, pero no funciona
Do you have thank you cards
How was the issue resolved
did it work
""".splitlines()

GREETINGS = """\
hi
Hello!
Hey there
Good morning
Hi Maria
hello, how are you?
oi
Olá, tudo bem?
Bom dia!
boa tarde pessoal
Oi, bom dia
hola
Buenos días
¿Hola, qué tal?
""".splitlines()

NOT_GREETINGS = """\
Hi, what is the price?
hello world program
good morning hours
Bom dia, qual é o horário?
oi preço
What is a greeting?
hey, it fails
Olá, quero um reembolso
bom dia da semana para visitar
thanks
good
""".splitlines()


@pytest.mark.parametrize("text", FOR_A_HUMAN)
def test_a_wish_for_a_person_is_heard(text):
    assert wants_human(text)


@pytest.mark.parametrize(
    "text", [*NOT_FOR_A_HUMAN, *NOT_THANKS, *THANKS, *GREETINGS, *NOT_GREETINGS, "", "?"]
)
def test_a_message_that_names_people_does_not_ask_for_one(text):
    assert not wants_human(text)


@pytest.mark.parametrize("text", THANKS)
def test_a_closing_thank_you_is_heard(text):
    assert says_thanks(text)


@pytest.mark.parametrize("text", [*NOT_THANKS, *FOR_A_HUMAN, *NOT_FOR_A_HUMAN[:-1], *GREETINGS, "", "!"])
def test_thanks_with_something_left_to_do_close_nothing(text):
    assert not says_thanks(text)


@pytest.mark.parametrize("text", GREETINGS)
def test_a_greeting_is_heard(text):
    assert is_greeting(text)


@pytest.mark.parametrize("text", [*NOT_GREETINGS, *THANKS, *FOR_A_HUMAN, "", "\U0001f600"])
def test_a_greeting_with_a_question_is_a_question(text):
    assert not is_greeting(text)


@pytest.mark.parametrize(
    ("text", "language"),
    [("Hi there", "en"), ("Oi", "pt"), ("Muito obrigado", "pt"), ("muchas gracias", "es"), ("xyzzy", "")],
)
def test_small_talk_tells_its_language(text, language):
    assert wish_language(text) == language


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Boa tarde! Qual o telefone?", "Qual o telefone?"),
        ("Oi, tudo bem? Qual o telefone?", "Qual o telefone?"),
        ("bom dia abre domingo?", "abre domingo?"),
        ("Olá a todos! Onde fica?", "Onde fica?"),
        ("Oi Ana, abre domingo?", "abre domingo?"),
        ("Hi there, when do you open?", "when do you open?"),
        ("¡Hola! ¿Dónde están?", "¿Dónde están?"),
    ],
)
def test_a_greeting_before_a_question_is_taken_off(text, left):
    assert after_greeting(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "Oi!",
        "Bom dia",
        "Oi, tudo bem?",
        "Como está meu pedido?",
        "Tudo bem se eu devolver?",
        "What's up with my order?",
        "How are you different from the others?",
        "Hello Kitty is a cat?",
        "Hello Kitty: when was it made?",
        "Hi-Fi: o que é?",
        "",
        "?",
    ],
)
def test_what_only_greets_or_only_looks_like_it_stays_whole(text):
    assert after_greeting(text) == text


@pytest.mark.parametrize(
    "text",
    ["ok", "Sim!", "tá bom", "kkkk", "não", "Ok, entendi", "rsrs", "👍", "yes", "vale", "got it", "não, não"],
)
def test_an_acknowledgement_is_heard(text):
    assert is_acknowledgement(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "?",
        "ok?",
        "preço",
        "sim, quero dois",
        "certo, e o frete",
        "no refunds",
        "não entendi",
        "nao ta certo",
        "no good",
        "it",
        "ja",
    ],
)
def test_what_asks_or_tells_something_is_no_acknowledgement(text):
    assert not is_acknowledgement(text)


@pytest.mark.parametrize(
    "unit", ["speak to a ", "thanks ", "quero falar com ", "hi ", "oi, ", "a", ",", "' "]
)
def test_the_time_that_a_message_takes_grows_with_its_length_alone(unit):
    def reads(size: int) -> None:
        text = unit * (size // len(unit))
        wants_human(text), says_thanks(text), is_greeting(text), wish_language(text)
        after_greeting(text), is_acknowledgement(text)

    assert_linear(reads, 1_000_000)
