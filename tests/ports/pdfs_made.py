"""PDF files written by hand: sound ones, and some that nobody should have to read."""

import zlib
from collections.abc import Sequence


def pdf(
    pages: Sequence[str],
    *,
    labels: str = "",
    bookmarks: Sequence[tuple[str, int]] = (),
    catalog: str = "",
) -> bytes:
    """A file with a page for each text, whose lines stand under each other."""
    return assembled([stream(_shown(page)) for page in pages], labels, bookmarks, catalog)


def typeset(*pages: Sequence[tuple[float, float, str]], labels: str = "") -> bytes:
    """A file of pages whose lines have a size and a height above the foot of the page."""
    return assembled([stream(_placed(lines).encode("cp1252")) for lines in pages], labels)


def assembled(
    contents: Sequence[bytes],
    labels: str = "",
    bookmarks: Sequence[tuple[str, int]] = (),
    catalog: str = "",
    resources: str = "/Font << /F1 3 0 R >>",
) -> bytes:
    """A file with a page for each stream; objects 1 to 3 are the catalogue, the pages and a font."""
    first = 4
    numbers = range(first, first + 2 * len(contents), 2)
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects = {
        1: b"",
        2: f"<< /Type /Pages /Count {len(contents)} /Kids [{kids}] >>".encode(),
        3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    }
    for number, content in zip(numbers, contents, strict=True):
        objects[number] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << {resources} >> "
            f"/Contents {number + 1} 0 R >>"
        ).encode()
        objects[number + 1] = content
    outline = ""
    if bookmarks:
        outline = f"/Outlines {len(objects) + 1} 0 R"
        _add_bookmarks(objects, bookmarks, numbers)
    label = f"/PageLabels << /Nums [{labels}] >>" if labels else ""
    objects[1] = f"<< /Type /Catalog /Pages 2 0 R {outline} {label} {catalog} >>".encode()
    return written(objects)


def stream(content: bytes, dictionary: str = "") -> bytes:
    """An object that carries bytes, packed."""
    return packed(zlib.compress(content), f"/Filter /FlateDecode {dictionary}")


def packed(content: bytes, dictionary: str) -> bytes:
    """An object that carries bytes as they are."""
    return f"<< /Length {len(content)} {dictionary} >>\nstream\n".encode() + content + b"\nendstream"


def written(objects: dict[int, bytes]) -> bytes:
    """The objects as a file with a table of where they stand."""
    file = bytearray(b"%PDF-1.7\n")
    places = {}
    for number, body in objects.items():
        places[number] = len(file)
        file += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for number in range(1, len(objects) + 1):
        file += b"%010d 00000 n \n" % places[number]
    file += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table)
    return bytes(file)


def scan() -> bytes:
    """A page that is a picture and nothing else."""
    image = "/XObject << /Im1 << /Type /XObject >> >>"
    return assembled([stream(b"q 612 0 0 792 0 0 cm 0 0 1 1 re f Q")], resources=image)


def bomb(size: int = 1 << 30) -> bytes:
    """A page whose content unpacks to a size beyond all measure."""
    packer = zlib.compressobj(9)
    first, more = (packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return assembled([packed(first + more * (size >> 20), "/Filter /FlateDecode")])


def looping_table() -> bytes:
    """A file whose table of places says that the table before it is itself."""
    sound = pdf(["A page."])
    at = int(sound.rpartition(b"startxref\n")[2].partition(b"\n")[0])
    return sound.replace(b"/Root 1 0 R", b"/Root 1 0 R /Prev %d" % at)


def book(pages: int) -> bytes:
    """Many pages of some 2,500 characters each."""
    return pdf([_page_of_prose(number) for number in range(1, pages + 1)])


_PROSE = "the quick brown fox of page jumps over some lazy dogs while nobody looks at them twice"


def _page_of_prose(number: int) -> str:
    words = _PROSE.split()
    lines = []
    for line in range(36):
        said = [words[(number * 7 + line * 3 + place) % len(words)] for place in range(14)]
        lines.append(f"{number}.{line} {' '.join(said)}")
    return "\n".join(lines)


def _shown(text: str) -> bytes:
    lines = []
    for line in text.split("\n"):
        escaped = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        lines.append(f"({escaped}) Tj T*")
    return ("BT /F1 10 Tf 12 TL 40 750 Td " + "\n".join(lines) + " ET").encode("cp1252")


def _placed(lines: Sequence[tuple[float, float, str]]) -> str:
    return "\n".join(
        f"BT /F1 1 Tf {size} 0 0 {size} 40 {height} Tm ({text}) Tj ET" for size, height, text in lines
    )


def _add_bookmarks(
    objects: dict[int, bytes], bookmarks: Sequence[tuple[str, int]], pages: Sequence[int]
) -> None:
    root = len(objects) + 1
    last = root + len(bookmarks)
    objects[root] = (
        f"<< /Type /Outlines /First {root + 1} 0 R /Last {last} 0 R /Count {len(bookmarks)} >>".encode()
    )
    for place, (title, page) in enumerate(bookmarks, 1):
        beside = (f"/Next {root + place + 1} 0 R" if place < len(bookmarks) else "") + (
            f" /Prev {root + place - 1} 0 R" if place > 1 else ""
        )
        objects[root + place] = (
            f"<< /Title ({title}) /Parent {root} 0 R {beside} /Dest [{pages[page - 1]} 0 R /XYZ 0 792 0] >>"
        ).encode()
