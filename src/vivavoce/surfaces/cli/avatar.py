"""`vivavoce avatar`: avatars made from folders, their corpora processed and verified."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from vivavoce.app import App, open_app
from vivavoce.domain.avatar_files import unheeded_of, warnings_of
from vivavoce.operations import OPERATOR
from vivavoce.operations.avatar_results import AvatarList
from vivavoce.operations.avatars import ListAvatars
from vivavoce.settings import Settings
from vivavoce.upkeep.corpus import process_corpus
from vivavoce.upkeep.corpus_files import AvatarFolder, avatars_in
from vivavoce.upkeep.corpus_outcomes import Outcome, Processed
from vivavoce.upkeep.corpus_registering import begun
from vivavoce.upkeep.corpus_trying import try_corpus
from vivavoce.upkeep.corpus_verifying import verify_corpus

from .avatar_sources import renames_as_json, show_left, show_unlisted, show_verified, verified_as_json
from .output import show
from .progress import Bars, progress
from .summaries import list_reasons, show_numbers, spelt
from .terminal import harmless

T = TypeVar("T")
_STOPPED = (
    "Stopped. Nothing is lost: what is stored goes on being indexed when a server runs\n"
    "or when this command is run again, which passes over what is done."
)

_folder = click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default="avatars",
    show_default=True,
    help="Where the folders of avatars lie.",
)
_avatar = click.option("--avatar", "id", metavar="ID", required=True, help="The avatar's id.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, also on a terminal.")


@click.group("avatar")
def command() -> None:
    """Avatars from folders: make one, process its corpus, verify its sources.

    An avatar speaks for a corpus. Its files lie in a folder of its own: config.json says who it is,
    corpus/sources.json what it has read, and corpus/open-access/ holds the documents.
    """


@command.command("create")
@click.argument("id")
@click.option("--name", help="Whose writings it has studied. [default: the id, spelt out]")
@click.option("--description", help="What it is, in a sentence.")
@_folder
@_json
def create(id: str, name: str | None, description: str | None, folder: Path, as_json: bool) -> None:
    """Make an avatar: a folder with files to begin with.

    ID is made of small letters, digits and hyphens. Where the folder is there already, nothing in it is
    changed: the avatar is made from the files that it has. Documents that lie in corpus/open-access/
    are listed as sources where there is no list yet.

    For example: vivavoce avatar create elinor-ostrom --name "Elinor Ostrom"
    """
    place = AvatarFolder(folder, id)
    avatar, files = _run(lambda app: begun(app, place, name=name, description=description))
    _warn(place)
    documents = place.documents()
    renames = place.renames(documents)
    if as_json:
        made = {"id": avatar.id, "datastoreId": avatar.datastore_id, "folder": str(place.path)}
        more = {"written": [str(file) for file in files], "renames": renames_as_json(renames)}
        click.echo(json.dumps({**made, **more}, indent=2))
        return
    for file in files:
        click.echo(f"Written: {file}")
    click.echo(
        f"The avatar {avatar.id} is in the workspace. Next:\n"
        f"  1. Say in {place.config_file} who it is.\n"
        f"  2. Put documents into {place.documents_folder}, each named by the id of its source.\n"
        f"  3. List the sources in {place.sources_file}:\n"
        '     {"id": "letters", "title": "Letters", "year": 1842} for letters.pdf, for instance.\n'
        f"  4. Run: vivavoce avatar process --avatar {avatar.id}"
    )
    show_unlisted(place.unlisted(place.listed().sources, documents), renames)


@command.command("process")
@_avatar
@click.option("--source", "source_id", metavar="ID", help="Only this source, also if it is secondary.")
@click.option("--dry-run", is_flag=True, help="Read and split only; store nothing.")
@click.option("--force", is_flag=True, help="Process also what is unchanged; its passages are replaced.")
@click.option("--prune", is_flag=True, help="Remove what was processed and is no longer listed.")
@_folder
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def process(
    id: str, source_id: str | None, dry_run: bool, force: bool, prune: bool, folder: Path, as_json: bool
) -> None:
    """Read the documents of an avatar's sources and index them.

    The avatar is made or brought up to date from its files first. Primary sources are processed, unless
    one is named. Run it again when something has changed: what is the same is skipped, and what is not
    becomes a new version, while quotes from the old one can still be looked up. A source that you took
    out of the list is still spoken from; --prune removes it, and quotes from it cannot be looked up.

    It ends with 1 when a document could not be processed.

    For example: vivavoce avatar process --avatar elinor-ostrom --dry-run
    """
    place = AvatarFolder(folder, id)
    try:
        result = _run(
            lambda app: _processed(app, place, source_id, dry_run=dry_run, force=force, prune=prune)
        )
    except KeyboardInterrupt:
        click.echo(_STOPPED, err=True)
        sys.exit(130)
    _warn(place)
    if as_json:
        click.echo(json.dumps(_summary(result, place, dry_run=dry_run), indent=2))
    else:
        _show_processed(result, place, dry_run=dry_run)
    sys.exit(1 if result.having("failed") or result.having("waiting") else 0)


@command.command("verify")
@_avatar
@_folder
@_json
def verify(id: str, folder: Path, as_json: bool) -> None:
    """List every source of an avatar: its URL, whether it is verified, and the passages that it gave.

    It also tells of documents that are missing or have changed since they were processed, and of files
    that no source lists. It ends with 1 when a primary source gave no passage.
    """
    place = AvatarFolder(folder, id)
    result = _run(lambda app: verify_corpus(app, place))
    if place.exists:
        _warn(place)
        for said in unheeded_of(place.listed().about):
            click.echo(f"Note: {said}", err=True)
    renames = place.renames(place.documents())
    if as_json:
        click.echo(json.dumps(verified_as_json(result, renames), indent=2))
    else:
        show_verified(result, renames)
    sys.exit(0 if result.is_sound else 1)


@command.command("list")
@_folder
@_json
def list_(folder: Path, as_json: bool) -> None:
    """List the avatars of the workspace."""
    found = _run(_listed)
    show(found, as_json=as_json)
    others = sorted(set(avatars_in(folder)) - {avatar.id for avatar in found.avatars})
    if others:
        click.echo(
            f"In {folder}, but not in the workspace yet: {', '.join(others)}. "
            "vivavoce avatar process --avatar ID takes one in.",
            err=True,
        )


def _warn(place: AvatarFolder) -> None:
    listed = place.listed()
    for said in warnings_of(listed.about, listed.splitting):
        click.echo(f"Warning: {said}", err=True)


def _run(work: Callable[[App], Coroutine[Any, Any, T]]) -> T:
    async def done() -> T:
        async with open_app(Settings.read()) as app:
            return await work(app)

    return asyncio.run(done())


async def _listed(app: App) -> AvatarList:
    return await app.backend.run(ListAvatars(), OPERATOR)


async def _processed(
    app: App, place: AvatarFolder, source_id: str | None, *, dry_run: bool, force: bool, prune: bool
) -> Processed:
    with progress() as begin:
        if not dry_run:
            bars = Bars(begin, "Checking", "sources", "stored documents")
            return await process_corpus(app, place, bars, source_id=source_id, force=force, prune=prune)
        return await try_corpus(
            app, place, Bars(begin, "Reading", "documents"), source_id=source_id, force=force
        )


def _summary(result: Processed, place: AvatarFolder, *, dry_run: bool) -> dict[str, Any]:
    numbers = {
        state: len(result.having(state)) for state in ("processed", "skipped", "missing", "failed", "waiting")
    }
    return {
        "avatar": result.avatar,
        "dryRun": dry_run,
        **numbers,
        "secondary": result.secondary,
        "unlisted": [spelt(name) for name in result.unlisted],
        "renames": renames_as_json(place.renames(place.documents())),
        "notListed": result.left,
        "pruned": result.is_pruned,
        "passages": result.passages,
        "tokens": result.tokens,
        "seconds": round(result.seconds, 1),
        "sources": [
            {
                "id": each.id,
                "title": each.title,
                "file": None if each.file is None else spelt(each.file),
                "state": each.state,
                "reason": each.reason,
                "passages": each.passages,
                "tokens": each.tokens,
            }
            for each in result.outcomes
        ],
    }


def _show_processed(result: Processed, place: AvatarFolder, *, dry_run: bool) -> None:
    if dry_run:
        for each in result.having("processed"):
            passages = f"{each.passages} passage{'' if each.passages == 1 else 's'}"
            click.echo(f"{each.id}: {passages}, {each.tokens} tokens ({harmless(each.title)})")
    waiting = result.having("waiting")
    show_numbers(
        [
            ("would be processed" if dry_run else "processed", str(len(result.having("processed")))),
            ("skipped: unchanged", str(len(result.having("skipped")))),
            ("missing: no document", str(len(result.having("missing")))),
            ("failed", str(len(result.having("failed")))),
            *([("not indexed yet", str(len(waiting)))] if waiting else []),
            *([("left out: secondary", str(result.secondary))] if result.secondary else []),
            ("passages", str(result.passages)),
            ("tokens", str(result.tokens)),
            ("seconds", f"{result.seconds:.1f}"),
        ]
    )
    list_reasons("Missing", _reasons(result.having("missing")))
    list_reasons("Failed", _reasons(result.having("failed")))
    list_reasons("Not indexed yet", _reasons(waiting))
    show_left(result)
    show_unlisted(result.unlisted, place.renames(place.documents()))
    if not result.outcomes:
        click.echo(f"{place.sources_file} lists no primary source: there is nothing to process.", err=True)


def _reasons(outcomes: Sequence[Outcome]) -> list[tuple[str, str]]:
    return [(each.file or each.id, each.reason or "") for each in outcomes]
