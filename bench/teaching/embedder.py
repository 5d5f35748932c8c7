"""Writes the multilingual embedder, and the vectors of pieces that it shares with the reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import onnx
from base import BLOCK, Base
from graph import MASK, RUNTIME, VECTORS, Graph
from network import reader_of
from onnx import TensorProto, helper
from reporting import report, words

_PACKED = "down"
"""The step of a layer whose input has the widest spread, so that it loses most in 8 bits."""


def main() -> None:
    """Write the model, its vocabulary and the vectors of that, as the program reads them."""
    given = words(base="", out="")
    if not (given.base and given.out):
        print("Name --base FILE (e5-small-q4.bin, as README.md says) and --out FOLDER.")
        return
    base, out = Base(Path(given.base)), Path(given.out)
    out.mkdir(parents=True, exist_ok=True)
    onnx.save(words_of(base), out / "words.onnx")
    onnx.save(model_of(base), out / "model.onnx")
    pieces = "".join(f"{base.pieces[number][0]}\t{base.pieces[number][1]:.7g}\n" for number in base.kept)
    (out / "pieces.tsv").write_text(pieces, encoding="utf-8")
    written = [{"file": file.name, "bytes": file.stat().st_size} for file in sorted(out.iterdir())]
    report("written", [{"pieces": len(base.kept), **each} for each in written], given.json)


def words_of(base: Base) -> Any:
    """The vectors of the pieces as ONNX, in the 4 bits that they came with."""
    graph = Graph({}, base.shape.epsilon)
    graph.nodes.append(helper.make_node("Identity", [graph.words(base)], [VECTORS]))
    numbers = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["b", "n"])
    vectors = helper.make_tensor_value_info(VECTORS, TensorProto.FLOAT, ["b", "n", base.shape.width])
    return graph.made("words", [numbers], [vectors])


def model_of(base: Base) -> Any:
    """The embedder as ONNX: the states of all pieces after the last layer."""
    weights = {name: value.float().numpy() for name, value in reader_of(base).state_dict().items()}
    graph = _Packed(weights, base)
    places = weights["encoder.place.weight"] + weights["encoder.kind.weight"][0]
    whole = graph.node("Add", [VECTORS, graph.places(places)])
    norm = graph.norm("encoder.norm")
    state = graph.node("LayerNormalization", [whole, *norm], axis=-1, epsilon=graph.epsilon)
    graph.nodes.append(helper.make_node("Identity", [graph.layered(state, base.shape)], ["states"]))
    inputs = [
        helper.make_tensor_value_info(VECTORS, TensorProto.FLOAT, ["b", "n", base.shape.width]),
        helper.make_tensor_value_info(MASK, TensorProto.INT64, ["b", "n"]),
    ]
    states = helper.make_tensor_value_info("states", TensorProto.FLOAT, ["b", "n", base.shape.width])
    return graph.made("embedder", inputs, [states])


class _Packed(Graph):
    """A graph in which one step of each layer keeps the 4 bits of the base."""

    def __init__(self, weights: dict[str, Any], base: Base) -> None:
        super().__init__(weights, base.shape.epsilon)
        self._base = base

    def linear(self, states: str, name: str) -> tuple[str, str]:
        """States times weights; the bias is left to the caller."""
        *_, layer, step = name.split(".")
        if step != _PACKED:
            return super().linear(states, name)
        rows, columns = self.weights[f"{name}.weight"].shape
        levels, scales = self._base.levels(f"l{layer}.fo.w")
        blocks = levels.reshape(rows, columns // BLOCK, BLOCK)
        packed = self.put(f"{name}.w", blocks[..., 0::2] | blocks[..., 1::2] << 4)
        scaled = self.put(f"{name}.s", scales.astype(numpy.float32).reshape(-1))
        layout = {"K": columns, "N": rows, "bits": 4, "block_size": BLOCK, "accuracy_level": 4}
        product = self.node("MatMulNBits", [states, packed, scaled], RUNTIME, **layout)
        return product, self.put(f"{name}.b", self.weights[f"{name}.bias"])


if __name__ == "__main__":
    main()
