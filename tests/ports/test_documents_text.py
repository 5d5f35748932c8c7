"""What is read from text, Markdown, HTML, tables and JSON."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.adapters.documents.parsing import parser_of, parts_of
from vivavoce.domain.corpus.documents import KINDS, Part
from vivavoce.errors import Unreadable

from .documents_made import docx, epub, paragraph, pptx, row, shape, xlsx
from .pdfs_made import pdf


def read(kind: str, content: bytes | str) -> list[Part]:
    raw = content.encode() if isinstance(content, str) else content
    return list(parts_of(io.BytesIO(raw), parser_of(kind)))


def text_of(kind: str, content: bytes | str) -> str:
    return "".join(part.text for part in read(kind, content))


def headings_of(kind: str, content: bytes | str) -> list[tuple[int, str]]:
    """The level and title of each heading, each proved to stand where it says."""
    found = []
    for part in read(kind, content):
        for heading in part.headings:
            assert part.text[heading.start :].lstrip("# ").startswith(heading.title.split()[0])
            found.append((heading.level, heading.title))
    return found


def refusal_of(kind: str, content: bytes | str) -> str:
    with pytest.raises(Unreadable) as refusal:
        read(kind, content)
    return str(refusal.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_text_is_read_in_the_encoding_that_it_shows(encoding):
    assert text_of("txt", "Größe: 5 €\nfür 日本".encode(encoding)) == "Größe: 5 €\nfür 日本"


def test_the_chapters_of_a_text_are_its_headings():
    first = "INTRODUCTION\n\nThe road is old.\n\nCHAPTER 1.\n\nOF SALT.\n\nSalt is dear.\n"
    text = f"{first}\f\nCHAPTER 2.\n\nIt rains."

    assert headings_of("txt", text) == [(2, "INTRODUCTION"), (2, "CHAPTER 1. OF SALT."), (2, "CHAPTER 2.")]


def test_an_old_western_text_is_read():
    assert text_of("txt", "São Paulo: “naïve” café".encode("cp1252")) == "São Paulo: “naïve” café"


def test_a_text_in_another_alphabet_without_a_name_is_refused_rather_than_garbled():
    assert "UTF-8" in refusal_of("txt", "Привет, как твои дела сегодня".encode("cp1251"))


@pytest.mark.parametrize(
    "content", [b"a\0b", b"\x00\x01\x02\x03", bytes(range(1, 9)) * 9, b"\xff\xfea\0\0\0"]
)
def test_what_is_not_text_is_refused(content):
    assert "is not text" in refusal_of("txt", content)


@pytest.mark.parametrize("kind", ["txt", "md", "html", "csv", "json"])
@pytest.mark.parametrize("content", [b"", b" \n\t\r\n ", b"\xef\xbb\xbf"])
def test_a_file_without_text_is_empty(kind, content):
    assert "is empty" in refusal_of(kind, content)


@pytest.mark.parametrize("kind", ["txt", "md", "html", "csv"])
def test_a_file_of_nothing_but_unseen_characters_is_empty(kind):
    assert "is empty" in refusal_of(kind, "\u200b\u2060")


def test_line_ends_are_of_one_kind():
    assert text_of("txt", b"a\r\nb\rc\nd") == "a\nb\nc\nd"


def test_a_form_feed_begins_a_page():
    assert read("txt", "one\ftwo\n\f\fthree") == [Part("one\n", 1), Part("two\n", 2), Part("three", 4)]


def test_a_long_text_flows_in_parts_that_end_with_lines():
    text = "".join(f"Line {number} of a long text.\n" for number in range(20_000))

    parts = read("txt", text)

    assert "".join(part.text for part in parts) == text
    assert all(0 < len(part.text) <= 32_000 and part.text.endswith("\n") for part in parts)


def test_a_text_without_lines_is_cut_all_the_same():
    assert [len(part.text) for part in read("txt", "x" * 70_000)] == [32_000, 32_000, 6_000]


HIDDEN = "a\u202eb\u2066c\u200bd\u2060e\ufefff\U000e0041g\x07h\x7fi\u00adj"


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("txt", HIDDEN),
        ("md", HIDDEN),
        ("html", f"<p>{HIDDEN}</p>"),
        ("csv", HIDDEN),
        ("json", json.dumps([HIDDEN])),
        ("docx", docx(paragraph(HIDDEN.replace("\x07", "")))),
        ("pptx", pptx([shape(HIDDEN.replace("\x07", ""))])),
        ("xlsx", xlsx({"S": row(HIDDEN.replace("\x07", ""))})),
        ("epub", epub({"a.xhtml": f"<p>{HIDDEN}</p>"})),
    ],
)
def test_what_nobody_sees_is_dropped_from_every_kind(kind, content):
    assert "abcdefghij" in text_of(kind, content)


def test_joiners_that_scripts_need_stay():
    assert text_of("txt", "र्\u200cक 👩\u200d🚀") == "र्\u200cक 👩\u200d🚀"


def test_markdown_stays_as_it_is_and_shows_its_headings():
    source = "---\ntitle: x\n---\n# One\n\ntext\n\nTwo\n---\n\n### Three ###\n- item\n---\n"

    assert text_of("md", source) == source
    assert headings_of("md", source) == [(1, "One"), (2, "Two"), (3, "Three")]


def test_code_in_markdown_has_no_headings():
    source = "~~~\n# no\n~~~\n````sh\n# no\n```\n# no\n````\n#no\n    # no\n# C#\n"

    assert headings_of("md", source) == [(1, "C#")]


def test_html_becomes_lines_with_headings():
    page = """<!doctype html><html><head><title>T</title><style>x{}</style></head><body>
    <h1>A &amp; <em>B</em></h1><p>One<br>two   three<p>Four&nbsp;&euro;
    <ul><li>x<li>y</ul><script>bad()</script><pre>  a
    b</pre><h2>C</h2>end"""

    text = text_of("html", page)

    assert text == "A & B\n\nOne\ntwo three\n\nFour €\n\n- x\n- y\n\n  a\n    b\n\nC\n\nend\n"
    assert headings_of("html", page) == [(1, "A & B"), (2, "C")]


def test_the_title_is_the_heading_of_a_page_without_one():
    assert headings_of("html", "<title>The\n title</title><p>x<h2>y</h2>") == [(1, "The title"), (2, "y")]


def test_a_table_is_read_row_by_row():
    table = "<table><tr><th>Name<th>Price<tr><td><p>Tea</p><td><td>5</table>after"

    assert text_of("html", table) == "Name | Price\nTea | | 5\n\nafter\n"


@pytest.mark.parametrize(
    "hidden",
    [
        "<p hidden>no",
        '<div aria-hidden="true"><p>no</p></div>',
        '<span style="color:red; DISPLAY : none">no</span>',
        '<div style="visibility:hidden">no</div>',
        "<template><p>no</p></template>",
        "<noscript>no</noscript>",
        "<!-- no -->",
        "<svg><title>no</title></svg>",
    ],
)
def test_what_a_page_hides_is_not_read(hidden):
    assert text_of("html", f"<div>yes{hidden}</div><p>also</p>").split() == ["yes", "also"]


def test_a_page_that_waits_for_a_script_to_show_itself_is_read():
    assert text_of("html", '<body style="visibility: hidden"><p>yes') == "yes\n"


def test_navigation_is_left_out_beside_an_article():
    page = "<nav>menu</nav><main>short<aside>a note</aside></main><footer>imprint</footer>"

    assert text_of("html", page) == "short\n\na note\n"


def test_navigation_stays_where_a_page_says_nothing_else():
    assert text_of("html", "<nav>menu</nav><footer>imprint</footer>hello").split() == [
        "menu",
        "imprint",
        "hello",
    ]


def test_a_page_is_read_in_the_encoding_that_it_names():
    assert text_of("html", '<meta charset="shift_jis"><p>日本語</p>'.encode("shift_jis")) == "日本語\n"


def test_an_encoding_that_nobody_knows_is_no_reason_to_fail():
    assert text_of("html", '<meta charset="zip"><p>café</p>'.encode("cp1252")) == "café\n"


@pytest.mark.parametrize(
    ("delimiter", "kind"), [(",", "commas"), (";", "semicolons"), ("\t", "tabs"), ("|", "bars")]
)
def test_a_table_is_understood_whatever_divides_it(delimiter, kind):
    rows = [["Name", "Price", "Kind"], ["Tea", "5,20", kind], ["Milk\nfresh", "", "x"]]
    table = "\n".join(delimiter.join(f'"{cell}"' for cell in cells) for cells in rows)

    assert text_of("csv", table) == f"Name: Tea; Price: 5,20; Kind: {kind}\nName: Milk fresh; Kind: x\n"


def test_a_table_without_names_shows_its_cells_side_by_side():
    assert text_of("csv", "1,2,3\n4,5,6\n") == "1 | 2 | 3\n4 | 5 | 6\n"


def test_a_table_may_say_what_divides_it():
    assert text_of("csv", "sep=;\nA;B\n1,5;2\n") == "A: 1,5; B: 2\n"


def test_a_table_with_a_quotation_mark_too_many_is_refused_with_its_line():
    assert "line 3" in refusal_of("csv", 'a,b\n1,2\n3,"' + "x\n" * 1_000_000)


def test_json_is_a_block_for_each_value_of_the_list():
    value = [
        {"name": "Tea", "tags": ["hot", "green"], "of": {"land": "China"}},
        {"name": "Milk", "ok": False, "no": None},
    ]

    text = text_of("json", json.dumps(value))

    assert text == "name: Tea\ntags: hot, green\nof.land: China\n\nname: Milk\nok: false\n"


def test_numbers_in_json_stay_as_they_are_written():
    assert (
        text_of("json", '{"a": 1.10, "b": ' + "9" * 5000 + ', "c": NaN}')
        == f"a: 1.10\nb: {'9' * 5000}\nc: NaN\n"
    )


def test_json_lines_are_read_like_a_list():
    assert text_of("json", '{"a": 1}\n{"a": [{"b": 2}]}\n') == "a: 1\n\na.1.b: 2\n"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('{"a": 1,\n"b" 2}', 2),
        ("[1,\n2\n3]", 3),
        ("[1,\n", 2),
        ("[1,]", 1),
        ("[1] 2", 1),
        ("\n\nhello", 3),
        ("[", 1),
    ],
)
def test_json_that_is_not_valid_is_refused_with_its_line(content, line):
    assert f"line {line}" in refusal_of("json", content)


@pytest.mark.parametrize(
    ("kind", "content"),
    [("json", "[" * 200_000), ("json", '{"a":' * 300 + "1" + "}" * 300), ("json", "[" * 900 + "]" * 900)],
)
def test_absurd_nesting_is_refused(kind, content):
    assert "nested too deeply" in refusal_of(kind, content)


def test_absurd_nesting_in_a_page_is_read():
    assert text_of("html", "<div>" * 20_000 + "deep" + "</b></div>" * 20_000) == "deep\n"


def test_more_text_than_anyone_needs_is_refused():
    with pytest.raises(Unreadable, match=r"more than 1,000 characters of text\. Split it"):
        list(parts_of(io.BytesIO(b"x" * 1001), parser_of("txt"), most=1000))


SOUND = {
    "txt": b"a\ftext",
    "md": b"# a\n\ntext",
    "html": b"<h1>a</h1><table><tr><td>text</table>",
    "csv": b"a,b\n1,2\n",
    "json": b'[{"a": "text"}]',
    "pdf": pdf(["a text"]),
    "docx": docx(paragraph("a text")),
    "pptx": pptx([shape("a", "title") + shape("text")]),
    "xlsx": xlsx({"Sheet": row("a", "b") + row(1, 2)}),
    "epub": epub({"a.xhtml": "<h1>a</h1>"}),
}


def is_sound(part: Part) -> bool:
    part.text.encode()
    stands = all(0 <= heading.start < len(part.text) for heading in part.headings)
    return stands and "\0" not in part.text and 0 < len(part.text) <= 32_000


@pytest.mark.parametrize("kind", KINDS)
@given(content=st.binary(max_size=2000))
def test_any_bytes_give_parts_or_a_refusal(kind, content):
    try:
        parts = read(kind, content)
    except Unreadable:
        return
    assert all(map(is_sound, parts))


@pytest.mark.parametrize("kind", KINDS)
@given(wounds=st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=9)), min_size=1, max_size=4))
def test_a_wounded_file_gives_parts_or_a_refusal(kind, wounds):
    content = SOUND[kind]
    for place, wound in wounds:
        at = int(place * len(content))
        content = content[:at] + wound + content[at + len(wound) :]
    try:
        parts = read(kind, content)
    except Unreadable:
        return
    assert all(map(is_sound, parts))


@pytest.mark.parametrize("kind", ["txt", "md", "html", "csv"])
@given(text=st.text(min_size=1))
def test_any_text_can_be_read_or_is_empty(kind, text):
    try:
        parts = read(kind, text.encode("utf-16"))
    except Unreadable:
        return
    assert all(map(is_sound, parts))
