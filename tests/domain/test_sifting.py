"""Sifting: what is left of a text whose citations are checked as it comes."""

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.claims.citing import Cite, Citing, Mark
from vivavoce.domain.claims.sifting import Reason, Sifting

pieces = st.lists(
    st.sampled_from(
        ["Yes. ", "No", "[1]", " [2]", "[9]", "\n", "- ", "It is 3.", " ", "\u65e5\u3002", "(so", ") "]
    )
    | st.text(max_size=4),
    max_size=30,
)


def sifted(texts: list[str], bears) -> tuple[str, list[Cite], Sifting]:
    citing, sifting = Citing(known=3), Sifting(bears)
    out = [each for text in texts for each in sifting.feed(citing.feed(text))]
    out += [*sifting.feed(citing.end()), *sifting.end()]
    said = "".join(each for each in out if isinstance(each, str))
    return said, [each for each in out if isinstance(each, Cite)], sifting


def holds(statement: str, mark: Mark) -> None:
    return None


def fails(statement: str, mark: Mark) -> Reason:
    return Reason("No.")


def is_in_other_words(statement: str, mark: Mark) -> Reason:
    return Reason("Perhaps.", is_grave=False)


@given(pieces)
def test_where_everything_holds_nothing_is_lost_or_moved(texts):
    citing = Citing(known=3)
    plain = [each for text in texts for each in citing.feed(text)] + list(citing.end())

    said, cites, sifting = sifted(texts, holds)

    assert said == "".join(each for each in plain if isinstance(each, str))
    assert sifting.rejected == []
    assert said.strip() == "" or len(cites) >= len(citing.cites)  # numbers that no source has hold here too


@given(pieces)
def test_where_nothing_holds_no_citation_is_left(texts):
    _, cites, sifting = sifted(texts, fails)

    assert cites == []
    assert all(each.is_left_out and each.reason == "No." for each in sifting.rejected)


@given(pieces)
def test_what_may_be_the_same_in_other_words_is_said_without_citing(texts):
    plain, _, _ = sifted(texts, holds)

    said, cites, sifting = sifted(texts, is_in_other_words)

    assert (said, cites) == (plain, [])
    assert not any(each.is_left_out for each in sifting.rejected)


def test_a_sentence_is_given_on_before_the_text_ends():
    sifting = Sifting(holds)

    assert sifting.feed(["It is open. And then"]) == []
    assert sifting.feed([" it closes at nine"]) == ["It is open."]
    assert sifting.end() == [" ", "And then it closes at nine"]


def test_one_citation_that_holds_keeps_its_sentence():
    def only_the_first(statement: str, mark: Mark) -> Reason | None:
        return None if mark.number == 1 else Reason("No.")

    said, cites, sifting = sifted(["It is open [1][2]. It is free [2]."], only_the_first)

    assert (said, cites) == ("It is open.", [Cite(1, 10)])
    assert [(each.number, each.is_left_out) for each in sifting.rejected] == [(2, False), (2, True)]
