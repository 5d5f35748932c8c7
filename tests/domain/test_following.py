"""Whether a claim follows from its quote."""

import pytest

from vivavoce.domain.claims.following import judged
from vivavoce.domain.claims.grounds import Ground

KNOWN = ("Elinor Ostrom", "Ostrom", "Elinor", "Governing the Commons")


def objection(claim, quote, **more):
    """Why a claim does not follow from a quote of a book by Elinor Ostrom."""
    given = {"language": "en", "known": KNOWN, "numbers": frozenset({"1990", "42"}), **more}
    return judged(claim, Ground(quote, **given)).objection


def is_plain(claim, quote):
    return judged(claim, Ground(quote, "en", known=KNOWN)).is_plain


MONITORS = "Monitors are accountable to the appropriators or are the appropriators themselves."
RULES = "Most individuals affected by the operational rules can participate in modifying the rules."
NEPAL = "In 1988 we studied 127 irrigation systems in Nepal, of which 86 were managed by farmers."
STATE = (
    "Neither the state nor the market is uniformly successful in enabling individuals to sustain long-term, "
    "productive use of natural resource systems."
)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        (MONITORS, MONITORS),
        ("Ostrom holds that monitors are accountable to the appropriators.", MONITORS),
        ("In Governing the Commons (1990), Elinor Ostrom writes that monitors are accountable.", MONITORS),
        ("Most individuals whom the rules affect can participate in modifying them.", RULES),
        ("Ostrom studied 127 irrigation systems in Nepal.", NEPAL),
        ("Of the irrigation systems studied in Nepal, 86 were managed by farmers.", NEPAL),
        ("According to Ostrom, neither the state nor the market is uniformly successful.", STATE),
        ("Neither state nor market has been uniformly successful, in her view.", STATE),
        ("Rules may be changed by the users.", "The rules may be changed by the users of a resource."),
        ("Eight principles describe them.", "There are 8 principles that describe robust institutions."),
        ("The forest was 25 hectares.", "The forest measured twenty-five hectares in all."),
        ("It is possible that rules change.", "Rules might change."),
        ("Access to water is not equal.", "Access to water is unequal."),
        ("The officials are paid by farmers.", "Farmers pay the officials."),
        ("The market and the state failed.", "The state failed, and the market failed."),
        ('Ostrom calls them "appropriators".', MONITORS),
        ("Os monitores prestam contas aos apropriadores.", "Os monitores prestam contas aos apropriadores."),
        ("No mercado, as regras mudam.", "As regras mudam no mercado."),
    ],
)
def test_what_the_quote_says_follows(claim, quote):
    language = "pt" if quote.startswith(("Os", "As")) else "en"

    assert objection(claim, quote, language=language) == ""


@pytest.mark.parametrize(
    ("claim", "quote", "reason"),
    [
        ("Ostrom studied 128 irrigation systems in Nepal.", NEPAL, "number"),
        ("86 irrigation systems were studied, and 127 were managed by farmers.", NEPAL, "number"),
        ("In 1989 they studied irrigation systems in Nepal.", NEPAL, "number"),
        (
            "Nine principles describe robust institutions.",
            "Eight principles describe robust institutions.",
            "number",
        ),
        ("Two thirds of twelve systems failed.", "Some of the systems failed.", "number"),
        ("Ostrom studied 127 irrigation systems in Spain.", NEPAL, "name"),
        ("Garrett Hardin says that monitors are accountable.", MONITORS, "Hardin"),
        ("Monitors are not accountable to the appropriators.", MONITORS, "denies"),
        ("Sanctions are imposed at once.", "Graduated sanctions are not imposed at once.", "denies"),
        ("The market is uniformly successful.", STATE, "denies"),
        (
            "Rules must be changed by the users.",
            "The rules may be changed by the users of a resource.",
            "must",
        ),
        ("Users change the rules.", "Users may change the rules.", "may be so"),
        ("Rules are simple.", "Rules should be simple.", "should be so"),
        ("Rules must be simple.", "Rules should be simple.", "must"),
        ("All individuals can participate in modifying the rules.", RULES, "all"),
        ("Individuals affected by the rules can participate in modifying the rules.", RULES, "some"),
        (
            "Farmers always manage irrigation systems.",
            "Farmers manage irrigation systems in the valley.",
            "all",
        ),
        (
            "Only farmers manage irrigation systems.",
            "Farmers manage irrigation systems in the valley.",
            "all",
        ),
        (
            "The study proves that farmers manage water.",
            "The study suggests that farmers manage water.",
            "surer",
        ),
        ("Farmers proved that they manage water.", "Farmers said they manage water.", "surer"),
        ("Water use increased in the valley.", "Water use decreased in the valley.", "opposite"),
        ("The new rules were better for farmers.", "The new rules were worse for farmers.", "opposite"),
        ("Canals are longer than rivers.", "Rivers are longer than canals.", "comparison"),
        (
            "Farmers are wiser than officials about water.",
            "Farmers and officials know about water.",
            "compares",
        ),
        ("Rules will change with time.", "Rules changed with time.", "foretells"),
        ("Access to water is unequal.", "Access to water is equal.", "opposite"),
        ("Access to water is equal.", "Access to water is unequal.", "opposite"),
        ("Monitors are accountable, see https://example.com/pay.", MONITORS, "link"),
        ("Monitors are accountable [here](x).", MONITORS, "link"),
        ("Monitors are <b>accountable</b>.", MONITORS, "markup"),
        ("I wrote that monitors are accountable.", MONITORS, "first person"),
        ("My research shows that monitors are accountable.", MONITORS, "first person"),
        ('Ostrom writes that monitors are "the soul of the commons".', MONITORS, "quotation marks"),
        ("Commons are doomed.", "Hardin argues that commons are doomed.", "Hardin"),
        ("Ostrom holds that commons are doomed.", "Critics claim that commons are doomed.", "Critics"),
        (
            "Monitors are accountable to the appropriators themselves, and privatisation ruins fisheries.",
            MONITORS,
            "adds",
        ),
        ("Officials pay the farmers.", "Farmers pay the officials.", "who does what"),
        ("Rules came before monitors.", "Monitors came before rules.", "comes first"),
        ("Drought came because farmers left.", "Farmers left because drought came.", "comes first"),
        ("Bananas grow well under glass roofs.", MONITORS, "more than the quote"),
        ("As regras n\u00e3o mudam.", "As regras mudam com o tempo.", "denies"),
        ("As regras devem mudar.", "As regras podem mudar com o tempo.", "must"),
        ("Todas as regras mudam.", "As regras mudam com o tempo.", "all"),
        ("Las reglas no cambian.", "Las reglas cambian con el tiempo.", "denies"),
        ("Las reglas deben cambiar.", "Las reglas pueden cambiar con el tiempo.", "must"),
    ],
)
def test_what_the_quote_does_not_say_does_not_follow(claim, quote, reason):
    language = "pt" if quote.startswith("As ") else "es" if quote.startswith("Las ") else "en"

    assert reason in objection(claim, quote, language=language)


