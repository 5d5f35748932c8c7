"""Typesets handbook.txt as a PDF with printed page numbers: python typeset.py."""

from __future__ import annotations

import re
import textwrap
import zlib
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
WIDTH, HEIGHT = 420, 595  # A5, in points
SIZE, LEADING = 10, 15
LEFT, TOP = 50, 535
COLUMNS = 53


def pages(text: str) -> Iterator[tuple[str, list[str]]]:
    """The number that is printed on each page, and its lines."""
    found = re.split(r"^\[(\w+)\]\n", text, flags=re.MULTILINE)[1:]
    for label, page in zip(found[::2], found[1::2], strict=True):
        lines: list[str] = []
        for paragraph in page.strip().split("\n\n"):
            lines += [*textwrap.wrap(paragraph, COLUMNS, break_on_hyphens=False), ""]
        yield label, lines[:-1]


def content(lines: list[str]) -> bytes:
    """The drawing of one page, compressed."""
    shown = [re.sub(r"([\\()])", r"\\\1", line) for line in lines]
    text = "\n".join(f"({line} ) Tj T*" for line in shown)
    return zlib.compress(f"BT /F1 {SIZE} Tf {LEADING} TL {LEFT} {TOP} Td\n{text}\nET".encode("cp1252"), 9)


def pdf(text: str) -> bytes:
    """The whole document."""
    made = list(pages(text))
    roman = sum(not label.isdecimal() for label, _ in made)
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(made)))
    labels = f"<< /Nums [0 << /S /r >> {roman} << /S /D >>] >>"
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R /PageLabels {labels} /Lang (en) >>".encode(),
        f"<< /Type /Pages /Kids [{kids}] /Count {len(made)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
    ]
    for number, (_, lines) in enumerate(made):
        drawn = content(lines)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * number} 0 R >>".encode()
        )
        objects.append(
            f"<< /Length {len(drawn)} /Filter /FlateDecode >>\nstream\n".encode() + drawn + b"\nendstream"
        )
    return _written(objects)


def _written(objects: list[bytes]) -> bytes:
    written, places = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    begins = len(written)
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    written += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode()
    written += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{begins}\n%%EOF\n".encode()
    return bytes(written)


if __name__ == "__main__":
    source = (HERE / "handbook.txt").read_text(encoding="utf-8")
    (HERE / "open-access" / "handbook.pdf").write_bytes(pdf(source))
