"""The sources of an avatar on a terminal and as JSON, with what is not as it should be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from vivavoce.domain.corpus.source_ids import ALLOWED
from vivavoce.upkeep.corpus_outcomes import Processed
from vivavoce.upkeep.corpus_verifying import MEANINGS, Finding, Verified

from .summaries import list_reasons, spelt
from .terminal import harmless

_SHOWN = 20
"""How many files are named."""


def verified_as_json(result: Verified, renames: Mapping[str, str]) -> dict[str, Any]:
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
        "renames": renames_as_json(renames),
    }


def renames_as_json(renames: Mapping[str, str]) -> dict[str, str]:
    """Names that cannot be listed, each with one that can, for programs."""
    return {spelt(name): new for name, new in renames.items()}


def show_verified(result: Verified, renames: Mapping[str, str]) -> None:
    """Print what is known of a corpus, for people."""
    for finding in result.findings:
        first, *others = _lines(finding)
        click.echo(harmless(first))
        for line in others:
            click.echo(f"  {harmless(line)}")
    click.echo(f"{len(result.findings)} source{'' if len(result.findings) == 1 else 's'} of {result.avatar}")
    list_reasons("Not usable", [(each.source.id, each.reason) for each in result.findings if each.reason])
    show_unlisted(result.unlisted, renames)
    if not result.has_folder:
        click.echo("Its folder is not here: only the workspace was looked at. --folder names it.", err=True)
    if not result.is_registered:
        click.echo(
            f"It is not in the workspace yet: run vivavoce avatar process --avatar {result.avatar}", err=True
        )


def show_left(result: Processed) -> None:
    """Name sources that the list no longer has, and whether they are still spoken from."""
    for ids, still, no_longer in (
        ([id for id in result.left if id not in result.mute], "Still spoken from", "No longer spoken from"),
        (result.mute, "Kept without a passage", "Removed without a passage"),
    ):
        if not ids:
            continue
        more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
        named = f"{', '.join(harmless(id) for id in ids[:_SHOWN])}{more}"
        said = f"{no_longer}: {named}"
        if not result.is_pruned:
            said = f"{still}, not listed: {named}. With --prune they are removed."
        click.echo(said, err=True)


def show_unlisted(names: Sequence[str], renames: Mapping[str, str]) -> None:
    """Name files that belong to no source, some of them if there are many.

    Those whose names cannot be the id of a source come with a name that can.
    """
    if names:
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        shown = ", ".join(harmless(spelt(name)) for name in names[:_SHOWN])
        click.echo(f"Files that no source lists: {shown}{more}", err=True)
    reasons = [
        (name, f"Rename it to {new} and list {new.rpartition('.')[0]} in sources.json.")
        for name, new in renames.items()
    ]
    list_reasons(f"Names that cannot be the id of a source, which has only {ALLOWED}", reasons)


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
