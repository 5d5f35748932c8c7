"""Passages: verbatim, in order, nothing lost, and no longer than the embedder reads."""

import re
from bisect import bisect_right
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.corpus.borders import borders_of
from vivavoce.domain.corpus.documents import MOST_TITLES, Heading, Part, headings_in
from vivavoce.domain.corpus.outlines import Mark, Outline, OutlineBuilder, Title
from vivavoce.domain.corpus.passages import Passage, document_of, passages_of
from vivavoce.domain.language.sentences import sentences_of

SENTENCES = [
    "The embedder reads no more than so many tokens at once. ",
    "Dr. Smith said no.\n",
    "A cancellation, where it is made within seven days, is free of charge; later, it costs half. ",
    "O contrato, nos termos do art. 5\u00ba, vale por 12 meses. ",
    "\u5408\u540c\u4e00\u5e74\u6709\u6548\u3002",
    "\u0647\u0644 \u0647\u0630\u0627 \u0635\u062d\u064a\u062d\u061f ",
    "- an item of a list\n",
    "\n\n",
]
sentences = st.sampled_from(SENTENCES)
junk = st.text(max_size=30) | st.sampled_from(
    ["x" * 3_000, "{" * 500, "a, b; " * 400, "e\u0301" * 700, " " * 2_000]
)


@st.composite
def parts(draw, bodies):
    """A page with titles, each on a line of its own."""
    text, headings = "", []
    for body in draw(st.lists(bodies, max_size=6)):
        if draw(st.booleans()):
            text += "\n" if text and not text.endswith("\n") else ""
            title = draw(st.sampled_from(["Terms", "How to cancel", "\u6761\u6b3e"]))
            headings.append(Heading(len(text), draw(st.integers(1, 3)), title))
            text += f"{title}\n"
        text += body
    page = draw(st.none() | st.integers(1, 9))
    return Part(f"{text}\n", page, draw(st.sampled_from([None, "xii"])), tuple(headings))


def documents(bodies):
    return st.lists(parts(bodies), max_size=4).map(document_of)


texts = st.lists(sentences, max_size=12).map("".join)
tame = documents(texts)
wild = documents(texts | junk)
sizes = st.integers(8, 80).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size // 4)))


def words(texts):
    """The length of each text in words and signs."""
    return [len(re.findall(r"\w+|[^\w\s]", text)) for text in texts]


