"""What is read from Word documents, presentations, workbooks and books."""

import pytest

from vivavoce.domain.corpus.documents import Heading, Part

from .documents_made import docx, epub, paragraph, pptx, row, shape, style, xlsx, zipped
from .test_documents_text import headings_of, read, refusal_of, text_of

ITEM = '<w:numPr><w:numId w:val="1"/></w:numPr>'
SHOWN = "<w:lastRenderedPageBreak/>"
BROKEN = '<w:br w:type="page"/>'


def run(text: str, more: str = "") -> str:
    return f"<w:r>{more}<w:t>{text}</w:t></w:r>"


def test_a_document_is_read_with_its_headings_lists_and_tables():
    body = (
        paragraph("Tea", "Ttulo1")
        + paragraph("Hot & green.")
        + paragraph("one", more=ITEM)
        + paragraph("two", more=ITEM)
        + f"<w:tbl><w:tr><w:tc>{paragraph('Name')}</w:tc><w:tc>{paragraph('Price')}</w:tc></w:tr>"
        + f"<w:tr><w:tc>{paragraph('Green')}{paragraph('tea')}</w:tc><w:tc>{paragraph('5')}</w:tc></w:tr>"
        + "</w:tbl>"
        + paragraph("End")
    )
    document = docx(body, styles=style("Ttulo1", "heading 1"))

    assert text_of("docx", document) == (
        "Tea\n\nHot & green.\n- one\n- two\nName | Price\nGreen tea | 5\n\nEnd\n"
    )
    assert headings_of("docx", document) == [(1, "Tea")]


def test_a_heading_is_known_by_its_name_its_parent_or_its_level():
    styles = (
        style("Ueberschrift2", "heading 2")
        + style("Own", "My chapters", rests_on="Ueberschrift2")
        + style("Level", "Whatever", more='<w:outlineLvl w:val="2"/>')
        + style("A", "a", rests_on="B")
        + style("B", "b", rests_on="A")
        + style("T", "Title")
    )
    body = (
        paragraph("one", "T")
        + paragraph("two", "Own")
        + paragraph("three", "Level")
        + paragraph("four", more='<w:outlineLvl w:val="3"/>')
        + paragraph("none", "A")
        + paragraph("five", "Heading5")
        + paragraph("no", "T", more='<w:outlineLvl w:val="9"/>')
    )

    found = headings_of("docx", docx(body, styles=styles))

    assert found == [(1, "one"), (2, "two"), (3, "three"), (4, "four"), (5, "five")]


def test_what_was_deleted_or_hidden_in_a_document_is_not_read():
    body = (
        f"<w:p>{run('a')}<w:del><w:r><w:delText>no</w:delText></w:r></w:del><w:ins>{run('b')}</w:ins>"
        f"{run('no', '<w:rPr><w:vanish/></w:rPr>')}"
        + run("c", '<w:rPr><w:vanish w:val="0"/></w:rPr>')
        + "<w:r><w:instrText>PAGE</w:instrText><w:tab/><w:t>d</w:t><w:br/><w:t>e</w:t></w:r></w:p>"
    )

    assert text_of("docx", docx(body)) == "abc\td\ne\n"


def test_pages_of_a_document_are_counted_where_it_says_where_they_end():
    body = (
        paragraph("first")
        + f"<w:p>{run('still first')}<w:r>{BROKEN}</w:r></w:p>"
        + f"<w:p><w:r>{SHOWN}<w:t>second </w:t>{SHOWN}<w:t>third</w:t></w:r></w:p>"
    )

    assert [(part.page, part.text.strip()) for part in read("docx", docx(body))] == [
        (1, "first\n\nstill first"),
        (2, "second"),
        (3, "third"),
    ]
    assert [part.page for part in read("docx", docx(paragraph("no pages")))] == [None]


def test_notes_stand_at_the_end_of_a_document():
    body = f"<w:p>{run('Tea')}<w:r><w:footnoteReference w:id='7'/></w:r>{run(' is hot')}</w:p>"
    notes = "".join(
        f"<w:footnote w:id='{id}'>{paragraph(note)}</w:footnote>"
        for id, note in ((0, "line"), (7, "Mostly."))
    )

    assert text_of("docx", docx(body, footnotes=notes)) == "Tea[1] is hot\n\n[1] Mostly.\n"


def test_a_text_box_is_read_once():
    box = f"<w:txbxContent>{paragraph('boxed')}</w:txbxContent>"
    body = (
        '<w:p xmlns:mc="m"><w:r><mc:AlternateContent>'
        f"<mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
        "<w:t>around</w:t></w:r></w:p>"
    )

    assert text_of("docx", docx(body)).split() == ["boxed", "around"]


