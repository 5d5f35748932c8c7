"""The page of an evaluation: figures, plots and every question, the failures first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vivavoce.operations.avatar_results import Citation
from vivavoce.upkeep.evaluating_figures import LEVELS, Bound, Measured, Summary, written
from vivavoce.upkeep.evaluating_outcomes import GOOD, VERDICTS, Cited, Outcome, Verdict
from vivavoce.upkeep.evaluating_questions import GoldQuote
from vivavoce.upkeep.evaluation import Evaluation

from . import plots
from .marks import plain
from .styles import STYLE

GROUPS = (
    ("Quotes and citations", "quote-exactness claims-without-citation citation-precision citation-recall"),
    ("Against the gold quotes", "page-accuracy answer-coverage token-f1 right"),
    ("Refusals", "refusal-precision refusal-recall refusal-f1 false-refusals"),
    ("Confidence and time", "right-at-high right-at-medium right-at-low latency-p50 latency-p95 failed"),
)
"""The figures as they stand together."""
_BARS = "quote-exactness citation-precision citation-recall page-accuracy answer-coverage token-f1"
_ORDER = list(VERDICTS)
_KINDS: dict[Verdict, tuple[str, str]] = {
    "right": ("good", "\N{CHECK MARK}"),
    "answered": ("soft", "\N{MIDDLE DOT}"),
}
"""How the verdicts that are not bad look."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(evaluation: Evaluation, bounds: Sequence[Bound]) -> str:
    """The whole page."""
    summary = evaluation.summary
    title = f"Evaluation of {evaluation.name or evaluation.avatar_id}"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{plain(title)}</title><style>{STYLE}</style></head><body><main>"
        f"<header><h1>{plain(title)}</h1>{_about(evaluation)}</header>"
        f"{''.join(_banners(evaluation, summary, bounds))}"
        f'<h2 id="figures">Figures</h2><div class="groups">{"".join(_groups(summary, bounds))}</div>'
        f'<h2 id="plots">Plots</h2><div class="plots">{"".join(_plots(summary, bounds))}</div>'
        f'<h2 id="questions">Questions</h2>{_table(evaluation)}'
        "</main></body></html>\n"
    )


def _about(evaluation: Evaluation) -> str:
    asked, total = len(evaluation.outcomes), len(evaluation.trials)
    number = f"{total} questions" if asked == total else f"{asked} of {total} questions"
    return (
        f'<p class="soft">{number} to <code>{plain(evaluation.avatar_id)}</code>, '
        f"corpus version <code>{plain(evaluation.corpus_version)}</code>, "
        f"{evaluation.began:%Y-%m-%d %H:%M} UTC, {evaluation.seconds:.1f} s, "
        f"{evaluation.at_once} at once.</p>"
    )


def _banners(evaluation: Evaluation, summary: Summary, bounds: Sequence[Bound]) -> Iterator[str]:
    asked, total = len(evaluation.outcomes), len(evaluation.trials)
    if evaluation.is_partial:
        said = f"Stopped after {asked} of {total} questions. The figures speak of these alone."
        yield f'<div class="banner warn" role="note"><strong>Partial.</strong> {said}</div>'
    missed = summary.missed(bounds)
    if missed:
        lines = "".join(f"<li>{plain(reason(bound, summary))}</li>" for bound in missed)
        said = f"{len(missed)} of {len(bounds)} thresholds missed"
        yield f'<div class="banner bad" role="note"><strong>{said}.</strong><ul>{lines}</ul></div>'
    elif bounds:
        many = "The threshold holds" if len(bounds) == 1 else f"All {len(bounds)} thresholds hold"
        yield f'<div class="banner good" role="note"><strong>{many}.</strong></div>'
    if evaluation.absent:
        lines = "".join(
            f"<li>{plain(trial.id)}: \N{LEFT DOUBLE QUOTATION MARK}{plain(quote.text)}"
            f"\N{RIGHT DOUBLE QUOTATION MARK}</li>"
            for trial, quote in evaluation.absent
        )
        said = "These gold quotes do not stand in the corpus, so no answer can cite them"
        yield f'<div class="banner warn" role="note"><strong>{said}.</strong><ul>{lines}</ul></div>'


def reason(bound: Bound, summary: Summary) -> str:
    """How a bound was missed, in words."""
    figure, value, _ = summary.figures[bound.name]
    wanted = f"at {bound.side} {written(bound.value, figure.unit)}"
    if value is None:
        return f"{bound.name}: there was nothing to measure it by; asked for {wanted}"
    return f"{bound.name} is {written(value, figure.unit)}; asked for {wanted}"


def _groups(summary: Summary, bounds: Sequence[Bound]) -> Iterator[str]:
    missed = {bound.name for bound in summary.missed(bounds)}
    for title, names in GROUPS:
        rows = "".join(_figure(summary.figures[name], name in missed) for name in names.split())
        yield f'<section class="group"><h3>{title}</h3><dl>{rows}</dl></section>'


def _figure(measured: Measured, is_missed: bool) -> str:
    figure, value, share = measured
    counted = f": {share.part} of {share.whole}" if share is not None and share.whole else ""
    kind = ' class="missed"' if is_missed else ""
    mark = "missed: " if is_missed else ""
    return (
        f"<dt>{plain(figure.name)}</dt><dd{kind}>{mark}{plain(written(value, figure.unit))}</dd>"
        f'<dd class="meaning">{plain(figure.meaning)}{counted}</dd>'
    )


