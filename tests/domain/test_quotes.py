"""Quotes are found word for word, and nothing but their setting may differ."""

import re
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from vivavoce.domain.corpus.outlines import Outline
from vivavoce.domain.corpus.passages import passages_of
from vivavoce.domain.corpus.quotes import folded, is_verbatim, located

WORDS = [
    "office",
    "affluent",
    "knowledge",
    "well-known",
    "isn't",
    "\u00e9",
    "e",
    "ação",
    "1,000",
    "10-20",
    "not",
    "first",
]
SIGNS = [
    "",
    "",
    "",
    ",",
    ".",
    ";",
    "!",
    ' "so"',
    " - yes",
    " (no)",
    "\u3002\u6761\u6b3e",
    " \u0646\u0639\u0645\u061f",
]
tokens = st.builds(str.__add__, st.sampled_from(WORDS), st.sampled_from(SIGNS))
prose = st.lists(tokens, min_size=1, max_size=30).map(" ".join)
choices = st.randoms(use_true_random=False)

AROUND = " \"'."
SHAPES = {'"': "\u201c\u201d\u201e", "'": "\u2019\u2018", "-": "\u2013\u2014\u2011\u2212"}
LIGATURES = {"ffi": "\ufb03", "ffl": "\ufb04", "ff": "\ufb00", "fi": "\ufb01", "fl": "\ufb02"}


def cited(text, quote):
    span = located(quote, text)
    return None if span is None else text[span.start : span.end]


def typeset(text, random):
    """The text as a page shows it: other blanks, hyphenation, ligatures, curly quotes, accents apart."""
    text = unicodedata.normalize(random.choice(["NFC", "NFD"]), text)
    for letters, ligature in LIGATURES.items():
        text = re.sub(letters, lambda found, sign=ligature: random.choice([found.group(), sign]), text)
    text = re.sub("[\"'-]", lambda found: random.choice([found.group(), *SHAPES[found.group()]]), text)
    text = re.sub(" ", lambda _: random.choice([" ", "\n", "  \r\n ", "\u00a0", "\u2009", " \u200b "]), text)
    breaks = ["", "", "", "\u200b", "\u00ad", "\u2060", "-\n", "\u2010\r\n  ", "\u00ad\n"]
    return re.sub(r"(?<=[a-z])(?=[a-z])", lambda _: random.choice(breaks), text)


@given(prose | st.text(), st.data())
def test_any_stretch_of_a_passage_is_found_as_it_is(text, data):
    passages = list(
        passages_of(text, Outline(), lambda texts: [len(one) for one in texts], size=64, overlap=8)
    )
    assume(passages)
    passage = data.draw(st.sampled_from(passages))
    start = data.draw(st.integers(passage.start, passage.end - 1))
    end = data.draw(st.integers(start + 1, passage.end))
    quote = text[start:end]
    assume(quote.strip() and not unicodedata.combining(text[end : end + 1] or " "))

    span = located(quote, text, passage.start, passage.end)

    assert span is not None
    assert passage.start <= span.start <= start
    assert text[span.start : span.end] == quote


@given(prose, prose, prose, choices)
def test_a_quote_is_found_however_the_text_is_set(before, quote, after, random):
    text = typeset(f"{before} {quote} {after}", random)

    found = cited(text, quote)

    assert found is not None
    assert folded(found).text == folded(quote).text


@given(prose, prose, prose, choices)
def test_a_quote_is_found_however_the_quote_is_set(before, quote, after, random):
    text = f"{before} {quote} {after}"

    found = cited(text, f"\u201c\u2026{typeset(quote, random)}...\u201d")

    assert found is not None
    assert folded(found).text.strip(AROUND) == folded(quote).text.strip(AROUND)


@given(prose, st.data(), choices)
def test_a_quote_with_another_word_is_not_found(quote, data, random):
    text = typeset(quote, random)
    words = quote.split(" ")
    words[data.draw(st.integers(0, len(words) - 1))] = data.draw(
        st.sampled_from(["never", "7", "Office", "knowledges"])
    )

    assert not is_verbatim(" ".join(words), text)


odd = st.text("ef\u0301\u00e9\ufb01i-\u2014\n \u00ad\u200b'\u2019", min_size=1, max_size=12)


@given(odd, odd)
def test_what_is_found_is_what_was_quoted(text, quote):
    found = cited(text, quote)

    bare = folded(quote.strip(" \n'\u2019")).text
    assert found is None or folded(found).text.strip(AROUND) == bare.strip(AROUND)


lines = st.lists(st.sampled_from(["a", "b", "7", "-", " ", "\n", "-\n"]), min_size=1, max_size=8).map("".join)


