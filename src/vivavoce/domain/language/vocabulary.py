"""Vocabulary: the words by which wishes and small talk are told in several languages, without accents."""

from __future__ import annotations


def words(*lines: str) -> frozenset[str]:
    """Every word of the lines."""
    return frozenset(word for line in lines for word in line.split())


def phrases(*lines: str) -> frozenset[tuple[str, ...]]:
    """Every phrase of the lines, which part them with a bar."""
    return frozenset(tuple(phrase.split()) for line in lines for phrase in line.split("|"))


# Who may be asked for, and what may stand before and after them.
PERSONS = words(
    "human humans person representative rep operator attendant agent advisor adviser someone somebody staff",
    "supervisor manager specialist",
    "humano humana pessoa atendente atendentes operador operadora alguem consultor consultora vendedor",
    "vendedora gerente especialista",
    "persona agente asesor asesora alguien supervisora",
)
CALLED_ALONE = words("human humano humana atendente representative operator operador operadora agente agent")
HUMAN_HELP = words(
    "human-support human-help human-agent human-assistance human-being customer-service customer-support",
    "live-agent live-support live-person real-person",
    "atendimento-humano suporte-humano ajuda-humana atendente-humano pessoa-real",
    "atencion-humana agente-humano persona-real soporte-humano",
)
DEPARTMENTS = words("support helpdesk suporte atendimento sac soporte")
"""Where persons are: whoever is passed on to them, or speaks with them, means those."""
FILLERS = words(
    "to with a an the some any one of your live real actual please directly through",
    "com um uma o algum alguma seu sua os verdade pra para pro direto favor por de do da",
    "con un una el algun alguna la su al",
)
AFTERWARDS = words(
    "please now here instead asap about to regarding right today immediately because being and or on for",
    "agent representative at soon then urgently",
    "por pelo agora aqui ai ja urgente sobre para pra pq porque hoje do da de no na e real mesmo logo humano",
    "humana ahora ya aca hoy acerca en y",
)
PURPOSES = words("to for on para pra de do da en y and e")
HELPING = words("help assist talk speak answer call me ajudar falar atender verdade ayudar hablar")

UNMISTAKABLE = words("human representative humano humana atendente")
"""Persons whom nobody asks after but to be passed on to them."""
NEAR = words("here there available now real being agent ai aqui agora ja disponivel humano humana online aca")
"""What may follow where somebody asks whether they are there."""

# What is wished of them.
SPEAKING = words("speak talk chat falar conversar hablar charlar platicar")
WANTING = words(
    "want need prefer like wanna quero queria preciso prefiro gostaria necessito quiero necesito quisiera"
)
PASSING = words(
    "connect transfer escalate forward redirect pass put get give",
    "transfere transfira transferir passa passe passar encaminha encaminhe encaminhar direciona direcione",
    "chama chame chamar conecta conecte conectar",
    "transfiere transfiera pasa pase pasar comunica comunicar pasame comunicame transfiereme llama",
)
MOVING = words("connect transfer redirect transfere transfira encaminha encaminhe transfiereme pasame")
HANDING = words(
    "transfer connect escalate forward redirect",
    "transfere transfira transferir encaminha encaminhe encaminhar direciona direcione passa passe passar",
    "transfiere transfiera pasa pase",
)
"""Told to do so at the beginning of a sentence, one hands over whoever says it, also without naming them."""
OPENERS = words("please can could would you por favor pode poderia podem puede podria voce usted")
REACHING = HANDING | SPEAKING | {"put"}
"""What leads to a department as it does to a person."""
CALLING = words("chama chame chamar escalate llama")
OTHERS = words(
    "you agent agents bot bots it they he she wants wishes needs",
    "robo agente voce voces ele ela eles quer usted",
)
SERVED = words("atendido atendida")
THERE = words("there tem existe ha hay")
"""What asks whether somebody is there."""
DEALING = words("deal")
RATHER = words("rather prefer want like wanna")
"""What makes a wish of dealing with somebody."""
REFUSING = words("don't dont not never without nao nunca sem sin tampoco jamais")
CUSTOMERS = words(
    "customer customers client clients user users visitor visitors cliente clientes usuario usuarios"
)

