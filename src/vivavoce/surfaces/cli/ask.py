"""`vivavoce ask`: a question to an avatar, answered with footnotes."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import click

from vivavoce.app import App, open_app
from vivavoce.errors import InvalidInput, NotFound
from vivavoce.operations import OPERATOR
from vivavoce.operations.avatar_results import AvatarResponse
from vivavoce.operations.avatars import ExplainAnswer, GenerateResponse, GetAvatar
from vivavoce.settings import Settings
from vivavoce.upkeep.guide import GUIDE, ensure_guide, is_guide_made

from .footnotes import answer_lines, reason_lines
from .operations import stdin_text
from .terminal import harmless

_FIRST = "Reading the documentation that comes with vivavoce; this takes some seconds, once."


@click.command("ask")
@click.argument("avatar")
@click.argument("question", required=False)
@click.option(
    "--earlier",
    multiple=True,
    metavar="TEXT",
    help="What was said before, the oldest first, so that 'and the second one?' is understood.",
)
@click.option("--why", is_flag=True, help="Show the passages, and the claims that were kept and dropped.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(avatar: str, question: str | None, earlier: tuple[str, ...], why: bool, as_json: bool) -> None:
    """Ask an avatar a question.

    AVATAR is the id of an avatar, as list-avatars shows it. `guide` comes with vivavoce and has read
    its documentation; it is made when this command first asks it. QUESTION may also come on stdin.

    The answer rests on the footnotes below it: source, page and the words themselves, which were checked
    against the stored text. Where the corpus does not answer, the avatar says so.

    For example: vivavoce ask guide 'What happens if I lose the key file?'
    """
    asked = stdin_text("question").strip() if question is None else question
    if not asked.strip():
        raise InvalidInput(
            "There is no question.", hint="For example: vivavoce ask guide 'What is an avatar?'"
        )
    answer, reasons = asyncio.run(_answered(avatar, asked, earlier, is_explained=why))
    if as_json:
        shown = answer.model_dump(mode="json") | ({} if reasons is None else {"why": reasons})
        click.echo(json.dumps(shown, indent=2, ensure_ascii=not _is_plain()))
        return
    lines = [*answer_lines(answer), *([] if reasons is None else ["", *reason_lines(reasons)])]
    click.echo(harmless("\n".join(lines)))


async def ready(avatar: str, app: App) -> None:
    """Make the guide, where it is the one that is asked and is not there yet; NotFound for no avatar."""
    if avatar != GUIDE:
        try:
            await app.backend.run(GetAvatar.parse({"id": avatar}), OPERATOR)
        except NotFound as error:
            raise NotFound(error.message, hint="vivavoce avatar list shows them all.") from None
        return
    if not await is_guide_made(app):
        click.echo(_FIRST, err=True)
    await ensure_guide(app)


async def _answered(
    avatar: str, question: str, earlier: tuple[str, ...], *, is_explained: bool
) -> tuple[AvatarResponse, dict[str, Any] | None]:
    context = [{"role": "user", "content": text} for text in earlier]
    op = GenerateResponse.parse({"avatarId": avatar, "question": question, "context": context})
    async with open_app(Settings.read()) as app:
        await ready(avatar, app)
        answer = await app.backend.run(op, OPERATOR)
        if not is_explained:
            return answer, None
        explained = ExplainAnswer.parse({"avatarId": avatar, "answerId": answer.answer_id})
        return answer, (await app.backend.run(explained, OPERATOR)).why


def _is_plain() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
