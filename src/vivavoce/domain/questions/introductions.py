"""Introductions: whether a message only greets, thanks, or asks the one who answers who it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from vivavoce.domain.language.words import folded

from .wishes import is_acknowledgement, is_greeting, says_thanks, wish_language


class SmallTalk(NamedTuple):
    """A message that no corpus answers."""

    kind: Literal["greeting", "thanks", "heard", "who"]
    language: str
    """Empty where its words are of many."""


def small_talk(question: str, names: Sequence[str] = ()) -> SmallTalk | None:
    """What a message is that asks nothing of a corpus; `names` are those of the thinker.

    Doubt means that it asks: a question about the thinker or with a subject of its own is none.
    """
    if is_greeting(question):
        return SmallTalk("greeting", wish_language(question))
    if says_thanks(question):
        return SmallTalk("thanks", wish_language(question))
    if is_acknowledgement(question) and _WORD.search(question) is not None:
        return SmallTalk("heard", wish_language(question))
    asked = " ".join(_WORD.findall(folded(question[:_LONGEST])))
    if len(question) > _LONGEST:
        return None
    named = "|".join(re.escape(folded(name)) for name in names if name.strip())
    for language, pattern in _WHO.items():
        if re.fullmatch(pattern.replace("NAMED", named or "(?!)"), asked) is not None:
            return SmallTalk("who", language)
    return None


_LONGEST = 200
_WORD = re.compile(r"[^\W_]+")
_WHO = {
    "en": r"(?:(?:hi|hello|hey|and|so|but|ok)\s+)*(?:"
    r"who are you(?: really| exactly)?|what are you|who am i (?:talking|speaking) (?:to|with)"
    r"|what s your name"
    r"|what is your name|introduce yourself|(?:please )?tell (?:me|us) (?:something )?about yourself"
    r"|describe yourself"
    r"|are you (?:really |actually )?(?:NAMED|(?:an? )?(?:ai|bot|robot|human|person|machine|chatbot"
    r"|real person"
    r"|language model|human being|avatar)|real|alive|the (?:real |author|thinker).{0,30})"
    r"|what (?:have you|did you) (?:read|studied|study)|what can (?:i|we) ask you(?: about)?|what can you do"
    r"|what do you (?:know|do)(?: about)?|(?:how|what) can you help (?:me|us)(?: with)?)",
    "pt": r"(?:(?:oi|ola|e|mas)\s+)*(?:"
    r"quem (?:e|es) (?:voce|tu)|o que (?:e voce|voce e)|voce e quem|com quem (?:eu )?(?:estou falando|falo)"
    r"|qual (?:e )?(?:o )?(?:seu|teu) nome|como (?:voce )?se chama|apresente se|se apresente"
    r"|fale (?:um pouco )?(?:sobre|de) (?:si|voce)(?: mesmo)?"
    r"|voce e (?:mesmo |mesma |realmente )?(?:(?:o |a )?(?:NAMED)|(?:uma |um )?(?:ia"
    r"|inteligencia artificial|robo"
    r"|humano|humana|pessoa|maquina|bot)|real|de verdade)"
    r"|o que voce (?:leu|estudou|sabe|faz)|o que (?:eu )?posso (?:te )?perguntar(?: a voce)?)",
    "es": r"(?:(?:hola|y|pero)\s+)*(?:"
    r"quien (?:eres|es usted)(?: tu)?|que eres(?: tu)?|con quien (?:hablo|estoy hablando)"
    r"|como te llamas|presentate"
    r"|cual es tu nombre|hablame de ti|(?:tu )?eres (?:realmente )?(?:NAMED|(?:una |un )?(?:ia"
    r"|inteligencia artificial"
    r"|robot|humano|humana|persona|maquina|bot)|real|de verdad)"
    r"|que (?:has leido|has estudiado|sabes|haces|puedes hacer)|que (?:te )?puedo preguntar(?:te)?)",
    "fr": r"(?:(?:bonjour|salut|et|mais)\s+)*(?:"
    r"qui (?:es tu|etes vous)|(?:tu es|vous etes) qui|qu(?:i|e)? ?(?:es tu|etes vous)"
    r"|a qui (?:est ce que je parle|je parle|ai je affaire)|comment (?:t appelles tu|vous appelez vous)"
    r"|quel est (?:ton|votre) nom|presente toi|presentez vous|parlez? moi de (?:toi|vous)"
    r"|(?:est ce que )?(?:es tu|etes vous|tu es|vous etes) (?:vraiment )?(?:NAMED|(?:une? )?(?:ia"
    r"|intelligence artificielle|robot|humaine?|etre humain|personne|machine)|reel(?:le)?)"
    r"|qu (?:as tu|avez vous) (?:lu|etudie)|que (?:sais tu|savez vous|peux tu faire|pouvez vous faire)"
    r"|que puis je (?:te |vous )?demander)",
    "de": r"(?:(?:hallo|guten tag|und|aber)\s+)*(?:"
    r"(?:wer|was) (?:bist du|sind sie)(?: eigentlich| wirklich)?|mit wem (?:spreche|rede) ich"
    r"|wie (?:heisst du|heissen sie)|wie ist (?:dein|ihr) name|stell dich vor|stellen sie sich vor"
    r"|(?:bist du|sind sie) (?:wirklich )?(?:NAMED|(?:eine? )?(?:ki|kunstliche intelligenz|bot|roboter|mensch"
    r"|person|maschine|computer)|echt)|was (?:hast du|haben sie) (?:gelesen|studiert)"
    r"|was (?:weisst du|wissen sie|kannst du|konnen sie)(?: alles)?|was kann ich (?:dich|sie) fragen)",
    "it": r"(?:(?:ciao|buongiorno|salve|e|ma)\s+)*(?:"
    r"chi (?:sei|e lei)(?: tu)?|(?:che )?cosa sei|con chi (?:parlo|sto parlando)|come ti chiami"
    r"|qual e il tuo nome|presentati|si presenti|parlami di te"
    r"|(?:sei|lei e) (?:davvero |proprio )?(?:NAMED|(?:un |una )?(?:ia|intelligenza artificiale"
    r"|robot|bot|uman[oa]|essere umano|persona|macchina)|reale|ver[oa])"
    r"|(?:che )?cosa (?:hai letto|hai studiato|sai|sai fare|puoi fare)|(?:che )?cosa posso chiedert?i?)",
}