# What closes a conversation, what goes along with it, and what keeps it open.
THANKS = words(
    "thanks thank thx obrigado obrigada obg brigado brigada valeu vlw gracias muchas merci danke grazie"
)
CLOSINGS = phrases(
    "thanks|thank you|thank u|thankyou|thx|ty|cheers|much appreciated|appreciate it|i appreciate it",
    "that's all|that is all|thats all|that's it|that is it|that was all|nothing else|all good now|all set",
    "problem solved|issue solved|solved|resolved|issue resolved|problem resolved|it's solved|it is solved",
    "that solved it|that solves it|that fixed it|it works now|works now|it worked|that worked|that helped",
    "that helps|bye|goodbye|bye bye|see you|have a nice day|have a good day",
    "obrigado|obrigada|obg|brigado|brigada|valeu|vlw|agradeco|agradecido|agradecida|grato|grata",
    "era so isso|era isso|e so isso|so isso|isso e tudo|por enquanto e so|nada mais|mais nada|e so",
    "resolvido|resolveu|problema resolvido|ja resolvi|consegui resolver|deu certo|funcionou|ajudou muito",
    "tchau|ate logo|ate mais|tenha um bom dia",
    "gracias|muchas gracias|mil gracias|eso es todo|nada mas|era todo|problema resuelto|resuelto|funciono",
    "solucionado|adios|hasta luego",
    "merci|merci beaucoup|merci bien|mille mercis|c'est tout|ce sera tout|au revoir|a bientot|bonne journee",
    "probleme resolu|danke|danke schon|danke sehr|dankeschon|vielen dank|besten dank|herzlichen dank",
    "das ist alles|das war alles|das war's|auf wiedersehen|tschuss|bis bald|schonen tag|erledigt",
    "grazie|grazie mille|mille grazie|tante grazie|molte grazie|e tutto|tutto qui|nient'altro|arrivederci",
    "a presto|buona giornata|problema risolto|risolto",
)
POLITE = words(
    "ok okay great perfect awesome excellent wonderful nice good cool very so much a lot for your you the",
    "help helping answer time support info information quick everything all that's it's that it this is i'm",
    "my problem issue now just have day really again no one more",
    "otimo otima perfeito perfeita maravilha excelente beleza blz show muito mesmo pela pelo ajuda atencao",
    "resposta tudo por enquanto sim ja o meu problema isso era so certinho demais um bom dia boa tarde",
    "noite ate de nada mais foi entao legal joia top bem",
    "muy bien genial perfecto ayuda todo si la respuesta",
    "pour votre ton aide reponse tout parfait super oui fur ihre deine die hilfe antwort gut sehr alles",
    "per il l'aiuto aiuto risposta tutto va bene perfetto ottimo",
)
NOT_CLOSED = words(
    "but however still not doesn't don't didn't isn't can't cannot won't wasn't hasn't advance nothing",
    "what how when where why which who another try unsolved",
    "mas porem ainda nao contudo desde antecipadamente antemao qual como quando onde quanto porque pena",
    "tentar pero aun todavia antemano cual cuando donde cuanto embargo",
    "pas encore comment quand combien aber noch nicht wie wann ancora quando quanto",
)

# How one greets, and whom.
GREETINGS = phrases(
    "hi|hello|hey|hiya|howdy|greetings|good morning|good afternoon|good evening|good day|how are you",
    "how are you doing|how's it going|what's up",
    "oi|ola|opa|alo|e ai|bom dia|boa tarde|boa noite|tudo bem|tudo bom|como vai|td bem",
    "hola|buenos dias|buenas tardes|buenas noches|buenas|buen dia|que tal|como estas|como esta",
    "bonjour|bonsoir|salut|coucou|ca va|comment ca va|comment allez vous|comment vas tu",
    "hallo|guten tag|guten morgen|guten abend|gruss gott|servus|moin|wie geht's",
    "wie geht es dir|wie geht es ihnen",
    "buongiorno|buon giorno|buonasera|buona sera|salve|ciao|come va|come stai|come sta",
)
GREETED = words(
    "there all everyone team folks again friend today",
    "pessoal gente amigo amiga com voce a todos e y tudo equipe",
    "tous tout le monde et zusammen leute und tutti",
)

ACKNOWLEDGING = words(
    "ok okay k yes yep yeah yup sure fine great cool nice good right alright understood perfect awesome",
    "hm hmm aha",
    "blz beleza ta tabom certo sim claro legal top show joia perfeito otimo otima entendi entendido bom bem",
    "bacana combinado isso aham uhum ah ata tranquilo",
    "vale bueno si listo entendido perfecto genial bien",
    "oui d'accord parfait compris klar gut genau verstanden prima certo capito perfetto ottimo bene",
)
"""What says that something was heard, and asks nothing."""
HEARD = phrases(
    "got it|i see|sounds good|that's fine|pode ser|muito bom|muy bien|de acuerdo|tres bien|alles klar|va bene"
)
DENYING = words("no nope nao non nein")

TELLERS = {
    "en": words("hi hello hey thanks thank you good morning bye human agent please want speak talk the is"),
    "pt": words(
        "oi ola obrigado obrigada brigado brigada agradeco valeu vlw bom dia boa tarde noite tchau humano",
        "humana atendente quero gostaria ser atendido atendida falar com chama chame alguem pessoa tem tudo",
        "bem isso era",
    ),
    "es": words(
        "hola gracias buenos dias buenas tardes noches adios muchas quiero hablar con una persona eso es todo"
    ),
    "fr": words("bonjour bonsoir salut coucou merci beaucoup revoir oui d'accord allez vous ca"),
    "de": words("hallo guten abend danke vielen dank wiedersehen tschuss ja nein klar gut geht's"),
    "it": words("buongiorno buonasera salve ciao grazie mille arrivederci stai bene capito tutto"),
}
"""The words of small talk that tell which language is spoken."""
