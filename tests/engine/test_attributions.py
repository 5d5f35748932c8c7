"""Attributions: the ads that brought a person are kept with the conversation and told to webhooks."""

from __future__ import annotations

from .lines import WEBHOOK

CLICK = {"ctwaClid": "k1", "sourceId": "ad1", "sourceType": "ad", "clickedAt": "2026-01-31T09:30:00.000Z"}


async def test_an_ad_is_kept_with_the_conversation_and_told_to_webhooks_with_all_that_follows(lines):
    line = await lines("At nine.", "At ten.").opened(configUrlInfosSystemExternal=WEBHOOK)
    await line.hears("When?", ctwa_attributions=[CLICK])
    await line.hears("And tomorrow?")

    talk = await line.talk()
    shown = await line.run("get_conversation", conversationId=talk.id)
    told = await line.read(lambda tables: tables.deliveries.where(kind="webhook"))

    (ad,) = shown["ctwaAttributions"]
    ids = {"conversationId": talk.id, "contactId": talk.contact_id, "organizationId": talk.organization_id}
    assert ad | CLICK | ids == ad
    assert {"id", "createdAt", "updatedAt"} < set(ad)
    assert [each.body["ctwaAttributions"] for each in told] == [[CLICK], [CLICK]]


async def test_each_click_is_kept_once_and_the_newest_twenty(lines):
    line = await lines().opened(configUrlInfosSystemExternal=WEBHOOK)
    for number in range(22):
        again = {**CLICK, "ctwaClid": f"k{max(number - 1, 0)}"}
        new = {**CLICK, "ctwaClid": f"k{number}"}
        await line.arrives("When?", ctwa_attributions=[again, new])
    await line.works()

    kept = (await line.talk()).ctwa_attributions

    assert [each["ctwaClid"] for each in kept] == [f"k{number}" for number in range(2, 22)]
    assert len({each["id"] for each in kept}) == 20


async def test_a_person_whom_no_ad_brought_has_none(lines):
    line = await lines().opened(configUrlInfosSystemExternal=WEBHOOK)
    await line.hears("When?")

    (told,) = await line.read(lambda tables: tables.deliveries.where(kind="webhook"))

    assert "ctwaAttributions" not in told.body


async def test_who_came_through_an_ad_is_found_by_it(lines):
    line = await lines().opened()
    await line.hears("When?", ctwa_attributions=[CLICK])

    found = await line.run("list_conversations", adSourceId="ad1")
    other = await line.run("list_conversations", adSourceId="ad2")

    assert [each["id"] for each in found["conversations"]] == [(await line.talk()).id]
    assert other["conversations"] == []


async def test_prompts_may_name_the_ad_that_brought_the_person_last(lines):
    line = lines("At nine.", "At ten.")
    prompt = (
        "{ad-headline}|{ad-body}|{ad-source-url}|{ad-source-type}|{ad-clicked-at}|{ad-clid}|{ad-source-id}."
    )
    await line.opened(systemPrompt=prompt)
    told = {"headline": "Shoes\nfor less " * 20, "body": "b" * 300, "sourceUrl": "https://ads.example/1"}
    await line.hears("When?", ctwa_attributions=[{**CLICK, "ctwaClid": "k0"}, {**CLICK, **told}])

    first = line.model.prompts[0].instructions.partition(".")[0].split("|")
    assert (first[0], first[1]) == (("Shoes for less " * 20)[:100], "b" * 200)
    whole = line.model.prompts[0].instructions
    assert "|https://ads.example/1|ad|2026-01-31T09:30:00.000Z|k1|ad1." in whole


async def test_what_nobody_knows_is_left_out_of_a_prompt(lines):
    line = lines("At nine.")
    await line.opened(systemPrompt="<{ad-headline}{ad-clid}{summary}{frustration-level}>")
    await line.hears("When?")

    assert line.model.prompts[0].instructions.startswith("<>")
