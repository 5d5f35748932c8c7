"""The network: the encoder of the base, and the reader that stands on it."""

from __future__ import annotations

import numpy
import torch
from base import Base, Shape
from torch import Tensor, nn
from torch.nn import functional

TAUGHT = "final.pt"
"""The file that a taught reader is kept in."""
_UNSEEN = -1e4
"""The logit of what must not be looked at."""
_SPREAD = 0.02


class Layer(nn.Module):
    """One layer: attention, then two linear steps, each added to what was there and normed."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.qkv = nn.Linear(shape.width, 3 * shape.width)
        self.out = nn.Linear(shape.width, shape.width)
        self.up = nn.Linear(shape.width, shape.inner)
        self.down = nn.Linear(shape.inner, shape.width)
        self.first = nn.LayerNorm(shape.width, shape.epsilon)
        self.second = nn.LayerNorm(shape.width, shape.epsilon)

    def forward(self, state: Tensor, mask: Tensor) -> Tensor:
        """The next state."""
        state = self.first(state + self.out(self._attended(state, mask)))
        return self.second(state + self.down(functional.gelu(self.up(state))))

    def _attended(self, state: Tensor, mask: Tensor) -> Tensor:
        """Attention by hand: torch's own is four times slower on the way back."""
        rows, length, width = state.shape
        size = width // self.heads
        parts = self.qkv(state).view(rows, length, 3, self.heads, size).permute(2, 0, 3, 1, 4)
        asking, asked, told = (part.reshape(-1, length, size) for part in (parts[0] * size**-0.5, *parts[1:]))
        scores = torch.bmm(asking, asked.transpose(1, 2)).view(rows, self.heads, length, length)
        shares = (scores + mask.to(scores.dtype)).softmax(-1, dtype=scores.dtype)
        seen = torch.bmm(shares.view(-1, length, length), told).view(rows, self.heads, length, size)
        return seen.transpose(1, 2).reshape(rows, length, width)


class Encoder(nn.Module):
    """The layers, and the vectors of words, places and kinds (question or text) below them."""

    def __init__(self, shape: Shape, kept: int = 0) -> None:
        """The lowest layers that are to be kept, and where there are any the vectors too, learn nothing."""
        super().__init__()
        self.kept = kept
        self.word = nn.Embedding(shape.words, shape.width)
        self.place = nn.Embedding(shape.positions, shape.width)
        self.kind = nn.Embedding(shape.kinds, shape.width)
        self.norm = nn.LayerNorm(shape.width, shape.epsilon)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))

    def forward(self, ids: Tensor, kinds: Tensor, mask: Tensor) -> Tensor:
        """The state of each piece after the last layer."""
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.kept):
            places = torch.arange(ids.shape[1])
            state = self.norm(self.word(ids) + self.place(places) + self.kind(kinds))
            for layer in self.layers[: self.kept]:
                state = layer(state, mask)
        for layer in self.layers[self.kept :]:
            state = layer(state, mask)
        return state


class Reader(nn.Module):
    """Where the answer begins and ends (place 0: there is none), and whether there is one."""

    def __init__(self, encoder: Encoder, shape: Shape) -> None:
        super().__init__()
        self.encoder = encoder
        self.span = nn.Linear(shape.width, 2)
        self.inner = nn.Linear(shape.width, shape.width)
        self.answered = nn.Linear(shape.width, 1)
        nn.init.normal_(self.span.weight, std=_SPREAD)
        nn.init.zeros_(self.span.bias)

    def forward(
        self, ids: Tensor, kinds: Tensor, seen: Tensor, told: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Logits; `seen` is what is no padding, `told` the pieces of the text and place 0."""
        mask = torch.zeros(seen.shape).masked_fill(~seen, _UNSEEN)[:, None, None, :]
        state = self.encoder(ids, kinds, mask).float()
        with torch.autocast("cpu", enabled=False):
            spans = self.span(state).masked_fill(~told[..., None], _UNSEEN)
            answered = self.answered(torch.tanh(self.inner(state[:, 0])))[:, 0]
        return spans[..., 0], spans[..., 1], answered


def reader_of(base: Base) -> Reader:
    """An untaught reader on the base, which knows one kind: texts begin as questions do."""
    encoder = Encoder(base.shape._replace(words=len(base.kept)))
    own = dict(encoder.named_parameters())
    for name, sources in _sources(base.shape.layers).items():
        numbers = numpy.concatenate([base.numbers(source) for source in sources])
        own[name].data.copy_(torch.from_numpy(numbers).view(own[name].shape))
    words = base.numbers("emb.word").reshape(base.shape.words, base.shape.width)[base.kept]
    encoder.word.weight.data.copy_(torch.from_numpy(words))
    encoder.kind.weight.data[1] = encoder.kind.weight.data[0]
    return Reader(encoder, base.shape)


def _sources(layers: int) -> dict[str, tuple[str, ...]]:
    """For each parameter of the encoder, words left out, the tensors of the base that it consists of."""
    found: dict[str, tuple[str, ...]] = {
        "place.weight": ("emb.pos",),
        "kind.weight": ("emb.type",),
        "norm.weight": ("emb.ln.w",),
        "norm.bias": ("emb.ln.b",),
    }
    parts = {"qkv": "q k v", "out": "ao", "first": "aln", "up": "fi", "down": "fo", "second": "oln"}
    for layer in range(layers):
        for name, sources in parts.items():
            for ours, theirs in (("weight", "w"), ("bias", "b")):
                names = tuple(f"l{layer}.{source}.{theirs}" for source in sources.split())
                found[f"layers.{layer}.{name}.{ours}"] = names
    return found
