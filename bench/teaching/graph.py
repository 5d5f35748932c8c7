"""A model as ONNX: nodes and weights in the order in which they are added, and the layers of an encoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
from base import BLOCK, Base, Shape
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Weights = dict[str, NDArray[Any]]
MASK, VECTORS = "attention_mask", "vectors"
RUNTIME = "com.microsoft"
"""The operators that onnxruntime adds to those of ONNX."""
_OPSET, _FORMAT = 17, 8


class Graph:
    """Nodes and weights, in the order in which they are added; each is known by its name."""

    def __init__(self, weights: Weights, epsilon: float) -> None:
        self.weights, self.epsilon = weights, epsilon
        self.nodes: list[Any] = []
        self.kept: list[Any] = []
        self._counted = 0
        self._quantized: tuple[str, list[str]] = ("", [])

    def words(self, base: Base) -> str:
        """The vectors of the pieces that are kept, as they are packed in the base."""
        levels, scales = base.levels("emb.word")
        levels = levels.reshape(base.shape.words, base.shape.width)[base.kept]
        packed = self.put("words", levels[:, 0::2] | levels[:, 1::2] << 4)
        scaled = self.put("words.s", scales.reshape(base.shape.words, -1)[base.kept])
        layout = {"gather_axis": 0, "quantize_axis": 1, "block_size": BLOCK, "bits": 4}
        word = self.node("GatherBlockQuantized", [packed, "input_ids", scaled], RUNTIME, **layout)
        return self.node("Cast", [word], to=TensorProto.FLOAT)

    def places(self, vectors: NDArray[Any]) -> str:
        """The vectors of places, as many as a text has pieces."""
        size = self.node("Shape", [VECTORS], start=1, end=2)
        first, axis = self.put("zero", numpy.array([0])), self.put("ax", numpy.array([0]))
        return self.node("Slice", [self.half("places", vectors), first, size, axis])

    def layered(self, state: str, shape: Shape, lowest: int = 0) -> str:
        """The states after all layers from the lowest on."""
        mask = self.node("Cast", [MASK], to=TensorProto.INT32)
        cuts = self.put("cuts", numpy.array([shape.width] * 3))
        for layer in range(lowest, shape.layers):
            name = f"encoder.layers.{layer}"
            states, bias = self.linear(state, f"{name}.qkv")
            parts = self.nodes_of("Split", [self.node("Add", [states, bias]), cuts], 3, axis=-1)
            seen = self.node("MultiHeadAttention", [*parts, "", mask], RUNTIME, num_heads=shape.heads)
            state = self.added(*self.linear(seen, f"{name}.out"), state, f"{name}.first")
            inner = self.node("BiasGelu", [*self.linear(state, f"{name}.up")], RUNTIME)
            state = self.added(*self.linear(inner, f"{name}.down"), state, f"{name}.second")
        return state

    def made(self, name: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
        """The model."""
        made = helper.make_graph(self.nodes, name, inputs, outputs, self.kept)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(RUNTIME, 1)]
        return helper.make_model(made, opset_imports=opsets, ir_version=_FORMAT)

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
        return self.node("SkipLayerNormalization", inputs, RUNTIME, epsilon=self.epsilon)

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
