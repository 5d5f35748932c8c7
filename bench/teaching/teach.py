"""Teaches the reader: the base goes on learning, on lessons from the data and from questions of our own."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import torch
from base import Base
from courses import BOTH, ENGLISH, Course
from judge import JUDGE, JudgePieces, judge_reader
from lessons import Lesson
from mixture import Mixture
from network import TAUGHT, Reader, reader_of
from reporting import report, words
from torch import Tensor, nn
from torch.nn import functional

from vivavoce.adapters.embedders.words import Words

_SEED, _DRAWN = 1, 17
"""Where the chance of the heads and that of the lessons begin."""
_THREADS = 2
_WARMING = 60
"""Steps until the rate is reached; from then on it falls, to 0 when the time is over."""
_DECAY, _BETAS = 0.01, (0.9, 0.98)
_LONGEST_STEP = 1.0
_TOLD, _MEANT = 20, 100
"""Steps between two lines, and steps that their figures are the means of."""
_KEPT = 600
"""Seconds between two states that are kept."""
_SURE = 1 - 1e-4
_LAST = "last.pt"


def main() -> None:
    """Teach for so many minutes, with --resume 1 after what was kept, and keep the reader."""
    given = words(base="", data="", minutes=80, out="", resume=0)
    if not (given.base and given.data and given.out):
        print("Name --base FILE or --base judge, --data FOLDER and --out FOLDER: see README.md.")
        return
    out = Path(given.out)
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(_THREADS)
    torch.manual_seed(_SEED)
    is_english = given.base == JUDGE
    reader = judge_reader() if is_english else reader_of(Base(Path(given.base)))
    course = ENGLISH if is_english else BOTH
    teaching = Teaching(reader, course, given.minutes * 60)
    rng = Random(_DRAWN)
    if given.resume:
        teaching.resume(out / _LAST)
        rng.seed(teaching.step)
    tokenizer = JudgePieces() if is_english else Words().tokenizer
    mixture = Mixture(Path(given.data), tokenizer, course, rng)
    report("taught", [_taught(teaching, mixture, out)], given.json)


class Teaching:
    """A reader, and how far it has come in the time that there is for it."""

    def __init__(self, reader: Reader, course: Course, seconds: float) -> None:
        self.reader, self._course, self.step = reader.train(), course, 0
        reader.encoder.word.weight.requires_grad = False  # stays as it is packed
        groups = _groups(reader, course)
        self._optimizer = torch.optim.AdamW(
            groups, lr=course.rate, weight_decay=_DECAY, betas=_BETAS, fused=True
        )
        self._learning = [each for group in groups for each in group["params"]]
        self._seconds, self._before, self._began = seconds, 0.0, time.monotonic()

    @property
    def spent(self) -> float:
        """Seconds of teaching, those of the runs before included."""
        return self._before + time.monotonic() - self._began

    @property
    def done(self) -> float:
        """The part of the time that is over."""
        return self.spent / self._seconds

    def begin(self) -> None:
        """Count the time from here."""
        self._began = time.monotonic()

    def learn(self, batch: Sequence[Lesson]) -> dict[str, float]:
        """One step; what was wrong before it: the three losses, and how often it told rightly."""
        rate = self._course.rate * min(1.0, (self.step + 1) / _WARMING) * max(0.0, 1 - self.done)
        for group in self._optimizer.param_groups:
            group["lr"] = rate * group["scale"]
        read, (first, last, answered) = _tensors(batch, self._course.layout.padding)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            firsts, lasts, logits = self.reader(*read)
        place, word = self._course.losses
        losses = {
            "start": place * _span_loss(firsts, first),
            "end": place * _span_loss(lasts, last),
            "answered": word * functional.binary_cross_entropy_with_logits(logits, answered),
        }
        sum(losses.values(), torch.zeros(())).backward()
        torch.nn.utils.clip_grad_norm_(self._learning, _LONGEST_STEP)
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        self.step += 1
        right = ((logits > 0).float() == answered).float().mean()
        return {name: each.item() for name, each in {**losses, "right": right}.items()}

    def keep(self, file: Path, *, is_final: bool = False) -> None:
        """Write the reader, and unless this is the end what is needed to go on."""
        state = {"net": self.reader.state_dict(), "spent": self.spent, "step": self.step}
        if not is_final:
            state["opt"] = self._optimizer.state_dict()
        whole = file.with_suffix(".tmp")
        torch.save(state, whole)
        whole.replace(file)

    def resume(self, file: Path) -> None:
        """Go on where a run was broken off."""
        state = torch.load(file)
        self.reader.load_state_dict(state["net"])
        self._optimizer.load_state_dict(state["opt"])
        self._before, self.step = state["spent"], state["step"]


def _taught(teaching: Teaching, mixture: Mixture, out: Path) -> dict[str, float]:
    """Teach until the time is over; the means of the last steps."""
    told: deque[dict[str, float]] = deque(maxlen=_MEANT)
    teaching.begin()
    kept = teaching.spent // _KEPT
    for batch in mixture.batches():
        if teaching.done >= 1:
            break
        told.append(teaching.learn(batch))
        if teaching.step % _TOLD == 0:
            figures = " ".join(f"{name} {value:.3f}" for name, value in _means(told).items())
            print(f"step {teaching.step} {teaching.done:.1%} {figures}", flush=True)
        if teaching.spent // _KEPT > kept:
            kept = teaching.spent // _KEPT
            teaching.keep(out / _LAST)
    teaching.keep(out / _LAST)
    teaching.keep(out / TAUGHT, is_final=True)
    return {"steps": teaching.step, "minutes": teaching.spent / 60, **_means(told)}


def _groups(reader: Reader, course: Course) -> list[dict[str, Any]]:
    """What learns, and how fast beside the uppermost layer: the lower, the less."""
    encoder, top = reader.encoder, len(reader.encoder.layers) - 1
    scaled: list[tuple[list[nn.Module], float]] = [
        ([layer], course.lower ** (top - at)) for at, layer in enumerate(encoder.layers) if at >= encoder.kept
    ]
    if not encoder.kept:
        scaled += [([encoder.place, encoder.kind, encoder.norm], course.lower ** (top + 1))]
    scaled += [([reader.span], course.marking), ([reader.inner, reader.answered], course.telling)]
    return [
        {"params": [each for module in modules for each in module.parameters()], "scale": scale}
        for modules, scale in scaled
    ]


def _tensors(batch: Sequence[Lesson], padding: int) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    """What the reader reads, padded to the longest, and what it should say."""
    size = len(batch), max(len(lesson.ids) for lesson in batch)
    ids, kinds = torch.full(size, padding), torch.zeros(size, dtype=torch.long)
    seen, told = torch.zeros(size, dtype=torch.bool), torch.zeros(size, dtype=torch.bool)
    told[:, 0] = True
    for row, lesson in enumerate(batch):
        length = len(lesson.ids)
        ids[row, :length] = torch.tensor(lesson.ids)
        kinds[row, lesson.second : length] = 1
        seen[row, :length] = True
        told[row, lesson.second : length - 1] = True
    first = torch.tensor([lesson.first for lesson in batch])
    last = torch.tensor([lesson.last for lesson in batch])
    answered = torch.tensor([float(lesson.is_answered) for lesson in batch])
    return (ids, kinds, seen, told), (first, last, answered)


def _span_loss(logits: Tensor, places: Tensor) -> Tensor:
    """How unlikely the right place was; where nobody said it, how unlikely any place but none was."""
    chances = logits.log_softmax(1)
    known = -chances.gather(1, places.clamp(min=0)[:, None])[:, 0]
    anywhere = -torch.log1p(-chances[:, 0].exp().clamp(max=_SURE))
    return torch.where(places >= 0, known, anywhere).mean()


def _means(told: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: sum(each[name] for each in told) / len(told) for name in (told[0] if told else ())}


if __name__ == "__main__":
    main()
