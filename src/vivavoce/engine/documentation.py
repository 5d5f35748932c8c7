"""How the engine carries out the operation that tells a model what it can do here."""

from __future__ import annotations

from vivavoce.operations.documentation import Documentation, GetDocumentation
from vivavoce.operations.pages import PAGES

from .handlers import Work, handles


@handles(GetDocumentation, is_long=True)
def get_documentation(op: GetDocumentation, work: Work) -> Documentation:
    return Documentation(doc_type=op.doc_type, content=PAGES[op.doc_type]())
