"""The process that reads one file: it takes it from stdin and gives its parts as frames on stdout.

Run as `python -m vivavoce.adapters.documents.child` with a kind and its limits, see reading.py.
"""

from __future__ import annotations

import io
import sys

from vivavoce.errors import Unreadable

from .confining import confine, end_with_parent
from .frames import END, framed, part_frame, refusal_frame
from .parsing import parser_of, parts_of


def main(kind: str, memory: int, processor_seconds: int, characters: int, parent: int) -> None:
    """Read stdin, confined: everything is imported before the first byte of the file is looked at."""
    end_with_parent(parent)
    parser = parser_of(kind)
    source = io.BufferedReader(io.FileIO(0, closefd=False), 1 << 16)
    with io.FileIO(1, "w", closefd=False) as raw, io.BufferedWriter(raw, 1 << 16) as sink:
        confine(memory, processor_seconds)
        try:
            for part in parts_of(source, parser, characters):
                sink.write(part_frame(part))
            sink.write(framed(END))
        except Unreadable as error:
            sink.write(refusal_frame(error))
        except MemoryError:
            sink.write(
                refusal_frame(Unreadable("The file needs too much memory to be read.", hint="Split it."))
            )
        except RecursionError:
            sink.write(refusal_frame(Unreadable("The file is nested too deeply to be read.")))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
