"""`vivavoce calibrate`: what words and meaning weigh in the scores of passages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace

import click

from vivavoce.app import open_app
from vivavoce.domain.answers.relevance import Calibration, Fit
from vivavoce.settings import Settings
from vivavoce.upkeep.weighing import Weighed, calibrate_anew, calibration_in_force

from .terminal import harmless

_LANGUAGES = {
    "en": "English",
    "pt": "Portuguese",
    "es": "Spanish",
    "fr": "French",
    "de": "German",
    "it": "Italian",
}
_ORIGINS = {
    "measured": "measured in this workspace",
    "shipped": "as it comes with vivavoce",
    "none": "not measured yet; that is done when its first text is indexed",
}


@click.command("calibrate")
@click.option(
    "--with-reranker",
    is_flag=True,
    help="Measure the reranker too, which takes minutes; VIVAVOCE_RERANKER=on always does.",
)
@click.option("--show", "is_shown", is_flag=True, help="Show what is in force; measure nothing.")
@click.option(
    "--embedder", "name", metavar="NAME", help="One that a datastore names; else the one for English."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(with_reranker: bool, is_shown: bool, name: str | None, as_json: bool) -> None:
    """Measure how the scores of an embedder are to be read.

    The score of a passage says how likely it answers a question. It is made of two things: the words that
    question and passage share, and how near they are in meaning. How much each tells depends on the
    embedder and on the language. This command learns it from questions with known answers that come with
    vivavoce, in a minute or so, and keeps it in the workspace: searches use it from then on.
    """
    if with_reranker and is_shown:
        raise click.UsageError("--show measures nothing: give it without --with-reranker.")
    settings = Settings.read()
    if with_reranker:
        settings = replace(settings, reranker="on")
    if not is_shown:
        takes = "several minutes" if settings.reranker == "on" else "a minute or so"
        click.echo(f"Measuring; this takes {takes}.", err=True)
    found = asyncio.run(_found(settings, is_shown, name))
    if as_json:
        click.echo(json.dumps(_written(found), indent=2))
        return
    for line in _lines(found):
        click.echo(harmless(line))


async def _found(settings: Settings, is_shown: bool, name: str | None) -> Weighed:
    async with open_app(settings) as app:
        return await (calibration_in_force(app, name) if is_shown else calibrate_anew(app, name))


def _written(found: Weighed) -> dict[str, object]:
    calibration = found.calibration or Calibration({})
    return {
        "embedder": found.embedder,
        "origin": found.origin,
        "fits": {language: fit._asdict() for language, fit in calibration.fits.items()},
        "rereads": {language: reread._asdict() for language, reread in calibration.rereads.items()},
    }


def _lines(found: Weighed) -> Iterator[str]:
    yield f"{found.embedder}: {_ORIGINS[found.origin]}."
    if found.calibration is None:
        return
    for language, fit in found.calibration.fits.items():
        name = _LANGUAGES.get(language, language)
        yield f"{name}: words {fit.words:g}, meaning {fit.meaning:g}, base {fit.base:g}."
        yield f"  {_explained(fit)}"
    for language, reread in found.calibration.rereads.items():
        name = _LANGUAGES.get(language, language)
        yield (
            f"{name}, read again: evidence {reread.evidence:g}, reranker {reread.relevance:g}, "
            f"base {reread.base:g}."
        )
    if not found.calibration.rereads:
        yield "The reranker was not measured, so it is not used; --with-reranker measures it."


def _explained(fit: Fit) -> str:
    """What a fit means, in a sentence."""
    if fit.meaning <= 0:
        return "Common words decide alone."
    says = f"All words in common count as much as a cosine that is higher by {fit.words / fit.meaning:.2f}"
    if -fit.base / fit.meaning > 1:
        return f"{says}; without a common word, no passage counts as an answer."
    needed = max(-fit.base / fit.meaning, 0.0)
    return f"{says}; without a common word, a cosine of {needed:.2f} makes an answer as likely as not."
