"""Where sentences begin and end."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.language.sentences import LONGEST, Span, sentences_of

MILLION = 1_000_000

# Text that has something to decide: stops, blanks, abbreviations, marks, halves of pairs.
STOPS = ["?!", "...", "\u2026", '."', ".) ", "\u3002", "\uff1f", "\u061f", "\u0964"]
LINES = ["\n", "\n\n", "\r\n", "- ", "1. ", "# ", "|", "\t"]
WORDS = ["Dr. ", "art. 5", "e.g. ", "3.14", "A. ", "word ", "Word "]
MARKS = ["e\u0301", "\u0301", "\ud83d", "\U0001f468\u200d\U0001f469"]
fragments = st.sampled_from([*STOPS, *LINES, *WORDS, *MARKS])
texts = st.lists(fragments | st.text(max_size=8) | st.text(st.characters(), max_size=8), max_size=60).map(
    "".join
)


def sentences(text):
    return [text[start:end] for start, end in sentences_of(text)]


@given(texts, st.integers(0, 40), st.integers(0, 200))
def test_sentences_tile_the_stretch(text, start, length):
    start = min(start, len(text))
    end = min(start + length, len(text))

    spans = list(sentences_of(text, start, end))

    assert "".join(text[span.start : span.end] for span in spans) == text[start:end]
    assert all(span.start < span.end for span in spans)
    assert [span.end for span in spans[:-1]] == [span.start for span in spans[1:]]


@given(texts.map(lambda text: text * 40))
def test_no_sentence_is_longer_than_the_most_nor_begins_with_a_blank(text):
    found = sentences(text)

    assert all(len(sentence.strip()) <= LONGEST for sentence in found)
    assert not any(sentence[0].isspace() for sentence in found[1:])


@pytest.mark.parametrize(
    "expected",
    [
        ["Dr. Smith met J. S. Bach. ", "He paid 3.14 each."],
        ["See Fig. 3, No. 7 and p. 12, e.g. the table, i.e. the grid, etc. and so on. ", "Next."],
        ["Is it modern art. ", "The end came. ", "No. ", "We stay."],
        ['"Really?!" she asked. ', "Yes... maybe. ", "(It was so.) ", "Then \u201cGo.\u201d ", "Stop!"],
        ["Read https://example.com/a.b?c=d. ", "Wait for v1.2.3 of it. ", "It costs 1,000.50 today."],
        ["It is known.[1][2] ", "It is **bold.** ", "Hello there? ", "how are you"],
        ["O Exmo. Sr. Silva e a Sra. Dra. Costa leram a p\u00e1g. 9. ", "Pagaram R$ 1.000,50."],
        ["Conforme o art. 5\u00ba, n\u00ba 3, cap. IV, do s\u00e9c. XIX. ", "A lei vale."],
        ["Sie gilt ab dem 1. M\u00e4rz 2016. ", "Am 24. Mai im 2. Stock, z. B. Kisten bzw. Waren."],
        ["Er starb im 19. Jahrhundert. ", "Vom 3. Absatz blieb nichts. ", "Wir waren 12. ", "Dann kam Jan."],
        ["La Sig.ra Rossi e il dott. Verdi. ", "Mme. Petit, env. 30 ans. ", "Lo da D\u00f1a. Pilar."],
        ["I am 12. ", "My brother is 14. ", "They were born in the 19. ", "Then we left at 5."],
        ["\u4f60\u597d\u3002", "\u4ed6\u8bf4\u201c\u597d\uff01\u201d", "\u8d70\u4e86\u5417\uff1f", "\u662f"],
        ["\u0647\u0644 \u0647\u0630\u0627\u061f ", "\u0646\u0639\u0645. ", "\u0634\u0643\u0631\u0627"],
        ["\u092f\u0939 \u0939\u0948\u0964 ", "\u0935\u0939 \u0939\u0948\u0964"],
        [
            "A title\n\n",
            "A line\nthat goes on\n",
            "- one\n",
            "- two\nand on\n",
            "1. First. ",
            "Second.\n",
            "a) Third",
        ],
        ["# Title\n", "Body\n", "name\tage\n", "Ann\t40\n", "| a | b |\n", "The end"],
    ],
)
def test_sentences_end_where_a_reader_would_say(expected):
    assert sentences("".join(expected)) == expected


def test_a_long_run_is_cut_at_blanks_where_it_has_any():
    found = sentences("\u0e01\u0e02\u0e04\u0e07 " * 1_000)

    assert all(sentence.endswith(" ") and len(sentence.strip()) <= LONGEST for sentence in found)


def test_a_long_run_is_not_cut_between_a_letter_and_its_mark_nor_inside_an_emoji():
    family = "\U0001f468\U0001f3fd\u200d\U0001f469\U0001f3fd\u200d\U0001f467"

    found = [*sentences("xe\u0301" * 999), *sentences(("x" + family) * 300), *sentences("\ud83d\ude00" * 999)]

    assert not any(unicodedata.combining(sentence[0]) for sentence in found)
    assert not any(
        sentence[0] in "\u200d\U0001f3fd\ude00" or sentence[-1] in "\u200d\ud83d" for sentence in found
    )


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("." * MILLION, 1_000),
        ("a." * (MILLION // 2), 1_000),
        (" " * MILLION, 1),
        ("\n" * MILLION, 1),
        ("a" + " " * MILLION + "b", 2),
        ("A. " * (MILLION // 3), 1_001),
        ("a\r" * (MILLION // 2), 1_000),
        ("?! " * (MILLION // 3), MILLION // 3),
        (".[1]" * (MILLION // 4), 1_000),
        ("- a\n" * (MILLION // 4), MILLION // 4),
        ("\u0301" * MILLION, 1_000),
        ("x" * MILLION, 1_000),
    ],
    ids=lambda value: repr(value)[:12],
)
def test_hostile_runs_come_to_an_end(text, count):
    assert sum(1 for _ in sentences_of(text)) == count


def test_sentences_come_one_by_one():
    found = sentences_of("One. " * 10_000_000)

    assert next(found) == Span(0, 5)