def test_a_quote_cut_out_of_a_denial_bears_nothing_out():
    around = "It is not true that the commons are doomed."

    assert "denies" in objection("The commons are doomed.", "the commons are doomed", around=around)


def test_a_quote_cut_out_of_what_others_say_is_theirs():
    around = "Hardin claims that the commons are doomed."

    assert "Hardin" in objection("The commons are doomed.", "the commons are doomed", around=around)
    assert (
        objection("Hardin claims that the commons are doomed.", "the commons are doomed", around=around) == ""
    )


def test_what_rousseau_says_is_not_said_by_the_one_who_quotes_him():
    quote = "Sophia, says Rousseau, should be as perfect a woman as Emilius is a man."

    assert "Rousseau" in objection("Sophia should be as perfect a woman as Emilius is a man.", quote)
    assert (
        objection("Rousseau says that Sophia should be as perfect a woman as Emilius is a man.", quote) == ""
    )


def test_an_introduction_is_not_in_the_words_of_the_author():
    claim = "Ostrom argues that monitors are accountable to the appropriators."

    assert "not in the words" in objection(claim, MONITORS, is_by_others=True)
    assert objection(MONITORS, MONITORS, is_by_others=True) == ""


def test_a_name_may_stand_in_the_heading_above_where_the_quote_names_nobody():
    quote = "Farmers manage the canals by rotation."

    assert (
        objection("In Nepal farmers manage the canals by rotation.", quote, nearby="Irrigation in Nepal")
        == ""
    )
    assert "Nepal" in objection("In Nepal farmers manage the canals by rotation.", quote)


def test_a_name_near_the_quote_does_not_replace_the_one_in_it():
    quote = "In Spain the farmers manage the canals by rotation."

    assert "Nepal" in objection("In Nepal the farmers manage the canals.", quote, nearby="Canals in Nepal.")


def test_a_claim_in_another_language_needs_a_second_reader_but_keeps_numbers_and_denial():
    found = judged("Os agricultores administram 86 sistemas no Nepal.", Ground(NEPAL, "en", known=KNOWN))

    assert found.objection == ""
    assert not found.is_plain
    assert "number" in objection("Os agricultores administram 87 sistemas no Nepal.", NEPAL)
    assert "denies" in objection("Os agricultores n\u00e3o administram 86 sistemas no Nepal.", NEPAL)


@pytest.mark.parametrize(
    "claim",
    [
        "Monitors are accountable to the officials.",
        "Monitors answer to the appropriators.",
        "Judges are accountable to the appropriators.",
    ],
)
def test_a_claim_with_words_of_its_own_needs_a_second_reader(claim):
    assert not is_plain(claim, MONITORS)


def test_a_claim_in_the_words_of_the_quote_needs_none():
    assert is_plain("Elinor Ostrom argues that monitors are accountable to the appropriators.", MONITORS)