@given(lines, lines.filter(lambda quote: quote[0].isalnum() and quote[-1].isalnum()))
def test_a_hyphen_at_the_end_of_a_line_may_be_read_as_any_that_makes_a_word(text, quote):
    stretches = {text[start:end] for end in range(len(text) + 1) for start in range(end)}

    expected = any(readings(stretch) & readings(quote) for stretch in stretches)

    assert is_verbatim(quote, text) == expected


PAGE = (
    "The art of knowl-\nedge is well-\nknown; the of\ufb01ce\u00a0has\u200b 10-\n20 people \u2014 "
    "\u201cnot\u201d so\u2013called. Cafe\u0301 and r\u00e9sum\u00e9. It\u2019s pre- and post-war "
    "soft\u00ad\nware. The c\u0153ur\u2014\nhe said."
)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("knowledge is well-known; the office has", "knowl-\nedge is well-\nknown; the of\ufb01ce\u00a0has"),
        ("knowl- edge is", "knowl-\nedge is"),
        ('10-20 people - "not" so-called.', "10-\n20 people \u2014 \u201cnot\u201d so\u2013called."),
        ("Caf\u00e9 and re\u0301sume\u0301", "Cafe\u0301 and r\u00e9sum\u00e9"),
        ("It's pre- and post-war software", "It\u2019s pre- and post-war soft\u00ad\nware"),
        ("\u201cThe art of knowledge\u2026\u201d", "The art of knowl-\nedge"),
        ("[...] the office [...]", "the of\ufb01ce"),
        ("c\u0153ur\u2014 he", "c\u0153ur\u2014\nhe"),
    ],
)
def test_the_setting_of_a_page_does_not_matter(quote, found):
    assert cited(PAGE, quote) == found


@pytest.mark.parametrize(
    "quote",
    [
        "the art of knowledge",  # another case
        "The art of acknowledge",
        "1020 people",  # another number
        "so called",  # another word
        "socalled",
        "Cafe and",  # an accent less
        "Cafe",
        "resume",
        "pre-and post-war",
        "postwar",
        "coeur",  # not a ligature
        "c\u0153urhe",  # a dash is not a hyphen
        '"so" called',
        "off",  # half a ligature
        "",
        "  \n",
        "\u2026",
        "\u200b\u200b",
        "\u201c...\u201d",
    ],
)
def test_nothing_else_may_differ(quote):
    assert cited(PAGE, quote) is None


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The tenant may not\nend the con-\ntract early.", "may not end the contract early"),
        (
            "O locat\u00e1rio n\u00e3o po-\nder\u00e1 res-\ncindir o contra\u00adto.",
            "na\u0303o podera\u0301 rescindir o contrato",
        ),
        ("\u5408\u540c\u671f\u9650\u4e3a\n\u4e00\u5e74\u3002", "\u5408\u540c\u671f\u9650\u4e3a \u4e00\u5e74"),
        (
            "\u0627\u0644\u0639\u0642\u062f\u00a0 \u0633\u0627\u0631\u064a\u061f",
            "\u0627\u0644\u0639\u0642\u062f \u0633\u0627\u0631\u064a",
        ),
        ("\u1100\u1161\u11a8 \u1102\u1161", "\uac01 \ub098"),
    ],
)
def test_quotes_are_found_in_any_language(text, quote):
    assert is_verbatim(quote, text)


def test_a_missing_negation_is_not_verbatim():
    assert not is_verbatim("The tenant may end the contract", "The tenant may not end the contract")


def test_a_quote_is_looked_for_between_the_offsets_only():
    text = "Yes,  it is. Yes,  it is."

    assert located("Yes, it", text, 5) == (13, 21)
    assert located("Yes, it", text, 5, 18) is None


def test_many_quotes_are_looked_for_in_one_folded_text():
    page = folded("One  two. Three\nfour.")

    assert [page.span_of(quote) for quote in ("One two", "Three four", "Five six")] == [
        (0, 8),
        (10, 20),
        None,
    ]


@pytest.mark.parametrize(
    "run",
    [
        "-",
        "a-",
        "a-\n",
        " \n",
        "\u00ad",
        "\u00ad ",
        "\u0301",
        "e\u0301",
        "\ufb01",
        "\u2014",
        '"...',
        "\u1100\u1161",
    ],
)
def test_hostile_runs_come_to_an_end(run):
    text = run * (200_000 // len(run))

    assert located("z z", text) is None
    assert located(text[:2_000] + "z", text) is None


def readings(text):
    """All that a text may mean, hyphen by hyphen."""
    found = re.search(r"(?<=\w)-\s*\n\s*(?=\w)", text)
    if found is None:
        return {" ".join(text.split())} if text == text.strip() else set()
    before, after = text[: found.start()], text[found.end() :]
    means = ["-", "- "] if before[-1].isdigit() or after[0].isdigit() else ["", "-", "- "]
    return set().union(*(readings(before + mean + after) for mean in means))
