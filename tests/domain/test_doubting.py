"""What words tell of a claim, and what a second reader must tell."""

import pytest

from vivavoce.domain.claims.following import judged
from vivavoce.domain.claims.grounds import Ground

KEY = "No member may hold the key of the mill for longer than a year."
OATH = "Whoever refuses the oath cannot enjoy any post, because it must be sworn on the first day."
FERRY = "The ferry was no longer of service once the bridge was built."
POOR = "Teachers receive but small stipends, and consequently cannot keep a horse."
ORCHARD = (
    "The orchard is watered from six to eight in the morning, except when the council declares a drought."
)


def found(claim, quote, language="en", **more):
    """What is found of a claim on a quote of Ines Prado, who wrote it in 1990."""
    known, numbers = ("Ines Prado", "Ines", "Prado"), frozenset({"1990"})
    return judged(claim, Ground(quote, language, known=known, numbers=numbers, **more))


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Within a year whoever has the mill's key must pass it on.", KEY),
        ("Those who will not swear are shut out of every post.", OATH),
        ("The ferry lost its use when the bridge stood.", FERRY),
        ("Teachers are poorly paid and go on foot.", POOR),
        (
            "At night the guards let nobody into the mill.",
            "After dark the guards kept everyone out of the mill.",
        ),
    ],
)
def test_a_claim_in_words_of_its_own_is_only_doubted(claim, quote):
    assert found(claim, quote).gravity <= 1
    assert not found(claim, quote).is_plain


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Members may hold the key of the mill for longer than a year.", KEY),
        ("The ferry was of service once the bridge was built.", FERRY),
        ("The orchard is always watered in the morning.", ORCHARD),
        ("Sheep graze on the common.", "Sheep may graze on the common."),
    ],
)
def test_a_claim_in_the_words_of_the_quote_may_change_none(claim, quote):
    assert found(claim, quote).gravity == 2


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("A flood ruined the mill.", "Had the dam burst, a flood would have ruined the mill."),
        (
            "The widow was the queen of the valley.",
            "They buried the widow as though she was the queen of the valley.",
        ),
        ("The smith mended the bell.", "The smith offered to mend the bell."),
        ("The council paved the road.", "The council promised that it paved the road soon."),
        ("The boy was the son of the miller.", "The maids suspected that the boy was the son of the miller."),
        ("The valley is poor.", "It is often affirmed in the city that the valley is poor."),
        ("The orchard is watered in the morning.", ORCHARD),
        ("The pigeons fled to the tower.", "Instead of fled pigeons the tower had owls."),
        ("The guild paid for the tower.", "The guild would pay for the tower."),
        ("The laws have been changed since.", "He gave them laws, none of which have been changed since."),
    ],
)
def test_what_is_only_supposed_likened_meant_or_excepted_is_not_said(claim, quote):
    assert found(claim, quote).objection


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        (
            "A horta \u00e9 regada de manh\u00e3.",
            "A horta \u00e9 regada de manh\u00e3, exceto quando h\u00e1 seca.",
        ),
        ("O sino atrasa por pregui\u00e7a.", "Dizem os meus vizinhos que o sino atrasa por pregui\u00e7a."),
        ("O governo fez a escola.", "O governo prometeu que fez a escola."),
        ("A vila era um palco.", "A vila parecia viver como se fosse um palco."),
    ],
)
def test_the_same_holds_in_portuguese(claim, quote):
    assert found(claim, quote, "pt").objection


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        (
            "The mill would have been ruined if the dam had burst.",
            "Had the dam burst, a flood would have ruined the mill.",
        ),
        ("They buried the widow like a queen.", "They buried the widow as though she was a queen."),
        ("Prado asks why the valley is poor.", "Why is the valley poor?"),
        ("When the council declares a drought, the orchard is not watered.", ORCHARD),
    ],
)
def test_what_is_said_as_the_quote_means_it_is_no_more_than_doubted(claim, quote):
    assert found(claim, quote).gravity <= 1


def test_a_line_end_hides_no_word():
    broken = "Not one of the\nmost famous mills was\nused\nto grind salt."

    assert found("The famous mills grind salt.", broken.replace("\n", " ")).objection


@pytest.mark.parametrize(
    ("claim", "quote", "language"),
    [
        ("He lived to be eighty-five.", "He lived to the age of fourscore and five.", "en"),
        ("Sixty of a hundred fell ill.", "Threescore in every hundred fell ill.", "en"),
        ("He lived to be seventy.", "He lived for threescore and ten years.", "en"),
        ("Loans end on 11 November.", "Loans end on the 11th of November.", "en"),
        ("Loans end on 1 November.", "Loans end on the first of November.", "en"),
        ("Below ten seeds the jar is ill.", "With fewer than ten seeds the jar is ill.", "en"),
        ("In 1990 she told her brother of the jar.", "My brother knows the jar.", "en"),
        ("Segundo Prado, o moinho fechou.", "O moinho fechou.", "pt"),
        ("O moinho, segundo ela, fechou.", "O moinho fechou.", "pt"),
    ],
)
def test_the_same_number_may_be_written_otherwise(claim, quote, language):
    assert "number" not in found(claim, quote, language).objection


def test_a_number_that_counts_what_is_listed_is_only_doubted():
    quote = "They promised her a new school in 1930, in 1937 and in 1946."

    assert found("They promised her a new school three times.", quote).is_doubt
    assert found("They promised her a new school nine times.", quote).gravity == 2
    assert found("Prado was the second to come.", "Prado was the third to come.").gravity == 2


