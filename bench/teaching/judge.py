"""The judge as a base: the cross-encoder of the package with the models, whose lower half is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy
import onnx
import torch
from base import Shape
from network import Encoder, Reader
from numpy.typing import NDArray
from onnx import numpy_helper
from tokenizers import Tokenizer

from vivavoce.adapters.embedders.unigram import Piece
from vivavoce.adapters.embedders.weights import CROSS_ENCODER

JUDGE = "judge"
"""What stands in the place of a file where the judge is the base."""
SHAPE = Shape(width=384, layers=12, heads=12, inner=1536, words=30_522, positions=512, kinds=2, epsilon=1e-12)
KEPT = 6
"""How many of its layers stay as they are: the program has them anyway."""
_VECTORS = {"word": "word_embeddings", "place": "position_embeddings", "kind": "token_type_embeddings"}
_LINEAR = {"out": "attention.output.dense", "up": "intermediate.dense", "down": "output.dense"}
_NORMS = {"first": "attention.output.LayerNorm", "second": "output.LayerNorm"}
_ASKING = ("query", "key", "value")

Tensors = Mapping[str, NDArray[Any]]


def judge_reader() -> Reader:
    """An untaught reader on the judge; whether there is an answer begins as whether a text is relevant."""
    tensors = _tensors()
    reader = Reader(Encoder(SHAPE, KEPT), SHAPE)
    own = dict(reader.named_parameters())
    for name, sources in _sources().items():
        found = numpy.concatenate([tensors[source] for source in sources])
        own[name].data.copy_(torch.from_numpy(found))
    return reader


class JudgePieces:
    """How the judge takes texts apart, and where each piece stands."""

    def __init__(self) -> None:
        self._tokenizer = Tokenizer.from_file(str(CROSS_ENCODER.path() / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def pieces(self, text: str) -> list[Piece]:
        """The pieces of a text."""
        encoded = self._tokenizer.encode(text, add_special_tokens=False)
        return [
            Piece(number, start, end)
            for number, (start, end) in zip(encoded.ids, encoded.offsets, strict=True)
        ]


def _sources() -> dict[str, tuple[str, ...]]:
    """For each parameter that is not new the tensors of the judge that it consists of."""
    found: dict[str, tuple[str, ...]] = {
        f"encoder.{ours}.weight": (f"bert.embeddings.{theirs}.weight",) for ours, theirs in _VECTORS.items()
    }
    for part in ("weight", "bias"):
        found[f"encoder.norm.{part}"] = (f"bert.embeddings.LayerNorm.{part}",)
        found[f"inner.{part}"] = (f"bert.pooler.dense.{part}",)
        found[f"answered.{part}"] = (f"classifier.{part}",)
        for layer in range(SHAPE.layers):
            ours, theirs = f"encoder.layers.{layer}", f"bert.encoder.layer.{layer}"
            asking = tuple(f"{theirs}.attention.self.{name}.{part}" for name in _ASKING)
            found[f"{ours}.qkv.{part}"] = asking
            for name, source in {**_LINEAR, **_NORMS}.items():
                found[f"{ours}.{name}.{part}"] = (f"{theirs}.{source}.{part}",)
    return found


def _tensors() -> dict[str, NDArray[Any]]:
    """All that the judge's file holds, in 32 bits, by the names that its parts have."""
    graph = onnx.load(CROSS_ENCODER.path() / "model.onnx").graph
    kept = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    found = {name: value for name, value in kept.items() if value.dtype == numpy.float32}
    for source in _VECTORS.values():
        found[f"bert.embeddings.{source}.weight"] = _unpacked(kept, f"bert.embeddings.{source}.weight")
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            path = node.name.removesuffix("_quant").removesuffix("MatMul").rstrip("_/").removesuffix("/Gemm")
            packed = node.input[1].removesuffix("_quantized")
            found[f"{path.strip('/').replace('/', '.')}.weight"] = _unpacked(kept, packed).T
    return found


def _unpacked(kept: Tensors, name: str) -> NDArray[Any]:
    levels = kept[f"{name}_quantized"].astype("f4") - kept[f"{name}_zero_point"].astype("f4")
    return numpy.ascontiguousarray(levels * kept[f"{name}_scale"])
