import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.corpus.documents import KINDS
from vivavoce.domain.corpus.kinds import kind_of
from vivavoce.errors import Unreadable

OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100)
ZIP = b"PK\x03\x04" + bytes(26)


@pytest.mark.parametrize(
    ("name", "head", "kind"),
    [
        ("a.txt", b"hello", "txt"),
        ("README.md", b"# hello", "md"),
        ("NOTES.MARKDOWN", b"# hello", "md"),
        ("a.csv", b"a;b", "csv"),
        ("a.tsv", b"a\tb", "csv"),
        ("a.json", b"{}", "json"),
        ("a.jsonl", b"{}", "json"),
        ("a.htm", b"<p>hello", "html"),
        ("a.docx", ZIP, "docx"),
        ("a.pptx", ZIP, "pptx"),
        ("a.xlsm", ZIP, "xlsx"),
        ("a.epub", ZIP, "epub"),
        ("a.pdf", b"%PDF-1.7", "pdf"),
        ("no ending", b"hello", "txt"),
        ("a.py", b"import os", "txt"),
        ("a.txt", "hello".encode("utf-16"), "txt"),
    ],
)
def test_a_name_tells_the_kind(name, head, kind):
    assert kind_of(name, head) == kind


@pytest.mark.parametrize(
    ("name", "head", "kind"),
    [
        ("a.txt", b"%PDF-1.7", "pdf"),
        ("a.pdf", b"some junk first\n%PDF-1.4", "pdf"),
        ("a.xls", b"\xef\xbb\xbf <!-- x -->\n<!DOCTYPE HTML><table>", "html"),
        ("a.txt", b'<?xml version="1.0"?><html xmlns="x">', "html"),
        ("a.zip", ZIP + b"mimetypeapplication/epub+zip", "epub"),
        ("upload", ZIP + b"word/document.xml", "docx"),
    ],
)
def test_what_a_file_holds_counts_more_than_its_name(name, head, kind):
    assert kind_of(name, head) == kind


@pytest.mark.parametrize(
    ("mime", "kind"),
    [("text/markdown; charset=utf-8", "md"), ("Application/JSON", "json"), ("image/png", "txt")],
)
def test_a_type_helps_where_the_name_says_nothing(mime, kind):
    assert kind_of("download", b"hello", mime) == kind


@pytest.mark.parametrize(
    ("name", "head", "advice"),
    [
        ("a.doc", OLD_OFFICE, "Save it as .docx"),
        ("a.xls", OLD_OFFICE, "Save it as .xlsx"),
        ("a.ppt", OLD_OFFICE, "Save it as .pptx"),
        ("a.docx", OLD_OFFICE, "Remove the password"),
        ("a.odt", ZIP, "Save it as .docx"),
        ("a.rtf", rb"{\rtf1", "Save it as .docx"),
        ("a.txt", rb"{\rtf1", "Save it as .docx"),
        ("a.xml", b"<?xml version='1.0'?><a/>", "Save it as .json"),
        ("a.png", b"\x89PNG\r\n\x1a\n", "OCR"),
        ("a.pdf", b"\xff\xd8\xff\xe0", "OCR"),
        ("a.bmp", b"BM\1\2\3\4\0\0", "OCR"),
        ("a.mp3", b"ID3\3\0", "recording"),
        ("a.mp4", b"\0\0\0\x18ftypmp42", "recording"),
        ("a.txt", b"MZ\x90\0", "program"),
        ("a", b"\x7fELF", "program"),
        ("a.zip", ZIP, "Unpack it"),
        ("a.md", b"\x1f\x8b\x08", "Unpack it"),
        ("a.pdf", b"hello", "is no pdf"),
        ("a.docx", b"hello", "is no docx"),
        ("a.bin", b"a\0b", "of no kind"),
        ("a.txt", b"", "is empty"),
    ],
)
def test_what_cannot_be_read_is_refused_with_advice(name, head, advice):
    with pytest.raises(Unreadable) as refusal:
        kind_of(name, head)

    assert advice in str(refusal.value)
    assert " send " not in str(refusal.value).lower()  # a folder is read where it lies


@pytest.mark.parametrize(
    "text", [b"BMW builds cars.", b"MZ is a label.", b"PAR2 is none", b"ID3 tags are text"]
)
def test_prose_that_begins_like_another_kind_is_prose(text):
    assert kind_of("a.txt", text) == "txt"


@given(name=st.text(max_size=20), head=st.binary(max_size=200), mime=st.text(max_size=20))
def test_every_file_has_a_kind_or_a_refusal(name, head, mime):
    try:
        kind = kind_of(name, head, mime)
    except Unreadable:
        return
    assert kind in KINDS
