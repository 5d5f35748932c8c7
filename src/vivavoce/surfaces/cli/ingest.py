"""`vivavoce ingest`: files and folders into a datastore."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from typing import Any

import click

from vivavoce.app import index_folder, open_app
from vivavoce.domain.corpus.kinds import EMPTY
from vivavoce.settings import Settings
from vivavoce.upkeep.files import Ingested, ingest_files

from .datastores import datastore_called
from .paths import Finds, files_at
from .progress import Bars, progress
from .summaries import list_reasons, show_numbers, spelt

_TAG = 25
"""The most characters of a tag."""
_STOPPED = (
    "Stopped. Nothing is lost: what is stored goes on being indexed when a server runs\n"
    "or when this command is run again, which passes over what is done."
)


def _checked_tags(context: click.Context, parameter: click.Parameter, tags: Sequence[str]) -> list[str]:
    tags = [tag.strip() for tag in tags]
    for tag in tags:
        if not 0 < len(tag) <= _TAG or not tag.isprintable():
            raise click.BadParameter(f"{tag!r} must have 1 to {_TAG} characters, on one line.")
    return list(dict.fromkeys(tags))


@click.command("ingest")
@click.argument("datastore")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--create", is_flag=True, help="Make the datastore if none has this name.")
@click.option(
    "--tag",
    "tags",
    multiple=True,
    metavar="TAG",
    callback=_checked_tags,
    help=f"A tag for each file, to search by; may be repeated. At most {_TAG} characters.",
)
@click.option("--no-wait", is_flag=True, help="Only store the files; a running server indexes them.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def command(
    datastore: str, paths: tuple[str, ...], create: bool, tags: list[str], no_wait: bool, as_json: bool
) -> None:
    """Put files and folders into a datastore.

    DATASTORE is the id or the exact name of a datastore. PATH is a file, a folder, which is read with all
    folders below it, or a pattern in quotes, such as 'notes/**/*.md'.

    Each file becomes a datasource that is named by its path within the folder. Run it again when files
    have changed: what is the same is passed over, and what is not becomes a new version, while quotes
    from the old one can still be looked up. What has gone from a folder stays in the datastore until you
    delete it.

    In folders, hidden files, links that lead elsewhere and files of kinds that hold no text are skipped.
    It ends with 1 when a file could not be taken in.

    On a hosted account, what has the name of a file that is there is passed over, and tags are refused.

    For example: vivavoce ingest --create Manuals ~/manuals --tag manuals
    """
    settings = Settings.read()
    finds = files_at(paths, apart=(settings.database, settings.key_file, index_folder(settings)))
    work = _ingested(settings, datastore, finds, create=create, tags=tags, waits=not no_wait)
    try:
        id, result = asyncio.run(work)
    except KeyboardInterrupt:
        click.echo(_STOPPED, err=True)
        sys.exit(130)
    result.skipped += finds.skipped
    result.failed[:0] = finds.failed
    if as_json:
        click.echo(json.dumps(_summary(id, result), indent=2))
    else:
        _show(result, is_stored_only=no_wait)
    sys.exit(1 if result.failed or result.waiting else 0)


async def _ingested(
    settings: Settings, called: str, finds: Finds, *, create: bool, tags: list[str], waits: bool
) -> tuple[str, Ingested]:
    async with open_app(settings) as app:
        datastore = await datastore_called(called, app, may_make=create, hint=" --create makes it.")
        with progress() as begin:
            result = await ingest_files(app, datastore.id, finds.files, Bars(begin), tags=tags, waits=waits)
    return datastore.id, result


def _summary(datastore_id: str, result: Ingested) -> dict[str, Any]:
    return {
        "datastoreId": datastore_id,
        "added": result.added,
        "replaced": result.replaced,
        "unchanged": result.unchanged,
        "skipped": dict(result.skipped),
        "empty": [spelt(name) for name in result.empty],
        "failed": [{"file": spelt(name), "reason": reason} for name, reason in result.failed],
        "waiting": [{"file": spelt(name), "reason": reason} for name, reason in result.waiting],
        "passages": result.passages,
        "seconds": round(result.seconds, 1),
        "passagesPerSecond": round(_rate(result), 1),
    }


def _show(result: Ingested, *, is_stored_only: bool) -> None:
    show_numbers(_rows(result))
    list_reasons("Skipped", [(name, EMPTY) for name in result.empty])
    list_reasons("Failed", result.failed)
    list_reasons("Stored, but not indexed yet", result.waiting)
    if result.is_on_account and result.added:
        click.echo("The hosted service indexes them; vivavoce list-datasources shows how far it is.")
    elif is_stored_only and result.added + result.replaced:
        click.echo("They are indexed while a server runs (vivavoce serve or vivavoce mcp).")


def _rows(result: Ingested) -> list[tuple[str, str]]:
    return [
        ("files added", str(result.added)),
        ("files replaced", str(result.replaced)),
        ("files unchanged", str(result.unchanged)),
        *(
            (f"skipped: {reason[0].lower()}{reason[1:].rstrip('.')}", str(number))
            for reason, number in result.skipped.most_common()
        ),
        ("failed", str(len(result.failed))),
        *([("not indexed yet", str(len(result.waiting)))] if result.waiting else []),
        *([] if result.is_on_account else [("passages", str(result.passages))]),
        ("seconds", f"{result.seconds:.1f}"),
        *([("passages a second", f"{_rate(result):.1f}")] if result.passages else []),
    ]


def _rate(result: Ingested) -> float:
    return result.passages / result.indexing if result.passages and result.indexing else 0.0