def _plots(summary: Summary, bounds: Sequence[Bound]) -> Iterator[str]:
    yield plots.matrix(summary.refusals)
    yield plots.bars("Quotes, citations and answers", [_bar(name, summary, bounds) for name in _BARS.split()])
    marks = [
        (name, value)
        for name in ("p50", "p95")
        if (value := summary.figures[f"latency-{name}"].value) is not None
    ]
    yield plots.histogram("Seconds to an answer", summary.latencies, marks)
    yield plots.columns(
        "Right answers by confidence", [(level, summary.confidence[level]) for level in LEVELS]
    )


def _bar(name: str, summary: Summary, bounds: Sequence[Bound]) -> plots.Bar:
    measured = summary.figures[name]
    own = [bound for bound in bounds if bound.name == name]
    return plots.Bar(
        name,
        measured.value,
        written(measured.value, measured.figure.unit),
        own[0].value if own else None,
        all(bound.holds(measured) for bound in own),
    )


def _table(evaluation: Evaluation) -> str:
    outcomes = evaluation.outcomes
    worst_first = sorted(outcomes, key=lambda each: _ORDER.index(each.verdict))
    bad = sum(each.verdict not in GOOD for each in outcomes)
    said = f"{bad} of {len(outcomes)} did not go as expected; these come first. Open a question to see why."
    head = "".join(
        f'<th scope="col"{kind}>{name}</th>'
        for name, kind in (
            ("verdict", ""),
            ("question", ""),
            ("confidence", ""),
            ("citations", ' class="number"'),
            ("seconds", ' class="number"'),
        )
    )
    rows = "".join(_row(each, evaluation.avatar_id) for each in worst_first)
    return (
        '<div class="scroll" role="region" aria-labelledby="questions" tabindex="0">'
        f"<table><caption>{said}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(outcome: Outcome, avatar_id: str) -> str:
    trial = outcome.trial
    kind, mark = _KINDS.get(outcome.verdict, ("bad", "\N{MULTIPLICATION X}"))
    confidence = outcome.answer.confidence if outcome.answer is not None and outcome.is_answered else ""
    cited = str(len(outcome.cited))
    if trial.quotes and outcome.cited:
        cited = f"{sum(bool(each.meets) for each in outcome.cited)} of {cited}"
    return (
        f'<tr><td class="verdict {kind}"><span aria-hidden="true">{mark}</span> {outcome.verdict}</td>'
        f'<td><details><summary dir="auto">{plain(trial.question)}</summary>'
        f"{''.join(_details(outcome, avatar_id))}</details></td>"
        f'<td>{confidence}</td><td class="number">{cited}</td>'
        f'<td class="number">{outcome.seconds:.2f}</td></tr>'
    )


def _details(outcome: Outcome, avatar_id: str) -> Iterator[str]:
    trial, answer = outcome.trial, outcome.answer
    has = "has an answer in the corpus" if trial.answerable else "has no answer in the corpus"
    yield f'<p class="soft">{plain(trial.id)}; {has}. Verdict: {VERDICTS[outcome.verdict]}.</p>'
    if trial.context:
        lines = "".join(
            f'<p class="said" dir="auto"><strong>{plain(said.role)}:</strong> {plain(said.content)}</p>'
            for said in trial.context
        )
        yield f"<section><h3>Said before</h3>{lines}</section>"
    if answer is None:
        yield f'<section><h3>Error</h3><p class="said">{plain(outcome.error)}</p></section>'
        return
    title = "Refusal" if outcome.is_refused else "Answer"
    yield f'<section><h3>{title}</h3><p class="said" dir="auto">{plain(answer.response)}</p></section>'
    if outcome.uncited:
        lines = "".join(f"<li>{plain(each)}</li>" for each in outcome.uncited)
        yield f'<section><h3 class="failed">Sentences without a citation</h3><ul>{lines}</ul></section>'
    if outcome.cited:
        quotes = "".join(_cited(each, outcome) for each in outcome.cited)
        yield f"<section><h3>Citations</h3>{quotes}</section>"
    if trial.quotes:
        golds = zip(trial.quotes, outcome.met, strict=True)
        yield f"<section><h3>Gold quotes</h3>{''.join(_gold(*gold) for gold in golds)}</section>"
    command = f"vivavoce explain-answer {avatar_id} {answer.answer_id}"
    yield f'<p class="soft">Why this answer: <code>{plain(command)}</code></p>'


def _cited(cited: Cited, outcome: Outcome) -> str:
    if not cited.is_exact:
        return _quoted(
            cited.citation.quote, "bad", f"{_place(cited.citation)}: not in the document as quoted"
        )
    if not outcome.trial.quotes:
        return _quoted(cited.citation.quote, "", _place(cited.citation))
    kind, said = ("good", "meets a gold quote") if cited.meets else ("bad", "meets no gold quote")
    return _quoted(cited.citation.quote, kind, f"{_place(cited.citation)}: {said}")


def _gold(gold: GoldQuote, is_met: bool) -> str:
    where = "".join(
        (
            "" if gold.source is None else f"{plain(gold.source)}, ",
            "" if gold.page is None else f"page {plain(str(gold.page))}, ",
        )
    )
    return _quoted(gold.text, "good" if is_met else "bad", where + ("cited" if is_met else "not cited"))


def _quoted(text: str, kind: str, footer: str) -> str:
    """A quote; its footer is markup already."""
    return f'<blockquote class="{kind}"><p dir="auto">{plain(text)}</p><footer>{footer}</footer></blockquote>'


def _place(citation: Citation) -> str:
    named = plain(citation.source)
    if citation.url is not None and citation.url.lower().startswith(("https://", "http://")):
        named = f'<a href="{plain(citation.url)}" rel="noopener noreferrer">{named}</a>'
    page = citation.page_label or (None if citation.page is None else str(citation.page))
    return named if page is None else f"{named}, page {plain(page)}"