def test_a_slide_is_a_page_with_its_title_first_and_its_notes_last():
    table = (
        "<p:graphicFrame><a:tbl><a:tr>"
        + "".join(
            f"<a:tc><a:txBody><a:p><a:r><a:t>{cell}</a:t></a:r></a:p></a:txBody></a:tc>" for cell in "xy"
        )
        + "</a:tr></a:tbl></p:graphicFrame>"
    )
    slides = [shape("one\ntwo") + shape("Hello", "ctrTitle") + shape("3", "sldNum") + table, shape("second")]

    assert read("pptx", pptx(slides, {1: "Say it slowly."})) == [
        Part("Hello\n\none\ntwo\nx | y\n\nNotes: Say it slowly.\n\n", 1, None, (Heading(0, 1, "Hello"),)),
        Part("second\n", 2),
    ]


def test_a_sheet_is_read_under_its_name_and_its_names_of_columns():
    strings = "<sst><si><t>Tea</t></si><si><r><t>Mi</t></r><r><t>lk</t></r><rPh><t>no</t></rPh></si></sst>"
    rows = (
        row("Name", "Price")
        + '<row><c r="A2" t="s"><v>0</v></c><c r="B2"><f>1+1</f><v>5.2</v></c></row>'
        + '<row><c r="A3" t="s"><v>1</v></c><c r="C3" t="b"><v>1</v></c></row>'
    )
    book = xlsx({"Drinks": rows, "Numbers": row(1, 2) + row(3, 0.1 + 0.2)}, strings=strings)

    assert text_of("xlsx", book) == (
        "Drinks\n\nName: Tea; Price: 5.2\nName: Milk; TRUE\n\nNumbers\n\n1 | 2\n3 | 0.3\n"
    )
    assert headings_of("xlsx", book) == [(1, "Drinks"), (1, "Numbers")]


@pytest.mark.parametrize(
    ("format", "number", "shown"),
    [
        ('numFmtId="14"', "45322", "2024-01-31"),
        ('numFmtId="22"', "45322.5", "2024-01-31T12:00:00"),
        ('numFmtId="20"', "0.75", "18:00:00"),
        ('numFmtId="170"', "45322", "2024-01-31"),
        ('numFmtId="171"', "45322", "45322"),
        ('numFmtId="172"', "1.5", "1.5"),
        ('numFmtId="9"', "0.25", "25%"),
        ('numFmtId="0"', "1E3", "1000"),
        ('numFmtId="14"', "99999999999", "99999999999"),
    ],
)
def test_numbers_are_shown_as_their_format_says(format, number, shown):
    styles = (
        '<numFmts><numFmt numFmtId="170" formatCode="[$-407]d. mmm yyyy"/>'
        '<numFmt numFmtId="171" formatCode="[Red]0 &quot;days&quot;"/>'
        '<numFmt numFmtId="172" formatCode="[h]:mm"/></numFmts>'
        '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>'
        f'<cellXfs><xf numFmtId="0"/><xf {format}/></cellXfs>'
    )

    assert (
        text_of("xlsx", xlsx({"S": f'<row><c s="1"><v>{number}</v></c></row>'}, styles=styles))
        == f"S\n\n{shown}\n"
    )


def test_days_may_count_from_1904():
    styles = '<cellXfs><xf numFmtId="14"/></cellXfs>'
    book = xlsx(
        {"S": '<row><c s="0"><v>43860</v></c></row>'}, styles=styles, book='<workbookPr date1904="1"/>'
    )

    assert "2024-01-31" in text_of("xlsx", book)


def test_a_hidden_sheet_is_not_read():
    book = xlsx({"Seen": row("yes"), "Unseen": row("no")}, state="veryHidden")

    assert text_of("xlsx", book) == "Seen\n\nyes\n"


def test_a_cell_beyond_every_sheet_is_refused():
    assert "damaged" in refusal_of("xlsx", xlsx({"S": '<row><c r="ZZZZ1"><v>1</v></c></row>'}))


def test_a_book_is_read_in_its_order():
    book = epub(
        {
            "b.xhtml": "<h1>One</h1><p>caf&eacute;<aside>a note</aside><nav>no</nav>",
            "text/a%20b.xhtml": "<p>Two",
        }
    )

    assert text_of("epub", book) == "One\n\ncafé\n\na note\n\nTwo\n"
    assert headings_of("epub", book) == [(1, "One")]


def test_a_book_without_a_heading_has_its_title():
    assert headings_of("epub", epub({"a.xhtml": "<p>x"}, title="Moby Dick")) == [(1, "Moby Dick")]


def test_a_protected_book_is_refused():
    protection = '<encryption><CipherReference URI="OPS/a.xhtml"/></encryption>'

    assert "protected" in refusal_of(
        "epub", epub({"a.xhtml": "x"}, **{"META-INF/encryption.xml": protection})
    )


@pytest.mark.parametrize("kind", ["docx", "pptx", "xlsx", "epub"])
@pytest.mark.parametrize("content", [b"PK\x03\x04", zipped({}), zipped({"a.txt": "a"}), b"no zip at all"])
def test_an_archive_without_a_document_is_damaged(kind, content):
    assert "damaged" in refusal_of(kind, content)


def test_names_in_an_archive_lead_nowhere():
    book = epub({"../../../../etc/passwd": "<p>inside"})

    assert "damaged" in refusal_of("epub", book)
