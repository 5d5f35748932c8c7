"""What is read from PDF files."""

import base64
import zlib

import pytest

from vivavoce.domain.corpus.documents import Heading, Part

from .pdfs_made import looping_table, pdf, scan, typeset
from .test_documents_text import headings_of, read, refusal_of

PROTECTED = zlib.decompress(
    base64.b85decode(
        "c-oCpziSjh80`l;?L?U7D$$+aGYiK-lFJd%m~c@8N{ZQ?Z_kx;H|$O%(Ms$@^bfGmLV}%zm0+iZViC~RMpIh}Ru;}~"
        "lFQ*)I6KA8oA<u=&ExB=_6O(ad5${Y_xHXaiU}^0Td3Pb(UqM|z|n&Bc3h57v}#9CV-^TQ)axNATtj3tf|iG(g>tL#"
        "n4;)n?rMAk^G1j_rlkCz(#EKQAU$x3mciwAzT6HaNca?GSjQ|BiiS{^TU8pGYAOuMplN?77Dr8n9U3Wos8?h8SL<TN"
        "zo~(uwXMXr#|8`!n71{w)uSaC-vOVe7DbCiTDrU#;b=WC=88H$0;UY)l))e$d#HlN*m~$g;D(o8f@0)vV#yj&?JKai"
        "(bu>8PZv+EpMCKBo8J}pKEFG&eB$J%>)Gpv<;U%p@9)3(@aD<f(yv#0r+@!^ba^y<w)^98V|XY(v{qBr*DwoVVLtJr"
        "%!HJ&V6ljmW-&W%Z_V4n*~+141$PNZ7H*~GAi!vm@-(w)0-2=LYHm{jDNCGD(xr|&p_o=w#8lfPa~ebl|0?ckMs@0_"
        "Qoz6vD^+SZIBsJqU8YmROp*zZ!9q)81yzEOa8_BCSwe~FO(nWrL52v{h)fn%QgVqiJi%zly}c=pF(qa&%J>Y%B%Q&y"
        "Ff*9YQ#@bUd<<2a^;&)xLVMA$EW_|0Oz?$%nBA_i(m+Czm>HH>P7<PG$gCzZHjXRa`ya|iJ9yR3rpM}Nnrm+>-v*<M"
        "LY>ay$^iWVZeS9$"
    )
)
"""A page under the password `secret`."""


def test_each_page_is_a_part_that_ends_with_a_line():
    assert read("pdf", pdf(["One.\nMore (of it).", "", "Three"])) == [
        Part("One.\nMore (of it).\n", 1),
        Part("\n", 2),
        Part("Three\n", 3),
    ]


def test_pages_have_the_labels_that_are_printed_on_them():
    file = pdf(["a", "b", "c", "d"], labels="0 << /S /r >> 2 << /S /D /P (A-) >>")

    assert [(part.page, part.label) for part in read("pdf", file)] == [
        (1, "i"),
        (2, "ii"),
        (3, "A-1"),
        (4, "A-2"),
    ]


def test_bookmarks_are_headings_where_their_titles_stand():
    file = pdf(
        ["Front", "Some words.\nThe  first\nchapter begins"],
        bookmarks=[("The First Chapter", 2), ("Unseen", 1)],
    )

    assert [part.headings for part in read("pdf", file)] == [
        (Heading(0, 1, "Unseen"),),
        (Heading(12, 1, "The First Chapter"),),
    ]


LONG = "The town was held for a hundred years by the dukes of"


def test_a_line_in_larger_letters_stands_apart():
    file = typeset(
        [
            (22, 740, "Café of the Market"),
            (22, 714, "Of Varn"),
            (11, 695, "It opened in May."),
            (11, 682, "It sold rope."),
        ]
    )

    assert text_of(file) == "Café of the Market\nOf Varn\n\nIt opened in May.\nIt sold rope.\n"


def test_a_line_with_room_around_it_stands_apart():
    file = typeset(
        [
            (11, 740, "Of old"),
            (11, 727, "Varn had"),
            (11, 714, "Quays"),
            (11, 690, "The Market"),
            (11, 666, "It opened"),
            (11, 653, "In May"),
            (11, 60, "12"),
        ]
    )

    assert text_of(file) == "Of old\nVarn had\nQuays\n\nThe Market\n\nIt opened\nIn May\n\n12\n"


def test_a_heading_and_one_line_stand_apart_if_they_are_far_from_each_other():
    assert (
        text_of(typeset([(11, 740, "The Market"), (11, 698, "It opened.")])) == "The Market\n\nIt opened.\n"
    )


