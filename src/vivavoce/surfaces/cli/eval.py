"""`vivavoce eval`: an avatar tested with questions whose answers are known."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Literal

import click

from vivavoce.app import open_app
from vivavoce.errors import disk_faults
from vivavoce.settings import Settings
from vivavoce.surfaces.reports.evaluation import GROUPS, page, reason
from vivavoce.surfaces.reports.written import as_json
from vivavoce.upkeep.evaluating_figures import FIGURES, NAMES, Bound, Summary, written
from vivavoce.upkeep.evaluating_outcomes import GOOD, VERDICTS, Outcome
from vivavoce.upkeep.evaluating_questions import read_trials, unknown_keys
from vivavoce.upkeep.evaluation import AT_ONCE, Evaluation

from .ask import ready
from .progress import progress
from .terminal import harmless

_SHOWN = 20
"""How many questions that went wrong are shown one by one."""
_STDOUT = "-"
_HELP = """\
Test an avatar with questions whose answers are known.

QUESTIONS is a file with one JSON object on each line, or - for stdin: question, answerable (true unless it
says false), quotes (texts of the corpus that a good answer rests on; each a text, or an object with text,
source and page), context (what was said before, a list of role and content) and id. gold_quotes may stand
for quotes, and conversation for context. Other keys are ignored, and named on stderr. If a line cannot be
used, nothing is asked.

Each question is asked as any client would ask it and stands in the log of the avatar's answers. A citation
meets a gold quote when the two share at least half of the shorter one in the stored document.

With thresholds it ends with 1 when one of them is missed, and names it, as a gate for CI. It also ends with
1 when a question could not be asked. Ctrl-C leaves a report of the questions that were asked.

For example: vivavoce eval guide questions.jsonl --least quote-exactness=1 --most false-refusals=10%

The figures, by the names that --least and --most take:

