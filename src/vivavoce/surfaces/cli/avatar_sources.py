"""The sources of an avatar on a terminal and as JSON, with what is not as it should be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from vivavoce.upkeep.corpus_verifying import MEANINGS, Finding, Verified

from .summaries import list_reasons, spelt
from .terminal import harmless

_SHOWN = 20
"""How many files are named."""


def verified_as_json(result: Verified) -> dict[str, Any]:
    """What is known of a corpus, for programs."""
    return {
        "avatar": result.avatar,
        "isSound": result.is_sound,
        "isRegistered": result.is_registered,
        "hasFolder": result.has_folder,
        "sources": [
            {**finding.source.model_dump(mode="json"), "flags": finding.flags, "reason": finding.reason}
            for finding in result.findings
        ],
        "unlisted": [spelt(name) for name in result.unlisted],
    }


def show_verified(result: Verified) -> None:
    """Print what is known of a corpus, for people."""
    for finding in result.findings:
        first, *others = _lines(finding)
        click.echo(harmless(first))
        for line in others:
            click.echo(f"  {harmless(line)}")
    click.echo(f"{len(result.findings)} source{'' if len(result.findings) == 1 else 's'} of {result.avatar}")
    list_reasons("Not usable", [(each.source.id, each.reason) for each in result.findings if each.reason])
    show_unlisted(result.unlisted)
    if not result.has_folder:
        click.echo("Its folder is not here: only the workspace was looked at. --folder names it.", err=True)
    if not result.is_registered:
        click.echo(
            f"It is not in the workspace yet: run vivavoce avatar process --avatar {result.avatar}", err=True
        )


def show_left(ids: Sequence[str], *, is_pruned: bool) -> None:
    """Name sources that the list no longer has, and whether they are still spoken from."""
    if ids:
        more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
        named = f"{', '.join(harmless(id) for id in ids[:_SHOWN])}{more}"
        said = f"No longer spoken from: {named}"
        if not is_pruned:
            said = f"Still spoken from, not listed: {named}. With --prune they are removed."
        click.echo(said, err=True)


def show_unlisted(names: Sequence[str]) -> None:
    """Name files that belong to no source, some of them if there are many."""
    if names:
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        shown = ", ".join(harmless(spelt(name)) for name in names[:_SHOWN])
        click.echo(f"Files that no source lists: {shown}{more}", err=True)


def _lines(finding: Finding) -> Iterator[str]:
    """A source; its URL and the remarks stand on lines of their own, so that no narrow window breaks them."""
    source = finding.source
    yield f"{source.title} ({source.id})"
    url = source.url or source.archive_url
    if url:
        yield url
    yield ", ".join(
        [
            source.status if source.priority != "secondary" else f"{source.status} (secondary)",
            *([] if source.version is None else [f"version {source.version}"]),
            f"{source.passages} passage{'' if source.passages == 1 else 's'}",
            *(["verified"] if source.verified else []),
        ]
    )
    if finding.flags:
        yield f"remarks: {', '.join(MEANINGS[flag] for flag in finding.flags)}"
