"""Words: folded, stemmed and weighed, so that what people type meets what texts say."""

import math
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.language.words import (
    K1,
    SHORT_LENGTH,
    bound,
    folded,
    idf,
    respelled,
    shortness,
    terms_of,
    weight,
    words_of,
)


def stem(word: str, language: str) -> str:
    (found,) = words_of(word, language)
    return found


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("returning", "returned", "en"),
        ("shoe", "SHOES", "en"),
        ("policies", "policy", "en"),
        ("John's", "john", "en"),
        ("résumé", "resume", "en"),
        ("devolução", "devoluções", "pt"),
        ("devolução", "DEVOLUCAO", "pt"),
        ("devolucoes", "devoluções", "pt"),
        ("garantia", "garantias", "pt"),
        ("pagamento", "pagamentos", "pt"),
        ("disponível", "disponiveis", "pt"),
        ("urgência", "urgencias", "pt"),
        ("televisão", "televisoes", "pt"),
        ("calle", "calles", "es"),
        ("l'eau", "eau", "fr"),
        ("Straße", "strasse", "de"),
        ("ﬁnal", "final", "en"),
    ],
)
def test_forms_of_one_word_are_one_word(one, other, language):
    assert stem(one, language) == stem(other, language)


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [("shipping", "shopping", "en"), ("casa", "caso", ""), ("pão", "pau", "pt"), ("run", "rung", "en")],
)
def test_different_words_stay_apart(one, other, language):
    assert stem(one, language) != stem(other, language)


def test_small_words_are_left_out_also_without_their_accents():
    assert words_of("the is of and", "en") == {}
    assert words_of("não é você está nao e voce esta", "pt") == {}
    assert words_of("the is of and", "pt").keys() == {"the", "is", "of", "and"}


@pytest.mark.parametrize(
    ("hyphened", "joined", "language"),
    [
        ("small-pox", "smallpox", "en"),
        ("to-day", "today", "en"),
        ("co-operation", "cooperation", "en"),
        ("E-mails", "email", "en"),
        ("micro-ondas", "microondas", "pt"),
    ],
)
def test_a_word_with_a_hyphen_is_found_by_the_word_without(hyphened, joined, language):
    assert words_of(joined, language).keys() <= words_of(f"x {hyphened}.", language).keys()
    assert terms_of(joined, language).keys() <= terms_of(f"x {hyphened}.", language).keys()


def test_a_question_is_read_in_the_spelling_of_the_texts():
    assert respelled("Who had smallpox?", ["The small-pox was feared."]) == "Who had small-pox?"
    assert respelled("Who had smallpox?", ["Small-pox, or smallpox."]) == "Who had smallpox?"
    assert respelled("Who had measles?", ["The small-pox was feared."]) == "Who had measles?"


def test_what_stands_behind_a_verb_is_no_part_of_it():
    assert words_of("Tornou-se famoso.", "pt").keys() == words_of("Tornou famoso.", "pt").keys()


def test_words_are_counted():
    assert words_of("Ship, ship and SHIPS: 30 ships!", "en") == {"ship": 4, "30": 1}


def test_terms_are_the_words_and_each_two_neighbours():
    assert terms_of("The credit cards of the bank", "en") == {
        "credit": 1,
        "card": 1,
        "bank": 1,
        "credit card": 1,
        "card bank": 1,
    }
    assert terms_of("bank", "en") == {"bank": 1}
    assert terms_of("", "en") == {}


@given(st.text(max_size=200), st.sampled_from(["en", "pt", ""]))
def test_every_word_is_a_term_as_often(text, language):
    terms = terms_of(text, language)

    assert {word: terms[word] for word in words_of(text, language)} == words_of(text, language)


@pytest.mark.parametrize("text", ["ação devolução não", "naïve café", "Ünïcödé", "Việt Nam"])
@pytest.mark.parametrize("language", ["pt", "en", ""])
def test_it_does_not_matter_how_accents_are_encoded(text, language):
    assert words_of(unicodedata.normalize("NFD", text), language) == words_of(text, language)


def test_arabic_is_found_with_and_without_vowel_marks():
    assert words_of("الكِتَابُ", "") == words_of("الكتاب", "")
    assert len(words_of("مُحَمَّد رَسُول", "")) == 2


def test_scripts_without_blanks_are_found_by_pairs():
    assert words_of("退货政策", "") == {"退货": 1, "货政": 1, "政策": 1}
    assert words_of("退货", "").keys() <= words_of("我们的退货政策是三十天", "").keys()
    assert words_of("茶", "") == {"茶": 1}
    assert words_of("iPhone手机", "en").keys() == {"iphone", "手机"}


def test_a_pair_script_keeps_its_voice_marks():
    assert words_of("かぎ", "") != words_of("かき", "")


def test_numbers_and_codes_are_words():
    assert words_of("Model X200 costs 49.90", "en").keys() == {"model", "x200", "cost", "49", "90"}


def test_a_text_without_words_has_none():
    assert words_of("", "en") == words_of(" \n\t…—!?", "pt") == words_of("___", "") == {}


@given(st.text(max_size=300), st.sampled_from(["en", "pt", "es", "fr", "de", "it", "", "xx"]))
def test_any_text_gives_words_that_are_counted_and_not_too_long(text, language):
    words = words_of(text, language)

    assert all(word and count > 0 for word, count in words.items())
    assert all(word == word.lower() or not word.isascii() for word in words)
    assert words == words_of(text, language)


@given(st.text(alphabet=st.characters(categories=["Ll", "Lu"], max_codepoint=0x24F), max_size=40))
def test_folding_twice_changes_nothing_more(text):
    assert folded(folded(text)) == folded(text)


@given(st.integers(1, 1_000), st.integers(1, 5_000))
def test_a_word_weighs_more_when_it_is_repeated_and_less_in_a_longer_passage(count, length):
    assert 0 < weight(count, length) < K1 + 1
    assert weight(count, length) < weight(count + 1, length)
    assert weight(count, length) > weight(count, length + 100)


@given(st.integers(1, 5_000))
def test_only_a_short_passage_owes_weight_to_its_length(length):
    assert 0 <= shortness(length) < 0.3
    assert (shortness(length) > 0) == (length < SHORT_LENGTH)


@given(st.integers(1, 10**6), st.data())
def test_a_rarer_word_counts_more(passages, data):
    having = data.draw(st.integers(0, passages - 1))

    assert idf(passages, having) > idf(passages, having + 1) >= 0


@given(st.dictionaries(st.text(max_size=3), st.integers(1, 9), max_size=5), st.integers(1, 400))
def test_no_passage_scores_more_than_the_bound(words, length):
    def rarity(word: str) -> float:
        return idf(100, len(word))

    scored = math.fsum(count * rarity(word) * weight(10**6, length) for word, count in words.items())

    assert scored <= bound(words, rarity) * (1 + 1e-9)


def test_threads_do_not_mix_their_words():
    letters = "bcdfglmnprst"
    written = [
        f"{a}a{b}i{c}{end}" for a, b, c in product(letters, repeat=3) for end in ("ational", "fulness")
    ]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(lambda word: list(words_of(word, "en")), written))
    finally:
        sys.setswitchinterval(before)

    alone = snowballstemmer.stemmer("english").stemWord
    assert found == [[alone(word)] for word in written]