@pytest.mark.parametrize(
    "lines",
    [
        [(11, 740, "It lay in"), (11, 713, "Varn and"), (11, 686, "The Isles")],
        [(11, 740, "Of old"), (11, 727, "Varn had"), (11, 714, "a quay"), (11, 500, "of stone.")],
        [(11, 740, "Of old,"), (11, 727, "as in"), (11, 714, "Oslo,"), (11, 500, "Varn traded.")],
        [(40, 740, "T"), (11, 727, "he Market"), (11, 714, "Of Varn")],
        [(11, 740, LONG), (11, 727, LONG), (11, 714, LONG), (11, 500, "Varn until 1310.")],
        [(11, 740, LONG), (11, 727, LONG), (11, 714, LONG), (11, 500, "120 ships.")],
    ],
    ids=[
        "lines far from each other everywhere",
        "around a picture",
        "after a comma",
        "a large first letter",
        "around a picture, before a name",
        "around a picture, before a number",
    ],
)
def test_a_sentence_that_goes_on_is_not_divided(lines):
    assert text_of(typeset(lines)) == "".join(f"{text}\n" for _, _, text in lines)


SMITH = [
    "The smith of Corven forged four hundred nails a day. He was deaf,",
    "and the boys of the town rang the bell of his yard with a stone.",
]


@pytest.mark.parametrize(
    "title",
    [
        "CHAPTER SEVEN\nOf Smiths and Nails",
        "What every smith knows",
        "PART TWO",
        "The Nails of Corven, and of Those Who Bought Them",
    ],
)
def test_a_page_with_a_title_alone_ends_a_paragraph(title):
    file = pdf([title, "\n".join(SMITH), "It was torn down"])

    assert [part.text for part in read("pdf", file)] == [
        f"{title}\n\n",
        "\n".join(SMITH) + "\n",
        "It was torn down\n",
    ]


def test_a_large_title_as_wide_as_the_lines_of_its_text_ends_a_paragraph():
    title = [(22, 740, "The Smiths and the Nails of Corven")]
    file = typeset(title, [(11, 740, SMITH[0]), (11, 727, SMITH[1])])

    assert text_of(file) == "\n".join([title[0][2], "", *SMITH, ""])


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("In these years, before the railway came to the town, the smith of", "Corven forged nails."),
        ("For nails they went to the smith of", "Corven, who was deaf."),
        ("For nails they went to the smith", "whom they all knew."),
        ("For nails they went to Corven,", "Varn and the Isles."),
        ("All of them went for their nails to the old yard of the smith Osric", "Varnhagen."),
    ],
    ids=["a full line", "a small word", "a small letter", "a comma", "no room for the next word"],
)
def test_a_sentence_goes_on_over_a_page_break(above, below):
    file = pdf([f"{SMITH[0]}\n{SMITH[1]}\n{above}", f"{below}\n{SMITH[0]}\n{SMITH[1]}"])

    assert text_of(file) == "\n".join([*SMITH, above, below, *SMITH, ""])


def test_a_running_head_in_small_letters_does_not_end_a_sentence():
    above = [(11, 740, SMITH[0]), (11, 727, SMITH[1]), (11, 714, LONG)]
    file = typeset(above, [(8, 766, "OF SMITHS AND NAILS"), (11, 740, "Varn, who sold nails."), *above[1:]])

    assert f"{LONG}\nOF SMITHS" in text_of(file)


def test_a_sentence_goes_on_from_a_column_to_a_wider_page():
    column = [(11, 740 - 13 * line, "who sold rope to Corven") for line in range(8)]
    file = typeset(column, [(11, 740, "Corven had a bell. " * 4), (11, 727, "Corven had a bell. " * 4)])

    assert "Corven\nCorven had" in text_of(file)


def test_a_bookmark_stands_where_its_title_is_after_blank_lines():
    file = pdf(["Front\n\n\n\nThe End"], bookmarks=[("The End", 1)])

    (part,) = read("pdf", file)

    assert part.text == "Front\n\nThe End\n"
    assert part.headings == (Heading(7, 1, "The End"),)


def text_of(file: bytes) -> str:
    return "".join(part.text for part in read("pdf", file))


def test_a_divided_word_keeps_its_hyphen():
    (part,) = read("pdf", pdf(["a divi-\nded word, an x-ray"]))

    assert part.text == "a divi-\nded word, an x-ray\n"


def test_a_scan_asks_for_text_recognition():
    assert "OCR" in refusal_of("pdf", scan())


def test_a_protected_file_is_refused():
    assert "protected by a password" in refusal_of("pdf", PROTECTED)


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7\n", b"%PDF-1.7\n%%EOF", b"hello"])
def test_what_is_no_pdf_is_damaged(content):
    assert "damaged" in refusal_of("pdf", content)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_half_a_file_is_refused(share):
    whole = pdf(["A page."] * 20)

    assert "damaged" in refusal_of("pdf", whole[: int(len(whole) * share)])


def test_a_table_of_places_that_leads_to_itself_ends():
    assert [part.text for part in read("pdf", looping_table())] == ["A page.\n"]


def test_too_many_pages_are_refused():
    file = pdf(["x"]).replace(b"/Count 1 ", b"/Count 20001 ")

    assert "more than 20,000 pages" in refusal_of("pdf", file)


def test_bookmarks_without_end_are_read_once():
    file = pdf(["Tea and milk"], bookmarks=[("Tea", 1), ("milk", 1)])
    looping = file.replace(b"/Prev 7 0 R", b"/Next 7 0 R")

    assert headings_of("pdf", looping) == [(1, "Tea"), (1, "milk")]