@pytest.mark.parametrize(
    ("claim", "quote", "reason"),
    [
        ("Commons end in ruin.", "It is a myth that commons end in ruin.", "denies"),
        ("Rules work in groups.", "It is a mistake to think that rules work in groups.", "denies"),
        ("Rules work in groups.", "Supposedly rules work in groups.", "denies"),
        ("It is a myth that monitors are accountable to the appropriators.", MONITORS, "denies"),
        ("The rules work in groups.", "If the users agree, the rules work in groups.", "condition"),
        ("Rules work.", "Rules work unless users cheat.", "condition"),
        ("The canal carried water after 1950.", "Until 1950 the canal carried water.", "condition"),
        ("The rules work in Nepal.", "Did the rules work in Nepal?", "asks"),
        ("The commons were doomed.", "The commons were claimed to be doomed.", "said to be so"),
        ("Rules work in Nepal.", "Rules used to work in Nepal.", "once"),
        ("In 1960 the fee doubled.", "Between 1950 and 1960 the fee doubled.", "between 1950 and 1960"),
        ("5 users cheat.", "About 5 percent of users cheat.", "number"),
        ("100 systems failed.", "At least 100 systems failed.", "only a bound"),
    ],
)
def test_what_is_doubted_asked_or_only_so_under_a_condition_is_not_said(claim, quote, reason):
    assert reason in objection(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quote", "language"),
    [
        ("Os comuns acabam em ru\u00edna.", "\u00c9 um mito que os comuns acabam em ru\u00edna.", "pt"),
        ("As regras funcionam bem.", "Se os usu\u00e1rios concordam, as regras funcionam bem.", "pt"),
        ("As regras funcionam.", "As regras funcionam a menos que algu\u00e9m trapaceie.", "pt"),
        ("As regras funcionam bem.", "Supostamente as regras funcionam bem.", "pt"),
        ("Los comunes acaban en ruina.", "Es un mito que los comunes acaban en ruina.", "es"),
        ("Las reglas funcionan bien.", "Si los usuarios aceptan, las reglas funcionan bien.", "es"),
        ("Las reglas funcionan.", "Las reglas funcionan a no ser que alguien haga trampa.", "es"),
        ("Las reglas funcionan bien.", "Supuestamente las reglas funcionan bien.", "es"),
    ],
)
def test_doubts_and_conditions_are_known_in_portuguese_and_spanish(claim, quote, language):
    assert objection(claim, quote, language=language)


@pytest.mark.parametrize(
    ("claim", "quote", "language"),
    [
        ("That commons end in ruin is a myth.", "It is a myth that commons end in ruin.", "en"),
        ("Rules work if the users agree.", "If the users agree, the rules work.", "en"),
        ("The fee doubled between 1950 and 1960.", "Between 1950 and 1960 the fee doubled.", "en"),
        ("The state provided water.", "The state provided water to the villages.", "en"),
        ("The rules worked in Nepal.", "Did the rules work in Nepal? The rules worked in Nepal.", "en"),
        (
            "As regras se aplicam aos usu\u00e1rios.",
            "As regras se aplicam aos usu\u00e1rios da floresta.",
            "pt",
        ),
    ],
)
def test_what_is_meant_as_in_the_quote_is_plain(claim, quote, language):
    found = judged(claim, Ground(quote, language, known=KNOWN))

    assert (found.objection, found.is_plain) == ("", True)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Rules work.", "Rules work, if users agree."),
        ("Commons end in ruin.", "The commons, it is a mistake to say, end in ruin."),
        (
            "Monitors are paid by the state in Spain.",
            "Monitors are accountable to users in Spain. Guards are paid by the state in Nepal.",
        ),
    ],
)
def test_what_leaves_out_a_doubt_nearby_or_joins_two_sentences_needs_a_second_reader(claim, quote):
    assert not is_plain(claim, quote)


def test_every_sentence_of_a_claim_must_be_borne_out():
    assert "more than the quote" in objection(f"{MONITORS} Pirates eat cheese.", MONITORS)
    assert objection(f"{MONITORS} {RULES}", f"{RULES} {MONITORS}") == ""


@pytest.mark.parametrize(
    "claim",
    [
        "In Governing the Commons (1990), p. 42, Ostrom writes that 127 irrigation systems were studied.",
        "127 irrigation systems were studied in Nepal (Ostrom, 1990, p. 42).",
        "In 1990, Ostrom wrote that 127 irrigation systems were studied.",
        "In her 1990 book Ostrom says that 127 irrigation systems were studied.",
    ],
)
def test_the_year_and_the_page_of_a_work_may_name_it(claim):
    assert objection(claim, NEPAL) == ""


@pytest.mark.parametrize(
    "claim",
    [
        "In 1990 the team studied 127 irrigation systems in Nepal.",
        "They studied 127 irrigation systems (in 1990).",
        "They studied 42 irrigation systems in Nepal.",
    ],
)
def test_the_year_and_the_page_of_a_work_bear_out_no_statement(claim):
    assert "number" in objection(claim, NEPAL)
