"""Office files and books written by hand, with no more in them than a test needs."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def zipped(entries: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive with these entries."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return file.getvalue()


def relations(*pointed: tuple[str, str, str]) -> str:
    """What a part points at: id, kind and target of each."""
    inner = "".join(
        f'<Relationship Id="{id}" Type="{OFFICE}/{kind}" Target="{target}"/>' for id, kind, target in pointed
    )
    return f'<Relationships xmlns="{RELATIONS}">{inner}</Relationships>'


def docx(body: str, *, styles: str = "", footnotes: str = "", **more: str | bytes) -> bytes:
    """A Word document with this body."""
    return zipped(
        {
            "_rels/.rels": relations(("r1", "officeDocument", "word/document.xml")),
            "word/_rels/document.xml.rels": relations(
                ("r1", "styles", "styles.xml"), ("r2", "footnotes", "footnotes.xml")
            ),
            "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
            "word/styles.xml": f'<w:styles xmlns:w="{WORD}">{styles}</w:styles>',
            "word/footnotes.xml": f'<w:footnotes xmlns:w="{WORD}">{footnotes}</w:footnotes>',
            **more,
        }
    )


def paragraph(text: str, style: str | None = None, more: str = "") -> str:
    """A paragraph of a Word document."""
    styled = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{styled}{more}</w:pPr><w:r><w:t>{escape(text)}</w:t></w:r></w:p>"


def style(id: str, name: str, rests_on: str = "", more: str = "") -> str:
    """A style of a Word document."""
    based = f'<w:basedOn w:val="{rests_on}"/>' if rests_on else ""
    return f'<w:style w:styleId="{id}"><w:name w:val="{name}"/>{based}<w:pPr>{more}</w:pPr></w:style>'


def pptx(slides: Sequence[str], notes: Mapping[int, str] | None = None) -> bytes:
    """A presentation of these slides, named in the archive in another order than they are shown."""
    notes = notes or {}
    count = len(slides)
    ids = "".join(f'<p:sldId id="{255 + n}" r:id="r{n}"/>' for n in range(1, count + 1))
    entries = {
        "_rels/.rels": relations(("r1", "officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f'<p:presentation xmlns:p="{SLIDES}" xmlns:r="{OFFICE}">'
        f"<p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(
            *((f"r{n}", "slide", f"slides/slide{count - n + 1}.xml") for n in range(1, count + 1))
        ),
    }
    for number, shapes in enumerate(slides, 1):
        file = f"slide{count - number + 1}.xml"
        entries[f"ppt/slides/{file}"] = _slide(shapes)
        if number in notes:
            entries[f"ppt/slides/_rels/{file}.rels"] = relations(("n", "notesSlide", f"../notes/{file}"))
            entries[f"ppt/notes/{file}"] = _slide(shape(notes[number], "body") + shape("7", "sldNum"))
    return zipped(entries)


def shape(text: str, role: str = "") -> str:
    """A shape with a text of one or more lines."""
    placed = f'<p:nvSpPr><p:nvPr><p:ph type="{role}"/></p:nvPr></p:nvSpPr>' if role else ""
    lines = "".join(f"<a:p><a:r><a:t>{escape(line)}</a:t></a:r></a:p>" for line in text.split("\n"))
    return f"<p:sp>{placed}<p:txBody>{lines}</p:txBody></p:sp>"


def xlsx(
    sheets: Mapping[str, str], *, strings: str = "", styles: str = "", book: str = "", state: str = ""
) -> bytes:
    """A workbook with these sheets; the last one has the state."""
    names = list(sheets)
    listed = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{n}" r:id="r{n}"'
        + (f' state="{state}"/>' if state and name == names[-1] else "/>")
        for n, name in enumerate(names, 1)
    )
    return zipped(
        {
            "_rels/.rels": relations(("r1", "officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f'<workbook xmlns="{SHEETS}" xmlns:r="{OFFICE}">{book}'
            f"<sheets>{listed}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": relations(
                *((f"r{n}", "worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(names) + 1)),
                ("s1", "sharedStrings", "sharedStrings.xml"),
                ("s2", "styles", "styles.xml"),
            ),
            "xl/sharedStrings.xml": strings or f'<sst xmlns="{SHEETS}"/>',
            "xl/styles.xml": f'<styleSheet xmlns="{SHEETS}">{styles}</styleSheet>',
            **{
                f"xl/worksheets/sheet{n}.xml": f'<worksheet xmlns="{SHEETS}">{rows}</worksheet>'
                for n, rows in enumerate(sheets.values(), 1)
            },
        }
    )


def row(*cells: str | int | float) -> str:
    """A row of a sheet, texts inline."""
    return "<row>" + "".join(_cell(cell) for cell in cells) + "</row>"


def epub(chapters: Mapping[str, str], *, title: str = "A Book", opf: str = "", **more: str | bytes) -> bytes:
    """A book of these chapters; names in the archive are folders deep."""
    items = "".join(
        f'<item id="c{n}" href="{name}" media-type="application/xhtml+xml"/>'
        for n, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": "<container><rootfiles>"
            '<rootfile full-path="OPS/book.opf"/></rootfiles></container>',
            "OPS/book.opf": opf
            or f"<package><metadata><title>{title}</title></metadata>"
            f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
            **{f"OPS/{name}".replace("%20", " "): _xhtml(body) for name, body in chapters.items()},
            **more,
        }
    )


def _slide(shapes: str) -> str:
    return f'<p:sld xmlns:p="{SLIDES}" xmlns:a="{DRAWING}"><p:spTree>{shapes}</p:spTree></p:sld>'


def _cell(value: str | float) -> str:
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f"<c><v>{value}</v></c>"


def _xhtml(body: str) -> str:
    return (
        '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x.dtd">'
        f"<html><head><title>Not this</title></head><body>{body}</body></html>"
    )
