"""Reading: passages in parts that can be read well, the likeliest first."""

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.answers.reading import Candidate, likeliest_parts, parts_of

LONG = "The lamp burned all night and nobody saw it from the sea. " * 40


def read(question, candidates, most):
    parts = likeliest_parts(question, (), candidates, range(len(candidates)), most)
    return [candidates[part.place].text[part.start : part.end] for part in parts]


@given(st.text(max_size=3_000))
def test_the_parts_are_the_whole_text_one_after_another(text):
    assert "".join(text[part.start : part.end] for part in parts_of(text)) == text


def test_a_passage_of_ordinary_length_is_read_at_once():
    assert len(parts_of(LONG[:750])) == 1


def test_a_long_passage_is_read_in_parts_of_whole_sentences():
    parts = parts_of(LONG)

    assert len(parts) == 3
    assert all(LONG[part.start : part.end].strip().endswith("sea.") for part in parts)
    assert max(part.end - part.start for part in parts) < 900


def test_the_part_that_speaks_of_what_is_asked_is_read_first():
    passage = Candidate(f"{LONG}The whaling gun hung in the kitchen. {LONG}", "en", 0.6)

    first, *_ = read("Where did the whaling gun hang?", [passage], 5_000)

    assert "whaling gun" in first


def test_a_better_passage_is_read_before_a_worse_one():
    worse, better = Candidate(LONG[:580], "en", 0.2), Candidate(LONG[:580], "en", 0.8)

    assert likeliest_parts("Who saw the lamp?", (), [worse, better], [0, 1], 5_000)[0].place == 1


def test_no_more_is_read_than_there_is_time_for_but_always_something():
    candidates = [Candidate(LONG, "en", 0.5)] * 3

    assert sum(map(len, read("Who saw the lamp?", candidates, 2_000))) <= 2_000
    assert len(read("Who saw the lamp?", candidates, 10)) == 1


def test_a_name_that_says_something_is_the_title_of_a_passage():
    named = Candidate.named("The keeper of the light.txt", "It burned paraffin.", "en", 0.5)

    assert named.titled("It burned paraffin.") == "The keeper of the light\nIt burned paraffin."
    assert Candidate.named("4711.txt", "It burned paraffin.", "en", 0.5).title == ""
