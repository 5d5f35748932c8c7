"""Exports a reader: its layers in 8 bits, as one ONNX file; the vectors of pieces stand with the embedder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import onnx
import torch
from base import Base, Shape
from graph import MASK, VECTORS, Graph, Weights
from judge import JUDGE, KEPT, SHAPE, judge_reader
from network import TAUGHT, Reader, reader_of
from onnx import TensorProto, helper
from reporting import report, words

from vivavoce.adapters.embedders.upper import FILE as ENGLISH_FILE

_STATES = "states"
_KINDS = "token_type_ids"


def main() -> None:
    """Write the model as the program reads it."""
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
        onnx.save(model_of(_weights(reader_of(base), taught), base.shape), out / "model.onnx")
    report(
        "exported", [{"file": file.name, "bytes": file.stat().st_size} for file in out.iterdir()], given.json
    )


def model_of(weights: Weights, shape: Shape) -> Any:
    """The reader as ONNX."""
    graph = Graph(weights, shape.epsilon)
    _read(graph, graph.layered(_embedded(graph), shape))
    return _made(graph, [_floats(VECTORS, shape), _numbers(_KINDS), _numbers(MASK)])


def upper_model_of(weights: Weights) -> Any:
    """The English reader as ONNX: the layers that learnt, which read the states of the judge below them."""
    graph = Graph(weights, SHAPE.epsilon)
    _read(graph, graph.layered(_STATES, SHAPE, KEPT))
    return _made(graph, [_floats(_STATES, SHAPE), _numbers(MASK)])


def _weights(reader: Reader, taught: Path) -> Weights:
    reader.load_state_dict(torch.load(taught)["net"])
    return {name: value.float().numpy() for name, value in reader.state_dict().items()}


def _made(graph: Graph, inputs: Sequence[Any]) -> Any:
    outputs = [
        helper.make_tensor_value_info("spans", TensorProto.FLOAT, ["b", "n", 2]),
        helper.make_tensor_value_info("answered", TensorProto.FLOAT, ["b", 1]),
    ]
    return graph.made("reader", inputs, outputs)


def _floats(name: str, shape: Shape) -> Any:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["b", "n", shape.width])


def _numbers(name: str) -> Any:
    return helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "n"])


def _embedded(graph: Graph) -> str:
    """The vectors of pieces, kinds and places together."""
    kinds = graph.put("kinds", graph.weights["encoder.kind.weight"])
    kind = graph.node("Gather", [kinds, _KINDS])
    place = graph.places(graph.weights["encoder.place.weight"])
    whole = graph.node("Add", [graph.node("Add", [VECTORS, kind]), place])
    return graph.node(
        "LayerNormalization", [whole, *graph.norm("encoder.norm")], axis=-1, epsilon=graph.epsilon
    )


def _read(graph: Graph, state: str) -> None:
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


if __name__ == "__main__":
    main()