def framed(texts):
    """The length of each text to an embedder that sets every text between two marks and splits long words."""
    return [2 + sum(-(-len(word) // 4) for word in re.findall(r"\w+|[^\w\s]", text)) for text in texts]


def crooked(texts):
    """Lengths that do not add up: a long text has more tokens than its sentences have together."""
    return [len(text) // 5 + len(text) ** 2 // 20_000 for text in texts]


def passages(document, size, overlap, lengths=words):
    return list(passages_of(*document, lengths, size=size, overlap=overlap))


@given(wild, sizes, st.sampled_from([words, framed, crooked]))
def test_passages_are_verbatim_in_order_and_nothing_is_lost(document, sizes, lengths):
    text, _ = document

    found = passages(document, *sizes, lengths)

    lost = bytearray(not character.isspace() for character in text)
    for passage in found:
        lost[passage.start : passage.end] = bytes(passage.end - passage.start)
        assert text[passage.start : passage.end].strip() == text[passage.start : passage.end] != ""
    assert not any(lost)
    assert all(one.start < next_.start and one.end < next_.end for one, next_ in pairwise(found))


@given(wild, sizes, st.sampled_from([words, framed, crooked]))
def test_no_passage_has_more_tokens_than_the_embedder_reads(document, sizes, lengths):
    text, _ = document

    found = passages(document, *sizes, lengths)

    assert [passage.tokens for passage in found] == lengths([text[one.start : one.end] for one in found])
    assert all(passage.tokens <= sizes[0] for passage in found)


@given(wild, sizes)
def test_the_same_document_gives_the_same_passages(document, sizes):
    assert passages(document, *sizes) == passages(document, *sizes)


@given(wild, sizes)
def test_passages_overlap_by_whole_sentences_of_one_section(document, sizes):
    text, outline = document
    starts, ends = sentence_edges(text, outline)
    titles = [title.start for title in outline.titles]

    found = passages(document, *sizes)

    for one, next_ in pairwise(found):
        if next_.start < one.end:
            assert words([text[next_.start : one.end]])[0] <= sizes[1]
            assert next_.start in starts
            assert one.end in ends
            assert bisect_right(titles, next_.start) == bisect_right(titles, one.end - 1)


@given(wild, sizes)
def test_a_passage_knows_its_pages_and_the_titles_above_it(document, sizes):
    _, outline = document
    for passage in passages(document, *sizes):
        page, label = on_page(outline, passage.start)
        path: list[Title] = []
        for title in outline.titles:
            if title.start <= passage.start:
                path = [*(above for above in path if above.level < title.level), title]

        assert (passage.page, passage.label) == (page, label)
        assert passage.end_page == on_page(outline, passage.end - 1)[0]
        assert passage.headings == tuple(title.title for title in path)


@given(tame, st.integers(24, 80))
def test_a_passage_is_short_only_where_something_else_follows_or_all_is_said(document, size):
    text, outline = document
    borders = {border.start for border in borders_of(text, outline)}

    for passage in passages(document, size, size // 8):
        rest = text[passage.end :]
        begins = passage.end + len(rest) - len(rest.lstrip())
        is_last = begins == len(text)
        assert passage.tokens >= size // 6 - 1 or is_last or begins in borders


@given(tame, st.integers(64, 160))
def test_no_passage_says_nothing_where_there_is_more_to_read_it_with(document, size):
    found = passages(document, size, size // 8)

    assert len(found) <= 1 or min(passage.tokens for passage in found) >= size // 32


@given(tame, st.integers(24, 80))
def test_a_title_stands_in_a_passage_with_what_follows_it(document, size):
    text, outline = document
    lines = {title.start: title.start + len(title.title) for title in outline.titles}

    found = passages(document, size, 0)

    for passage in found[:-1]:
        last = max((start for start in lines if passage.start <= start < passage.end), default=None)
        assert last is None or lines[last] < passage.end, text[passage.start : passage.end]


def test_a_section_begins_a_passage():
    body = SENTENCES[0] * 6
    document = document_of(
        [Part(f"One\n{body}\nTwo\n{body}", headings=(Heading(0, 1, "One"), Heading(len(body) + 5, 1, "Two")))]
    )

    found = passages(document, 256, 32)

    assert [passage.headings for passage in found] == [("One",), ("Two",)]
    assert document[0][found[1].start :].startswith("Two\n")


def test_a_tiny_note_is_read_with_the_section_that_it_belongs_to():
    body = SENTENCES[0] * 6
    text = f"Install\n{body}\nNote\nMind this.\nUse\n{body}"
    titles = [
        Title(0, 1, "Install"),
        Title(text.index("Note"), 2, "Note"),
        Title(text.index("Use"), 1, "Use"),
    ]

    found = passages((text, Outline(titles=titles)), 256, 32)

    assert [text[one.start : one.end].split("\n")[0] for one in found] == ["Install", "Use"]
    assert text[found[0].start : found[0].end].endswith("Mind this.")


def test_each_short_section_is_a_passage():
    text = (
        "Silence\nThe house is quiet from ten to seven.\nPool\nThe pool opens at nine and glass is banned.\n"
    )
    titles = [Title(0, 1, "Silence"), Title(text.index("Pool"), 1, "Pool")]

    found = passages((text, Outline(titles=titles)), 256, 32)

    assert [text[one.start : one.end].split("\n")[0] for one in found] == ["Silence", "Pool"]


def test_a_paragraph_that_is_long_enough_is_a_passage():
    body = (SENTENCES[0] * 5).strip()

    found = passages((f"{body}\n\n{body}\n\nShort.\n\n{body}", Outline()), 256, 32)

    starts = [0, len(body) + 2, 2 * len(body) + 4]
    assert [passage.start for passage in found] == starts


def test_a_paragraph_is_read_with_the_list_that_it_announces():
    body = (SENTENCES[0] * 5).strip()
    text = f"{body[:-1]}:\n\n- {SENTENCES[0] * 4}"

    assert len(passages((text, Outline()), 256, 32)) == 1


def test_the_last_two_passages_share_what_is_left():
    found = passages(document_of([Part(SENTENCES[0] * 22)]), 256, 0)

    assert [passage.tokens for passage in found] == [132, 132]


def test_passages_of_a_section_overlap():
    text = SENTENCES[0] * 50

    found = passages((text, Outline()), 256, 32)

    assert [one.end - next_.start for one, next_ in pairwise(found)] == [111, 111]


def test_a_sentence_that_is_too_long_is_cut_at_its_clauses():
    clause = "where the tenant of the house has given notice in writing, "
    text = f"It ends {clause * 9}and so on."

    found = passages((text, Outline()), 40, 8)

    assert len(found) > 1
    assert all(text[passage.start : passage.end].endswith((",", ".")) for passage in found)


def test_a_sentence_that_fits_is_kept_whole():
    long = "The house, " + "which is old and large, " * 30 + "is sold. "

    found = passages((SENTENCES[0] * 10 + long + SENTENCES[0] * 10, Outline()), 256, 0)

    assert len(SENTENCES[0] * 10) in [passage.start for passage in found]
    assert len(SENTENCES[0] * 10 + long) - 1 in [passage.end for passage in found]


@pytest.mark.parametrize(
    "sentence",
    [
        "The contract may be ended by either side. ",
        "O contrato pode ser rescindido por qualquer das partes. ",
        "\u4efb\u4f55\u4e00\u65b9\u5747\u53ef\u7ec8\u6b62\u5408\u540c\u3002",
        "\u0647\u0644 \u064a\u0645\u0643\u0646 \u0625\u0646\u0647\u0627\u0621 \u0627\u0644\u0639\u0642\u062f\u061f ",  # noqa: E501
    ],
)
def test_passages_follow_sentences_in_any_language(sentence):
    text = sentence * 100

    found = list(
        passages_of(text, Outline(), lambda texts: [len(one) for one in texts], size=256, overlap=64)
    )

    assert len(found) > 1
    assert {text[one.start : one.end].replace(sentence.strip(), "").strip() for one in found} == {""}


def test_an_outline_knows_where_pages_and_sections_are():
    text, outline = document_of(
        [
            Part("Cover\n"),
            Part("One\nTwo\n", 1, "i", (Heading(0, 1, "One"), Heading(4, 2, "Two"))),
            Part("more\n", 1, "i"),
            Part("Three\n", 2, "ii", (Heading(0, 1, "Three"), Heading(3, 1, " "))),
        ]
    )

    assert text == "Cover\nOne\nTwo\nmore\nThree\n"
    assert outline.pages == [Mark(6, 1, "i"), Mark(19, 2, "ii")]
    assert outline.page_at(5) is None
    assert outline.page_at(18) == Mark(6, 1, "i")
    assert [outline.headings_at(offset) for offset in (0, 6, 10, 18, 19, 99)] == [
        (),
        ("One",),
        ("One", "Two"),
        ("One", "Two"),
        ("Three",),
        ("Three",),
    ]


def test_a_text_of_nothing_but_titles_is_covered():
    text = "# a\n" * 50_000
    titles = [Title(start, 1, "a") for start in range(0, len(text), 4)]

    found = passages((text, Outline(titles=titles)), 256, 32)

    assert [passage.start for passage in found] == [0, *(passage.end + 1 for passage in found[:-1])]
    assert found[-1].end == len(text) - 1
    assert all(64 <= passage.tokens <= 256 for passage in found)


def test_the_last_title_of_many_goes_with_what_follows_it():
    text = "a\n" * 1_000 + "So it is."
    titles = [Title(start, 1, "a") for start in range(0, 2_000, 2)]

    *_, last = passages((text, Outline(titles=titles)), 256, 32)

    assert text[last.start : last.end].endswith("a\nSo it is.")


def test_an_outline_keeps_a_bounded_number_of_titles():
    text = "# a\n" * 3 * MOST_TITLES
    builder = OutlineBuilder()
    for _ in range(3):
        headings = (Heading(4 * number, 1, "a") for number in range(MOST_TITLES - 1))
        builder.add(Part("# a\n" * MOST_TITLES, headings=tuple(headings)))
    outline = builder.outline()

    assert len(list(headings_in(text))) == len(outline.titles) == MOST_TITLES
    assert outline.titles[-1].start == 4 * MOST_TITLES
    assert builder.length == len(text)


def test_texts_are_counted_many_at_once_and_no_sooner_than_they_are_needed():
    calls = []

    def lengths(texts):
        calls.append(len(texts))
        return words(texts)

    text = "One word more. " * 100_000
    found = passages_of(text, Outline(), lengths, size=256, overlap=32)
    first = next(found)
    seen = sum(calls)
    count = 1 + sum(1 for _ in found)

    assert first == Passage(0, 959, None, None, None, (), 256)
    assert seen < 10_000
    assert len(calls) < 500
    assert count > 1_500


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (2, 0), (16, 9), (16, -1)])
def test_sizes_that_leave_no_room_are_refused(size, overlap):
    with pytest.raises(ValueError, match="no passages"):
        passages(("A text.", Outline()), size, overlap, framed)


def sentence_edges(text, outline):
    starts, ends = set(), set()
    borders = list(borders_of(text, outline))
    bounds = [0, *(border.start for border in borders), len(text)]
    for number, (start, end) in enumerate(pairwise(bounds)):
        body = text.index("\n", start) + 1 if number > 0 and borders[number - 1].has_title else start
        for span in sentences_of(text, body, end):
            sentence = text[span.start : span.end]
            starts.add(span.end - len(sentence.lstrip()))
            ends.add(span.start + len(sentence.rstrip()))
    return starts, ends


def on_page(outline, offset):
    here = None, None
    for mark in outline.pages:
        if mark.start <= offset:
            here = mark.page, mark.label
    return here