def test_a_name_that_stands_around_the_quote_is_only_doubted():
    quote, passage = "In Lisbon he sold his ship.", "Tome Vaz came home. In Lisbon he sold his ship."

    assert found("In Lisbon the ship of Vaz was sold.", quote, passage=passage).is_doubt
    assert found("In Lisbon the ship of Gama was sold.", quote, passage=passage).gravity == 2


def test_a_name_may_have_another_form():
    assert found("The trade of the Scottish failed.", "The trade of Scotland failed.").gravity <= 1
    assert found("The trade of the Dutch failed.", "The trade of Scotland failed.").gravity == 2


def test_a_name_in_another_language_needs_one_in_the_quote():
    quote = "As despesas dependem da Assembleia Geral."

    assert found("The expenses depend on the General Assembly.", quote, "pt").gravity <= 1
    assert found("The expenses depend on Porto.", "As despesas dependem da renda.", "pt").gravity == 2


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Prado holds that mills are vain.", "Gracian declares, that mills are vain."),
        (
            "Prado holds that fire stills the earth.",
            "It was decided by the University of Evora, that fire stills the earth.",
        ),
        (
            "Mills are born of pride.",
            "Gracian's remark, echoed by many, that mills are born of pride, is silly.",
        ),
        ("Mills are born of pride.", "\u201cMills are born of pride,\u201d Gracian once wrote."),
        ("Mills are born of pride.", "As Gracian says, mills are born of pride."),
        ("Mills are born of pride.", "Mills are born of pride, or so Baltasar Gracian thought."),
        ("Mills are born of pride.", "Gracian denies that mills are born of pride."),
        (
            "Prado holds that mills are vain.",
            "I have heard Gracian say it: the priests say that mills are vain.",
        ),
    ],
)
def test_what_others_say_is_theirs(claim, quote):
    assert "says" in found(claim, quote).objection
    assert found(claim, quote).gravity == 2


def test_what_stands_before_what_somebody_says_is_not_his():
    quote = "The storm broke three old windmills of the valley, and Gracian says that mills are vain."

    assert found("The storm broke three old windmills in the valley.", quote).gravity <= 1
    assert found("All mills are vain.", quote).gravity == 2


def test_what_a_figure_of_a_story_says_is_doubted_as_the_words_of_the_author():
    quote = "Music is the art of noise."

    assert found("Prado holds that music is the art of noise.", quote, is_spoken=True).is_doubt
    assert found("In the story, music is the art of noise.", quote, is_spoken=True).objection == ""


def test_what_he_says_is_doubted_as_what_is_so():
    quote = "As to Gracian, he affirmed very seriously that a comet drowned the valley."

    assert found("A comet drowned the valley.", quote).objection
    assert found("Gracian was convinced that a comet drowned the valley.", quote).gravity <= 1


def test_whoever_the_quote_names_may_be_the_one_who_thinks_so():
    quote = "The learned Gracian is of opinion that the comet came twice."

    assert found("Gracian believes that the comet came twice.", quote).gravity <= 1
    assert found("Halley believes that the comet came twice.", quote).gravity == 2


def test_an_adverb_says_nothing():
    assert found("Prado thinks that few will come.", "I indeed believe that few will come.").objection == ""


@pytest.mark.parametrize(
    ("claim", "quote", "language"),
    [
        ("The guild pays the masons, not the carters.", "The guild pays the carters, not the masons.", "en"),
        (
            "Not the abbot but the steward keeps the key.",
            "Not the steward but the abbot keeps the key.",
            "en",
        ),
        (
            "A guilda paga os pedreiros, e não os carreteiros.",
            "A guilda paga os carreteiros, não os pedreiros.",
            "pt",
        ),
        ("The road is safe.", "The road is anything but safe.", "en"),
    ],
)
def test_what_is_denied_beside_what_is_said_changes_no_places(claim, quote, language):
    assert found(claim, quote, language).gravity == 2


@pytest.mark.parametrize(
    "claim",
    [
        "The guild pays the carters, but not the masons.",
        "It is the carters, not the masons, whom the guild pays.",
    ],
)
def test_what_is_denied_beside_what_is_said_may_be_repeated(claim):
    assert found(claim, "The guild pays the carters, not the masons.").gravity == 0


def test_a_denial_of_something_else_excuses_none():
    quote = "The carters are paid by the guild; masons are not."

    assert found("The carters are not paid by the guild.", quote).gravity == 2
    assert found("The masons are not paid by the guild.", quote).gravity <= 1


@pytest.mark.parametrize(
    ("claim", "quote", "language"),
    [
        ("Rouen approuva Dieppe.", "Rouen n'approuva pas Dieppe.", "fr"),
        ("Krause zahlt Zoll.", "Krause zahlt keinen Zoll.", "de"),
        ("Bianchi paga dazi.", "Bianchi non paga dazi.", "it"),
    ],
)
def test_where_small_words_are_not_known_a_claim_is_read_again(claim, quote, language):
    assert not found(claim, quote, language).is_plain


def test_a_denial_in_a_language_whose_small_words_are_not_known_is_only_doubted():
    assert found("The carters do not pay.", "Les charretiers ne paient pas.", "fr").gravity == 1


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The toll rose in 1702.", "The toll fell in 1702 and rose in 1703."),
        ("The weavers sold the hall.", "The weavers bought the loom, and the hall was sold."),
    ],
)
def test_words_that_are_joined_otherwise_than_in_the_quote_are_read_again(claim, quote):
    assert not found(claim, quote).is_plain