\b
"""


def _bounds(side: Literal["least", "most"]) -> click.Option:
    def read(context: click.Context, parameter: click.Parameter, given: Sequence[str]) -> list[Bound]:
        return [_bound(side, text) for text in given]

    says = "What a figure must reach" if side == "least" else "What a figure must not pass"
    return click.Option(
        [f"--{side}"], multiple=True, metavar="FIGURE=VALUE", callback=read, help=f"{says}; may be repeated."
    )


def _bound(side: Literal["least", "most"], text: str) -> Bound:
    name, _, wanted = text.partition("=")
    if name not in NAMES:
        raise click.BadParameter(f"{name!r} is no figure; there are {', '.join(NAMES)}.")
    try:
        value = float(wanted.removesuffix("%")) / (100 if wanted.endswith("%") else 1)
    except ValueError:
        raise click.BadParameter(f"{text!r} must be a figure, = and a number.") from None
    most = 1.0 if NAMES[name].unit == "share" else float("inf")
    if not 0 <= value <= most or value == float("inf"):
        between = "lies between 0 and 1" if most == 1 else "is not less than 0"
        raise click.BadParameter(f"{text!r}: {name} {between}.")
    return Bound(name, side, value)


def _file(context: click.Context, parameter: click.Parameter, given: str | None) -> Path | None:
    """Where a report goes; refused at once where it could not be written after all the questions."""
    if given is None:
        return None
    path = Path(given)
    if given == _STDOUT and parameter.name == "json_file":
        return path
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise click.BadParameter(f"{given} cannot be written.")
    return path


def _run(
    avatar: str,
    questions: BinaryIO,
    least: list[Bound],
    most: list[Bound],
    at_once: int,
    json_file: Path | None,
    html_file: Path | None,
) -> None:
    trials = read_trials(questions.read())
    _warn_of(unknown_keys(trials))
    evaluation = Evaluation(avatar, trials, datetime.now(UTC), at_once)
    bounds = [*least, *most]
    is_stopped = False
    try:
        asyncio.run(_asked(evaluation))
    except KeyboardInterrupt:
        is_stopped = True
    _show(evaluation, bounds, has_tables=json_file is None or str(json_file) != _STDOUT)
    _write(evaluation, bounds, json_file, html_file)
    if is_stopped:
        sys.exit(130)
    summary = evaluation.summary
    sys.exit(1 if summary.missed(bounds) or summary.figures["failed"].value else 0)


def _warn_of(keys: Sequence[str]) -> None:
    if keys:
        more = f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else ""
        named = ", ".join(repr(key) for key in keys[:_SHOWN])
        click.echo(harmless(f"Keys that mean nothing here and are ignored: {named}{more}."), err=True)


async def _asked(evaluation: Evaluation) -> None:
    async with open_app(Settings.read()) as app:
        await ready(evaluation.avatar_id, app)
        with progress() as begin:
            step = begin("Asking", "questions")
            await evaluation.run(app.backend, lambda done, total: step(done, total, ""))


def _write(
    evaluation: Evaluation, bounds: Sequence[Bound], json_file: Path | None, html_file: Path | None
) -> None:
    if json_file is not None:
        report = as_json(evaluation, bounds)
        if str(json_file) == _STDOUT:
            click.echo(json.dumps(report, indent=2).replace("\x7f", "\\u007f"))  # which steers no terminal
        else:
            _put(json_file, json.dumps(report, ensure_ascii=False, indent=2) + "\n")
    if html_file is not None:
        _put(html_file, page(evaluation, bounds))


def _put(path: Path, text: str) -> None:
    with disk_faults(f"{path} cannot be written", hint="Name a file in a folder that you may write to."):
        path.write_text(text, encoding="utf-8", errors="backslashreplace")


def _show(evaluation: Evaluation, bounds: Sequence[Bound], *, has_tables: bool) -> None:
    asked, total = len(evaluation.outcomes), len(evaluation.trials)
    if evaluation.is_partial:
        click.echo(f"Stopped after {asked} of {total} questions. The figures speak of these alone.", err=True)
    if asked:
        summary = evaluation.summary
        if has_tables:
            _print_figures(summary, bounds)
            _print_worst(evaluation.outcomes)
        for bound in summary.missed(bounds):
            click.echo(f"Missed: {reason(bound, summary)}.", err=True)
    for trial, quote in evaluation.absent[:_SHOWN]:
        click.echo(harmless(f"Not in the corpus: the gold quote {quote.text!r} ({trial.id})."), err=True)
    if len(evaluation.absent) > _SHOWN:
        click.echo(f"  and {len(evaluation.absent) - _SHOWN} more", err=True)


def _print_figures(summary: Summary, bounds: Sequence[Bound]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table()
    table.add_column("figure", overflow="fold")
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("counted", justify="right")
    if bounds:
        table.add_column("asked for")
    for _, names in GROUPS:
        for name in names.split():
            figure, value, share = summary.figures[name]
            counted = f"{share.part} of {share.whole}" if share is not None and share.whole else ""
            row = [name, written(value, figure.unit), counted]
            table.add_row(*row, *([_wanted(name, summary, bounds)] if bounds else []))
        table.add_section()
    Console(markup=False, highlight=False).print(table)


def _wanted(name: str, summary: Summary, bounds: Sequence[Bound]) -> str:
    measured = summary.figures[name]
    return ", ".join(
        f"at {bound.side} {written(bound.value, measured.figure.unit)}"
        f"{'' if bound.holds(measured) else ': missed'}"
        for bound in bounds
        if bound.name == name
    )


def _print_worst(outcomes: Sequence[Outcome]) -> None:
    from rich.console import Console
    from rich.table import Table

    order = list(VERDICTS)
    worst = sorted(
        (each for each in outcomes if each.verdict not in GOOD), key=lambda each: order.index(each.verdict)
    )
    if not worst:
        return
    table = Table(caption=f"{len(worst)} of {len(outcomes)} questions did not go as expected")
    table.add_column("verdict", no_wrap=True)
    table.add_column("question", overflow="fold")
    table.add_column("for explain-answer", overflow="fold")
    for each in worst[:_SHOWN]:
        said = each.error if each.answer is None else each.answer.answer_id
        table.add_row(each.verdict, harmless(_clipped(f"{each.trial.question}")), harmless(said))
    if len(worst) > _SHOWN:
        table.add_row("", f"and {len(worst) - _SHOWN} more", "")
    Console(markup=False, highlight=False).print(table)


def _clipped(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else f"{line[:159]}\N{HORIZONTAL ELLIPSIS}"


command = click.Command(
    "eval",
    callback=_run,
    help=_HELP + "\n".join(f"- {figure.name}: {figure.meaning}" for figure in FIGURES),
    short_help="Test an avatar with questions whose answers are known.",
    params=[
        click.Argument(["avatar"]),
        click.Argument(["questions"], type=click.File("rb")),
        _bounds("least"),
        _bounds("most"),
        click.Option(
            ["--at-once"],
            type=click.IntRange(1, 64),
            default=AT_ONCE,
            show_default=True,
            help="How many questions are under way at the same time; 1 tells true latencies.",
        ),
        click.Option(
            ["--json", "json_file"],
            metavar="FILE",
            callback=_file,
            help="Write all of it as JSON; - writes it to stdout instead of the tables.",
        ),
        click.Option(
            ["--html", "html_file"], metavar="FILE", callback=_file, help="Write a page with plots."
        ),
    ],
)
