"""Exports the reader: the layers in 8 bits, the words in the 4 that they came with, as one ONNX file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import onnx
import torch
from base import BLOCK, Base, Shape
from judge import JUDGE, KEPT, SHAPE, judge_reader
from network import TAUGHT, Reader, reader_of
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from reporting import report, words

from vivavoce.adapters.embedders.upper import FILE as ENGLISH_FILE

Weights = dict[str, NDArray[Any]]
_STATES, _MASK = "states", "attention_mask"
_INPUTS = ("input_ids", "token_type_ids", _MASK)
_RUNTIME = "com.microsoft"
"""The operators that onnxruntime adds to those of ONNX."""
_OPSET, _FORMAT = 17, 8


def main() -> None:
    """Write the model and its vocabulary, as the program reads them."""
    given = words(base="", taught="", out="")
    if not (given.base and given.taught and given.out):
        print("Name --base FILE or --base judge, --taught FOLDER (what teach.py wrote) and --out FOLDER.")
        return
    out = Path(given.out)
    out.mkdir(parents=True, exist_ok=True)
    taught = Path(given.taught) / TAUGHT
    if not taught.is_file():
        raise SystemExit(f"{taught} is missing: teach.py writes it.")
    if given.base == JUDGE:
        onnx.save(upper_model_of(_weights(judge_reader(), taught)), out / ENGLISH_FILE)
    else:
        base = Base(Path(given.base))
        onnx.save(model_of(_weights(reader_of(base), taught), base), out / "model.onnx")
        pieces = "".join(f"{piece}\t{score:.7g}\n" for piece, score in base.pieces)
        (out / "pieces.tsv").write_text(pieces, encoding="utf-8")
    report(
        "exported", [{"file": file.name, "bytes": file.stat().st_size} for file in out.iterdir()], given.json
    )


def model_of(weights: Weights, base: Base) -> Any:
    """The reader as ONNX."""
    graph = _Graph(weights, base.shape.epsilon)
    _read(graph, _layered(graph, _embedded(graph, base), base.shape))
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "n"]) for name in _INPUTS]
    return _made(graph, inputs)


def upper_model_of(weights: Weights) -> Any:
    """The English reader as ONNX: the layers that learnt, which read the states of the judge below them."""
    graph = _Graph(weights, SHAPE.epsilon)
    _read(graph, _layered(graph, _STATES, SHAPE, KEPT))
    inputs = [
        helper.make_tensor_value_info(_STATES, TensorProto.FLOAT, ["b", "n", SHAPE.width]),
        helper.make_tensor_value_info(_MASK, TensorProto.INT64, ["b", "n"]),
    ]
    return _made(graph, inputs)


def _weights(reader: Reader, taught: Path) -> Weights:
    reader.load_state_dict(torch.load(taught)["net"])
    return {name: value.float().numpy() for name, value in reader.state_dict().items()}


def _layered(graph: _Graph, state: str, shape: Shape, lowest: int = 0) -> str:
    """The states after all layers from the lowest on."""
    mask = graph.node("Cast", [_MASK], to=TensorProto.INT32)
    cuts = graph.put("cuts", numpy.array([shape.width] * 3))
    for layer in range(lowest, shape.layers):
        name = f"encoder.layers.{layer}"
        states, bias = graph.linear(state, f"{name}.qkv")
        parts = graph.nodes_of("Split", [graph.node("Add", [states, bias]), cuts], 3, axis=-1)
        seen = graph.node("MultiHeadAttention", [*parts, "", mask], _RUNTIME, num_heads=shape.heads)
        state = graph.added(*graph.linear(seen, f"{name}.out"), state, f"{name}.first")
        inner = graph.node("BiasGelu", [*graph.linear(state, f"{name}.up")], _RUNTIME)
        state = graph.added(*graph.linear(inner, f"{name}.down"), state, f"{name}.second")
    return state


def _made(graph: _Graph, inputs: Sequence[Any]) -> Any:
    outputs = [
        helper.make_tensor_value_info("spans", TensorProto.FLOAT, ["b", "n", 2]),
        helper.make_tensor_value_info("answered", TensorProto.FLOAT, ["b", 1]),
    ]
    made = helper.make_graph(graph.nodes, "reader", inputs, outputs, graph.kept)
    opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_RUNTIME, 1)]
    return helper.make_model(made, opset_imports=opsets, ir_version=_FORMAT)


def _embedded(graph: _Graph, base: Base) -> str:
    """The vectors of words, kinds and places together. Words are kept as they are packed in the base."""
    levels, scales = base.levels("emb.word")
    levels = levels.reshape(base.shape.words, base.shape.width)
    packed = graph.put("words", levels[:, 0::2] | levels[:, 1::2] << 4)
    scaled = graph.put("words.s", scales.reshape(base.shape.words, -1))
    layout = {"gather_axis": 0, "quantize_axis": 1, "block_size": BLOCK, "bits": 4}
    word = graph.node("GatherBlockQuantized", [packed, "input_ids", scaled], _RUNTIME, **layout)
    word = graph.node("Cast", [word], to=TensorProto.FLOAT)
    size = graph.node("Shape", ["input_ids"], start=1, end=2)
    places = graph.half("places", graph.weights["encoder.place.weight"])
    place = graph.node(
        "Slice", [places, graph.put("zero", numpy.array([0])), size, graph.put("ax", numpy.array([0]))]
    )
    kinds = graph.put("kinds", graph.weights["encoder.kind.weight"])
    kind = graph.node("Gather", [kinds, "token_type_ids"])
    whole = graph.node("Add", [graph.node("Add", [word, kind]), place])
    norm = graph.norm("encoder.norm")
    return graph.node("LayerNormalization", [whole, *norm], axis=-1, epsilon=graph.epsilon)


def _read(graph: _Graph, state: str) -> None:
    """The two heads."""
    weights = graph.weights
    spans = graph.node("MatMul", [state, graph.put("span.w", weights["span.weight"].T)])
    spans = graph.node("Add", [spans, graph.put("span.b", weights["span.bias"])])
    first = graph.node("Gather", [state, graph.put("i0", numpy.array(0))], axis=1)
    inner = graph.node("MatMul", [first, graph.half("inner.w", weights["inner.weight"].T)])
    inner = graph.node("Tanh", [graph.node("Add", [inner, graph.put("inner.b", weights["inner.bias"])])])
    answered = graph.node("MatMul", [inner, graph.put("answered.w", weights["answered.weight"].T)])
    answered = graph.node("Add", [answered, graph.put("answered.b", weights["answered.bias"])])
    for name, found in {"spans": spans, "answered": answered}.items():
        graph.nodes.append(helper.make_node("Identity", [found], [name]))


class _Graph:
    """Nodes and weights, in the order in which they are added; each is known by its name."""

    def __init__(self, weights: Weights, epsilon: float) -> None:
        self.weights, self.epsilon = weights, epsilon
        self.nodes: list[Any] = []
        self.kept: list[Any] = []
        self._counted = 0
        self._quantized: tuple[str, list[str]] = ("", [])

    def put(self, name: str, array: NDArray[Any]) -> str:
        self.kept.append(numpy_helper.from_array(numpy.array(array, order="C"), name))
        return name

    def half(self, name: str, array: NDArray[Any]) -> str:
        """Weights that are kept in 16 bits and read in 32."""
        return self.node("Cast", [self.put(name, array.astype("f2"))], to=TensorProto.FLOAT)

    def node(self, kind: str, inputs: Sequence[str], domain: str = "", **how: Any) -> str:
        return self.nodes_of(kind, inputs, 1, domain, **how)[0]

    def nodes_of(
        self, kind: str, inputs: Sequence[str], outputs: int, domain: str = "", **how: Any
    ) -> list[str]:
        self._counted += 1
        name = f"{kind}_{self._counted}"
        names = [f"{name}_{at}" for at in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=name, domain=domain, **how))
        return names

    def norm(self, name: str) -> tuple[str, str]:
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return self.put(f"{name}.g", weight), self.put(f"{name}.o", bias)

    def added(self, states: str, bias: str, before: str, norm: str) -> str:
        """States and their bias, added to those before and normed."""
        inputs = [states, before, *self.norm(norm), bias]
        return self.node("SkipLayerNormalization", inputs, _RUNTIME, epsilon=self.epsilon)

    def linear(self, states: str, name: str) -> tuple[str, str]:
        """States times weights in 8 bits, with a scale for each row; the bias is left to the caller."""
        bias = self.put(f"{name}.b", self.weights[f"{name}.bias"])
        weight = self.weights[f"{name}.weight"]
        scales = numpy.abs(weight).max(1) / 127
        levels = numpy.round(weight / scales[:, None]).astype("i1")
        if self._quantized[0] != states:
            self._quantized = states, self.nodes_of("DynamicQuantizeLinear", [states], 3)
        rounded, scale, zero = self._quantized[1]
        product = self.node("MatMulInteger", [rounded, self.put(f"{name}.w", levels.T), zero])
        product = self.node("Cast", [product], to=TensorProto.FLOAT)
        scale = self.node("Mul", [scale, self.put(f"{name}.s", scales.astype("f4"))])
        return self.node("Mul", [product, scale]), bias


if __name__ == "__main__":
    main()
