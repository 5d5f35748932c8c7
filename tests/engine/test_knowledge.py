"""Datastores and datasources: kept, searched, read in parts, deleted with what depends on them."""

import hashlib

import pytest

from vivavoce.errors import InvalidInput, NotFound
from vivavoce.operations import STRANGER

from .workspaces import an_agent


@pytest.fixture
async def datastore(run) -> str:
    return (await run("create_datastore", type="qdrant", name="Manuals"))["id"]


async def filled(run, datastore: str, **texts: str) -> None:
    for name, text in texts.items():
        await run("create_datasource", datastoreId=datastore, name=name, text=text)


async def found(run, datastore: str, **arguments) -> list[str]:
    sources = (await run("get_datastore", id=datastore, **arguments))["datasources"]
    return [source["name"] for source in sources]


# Datastores


async def test_a_datastore_is_private_and_has_a_name_even_when_none_is_given(run):
    made = await run("create_datastore", type="qdrant")

    assert (made["name"], made["visibility"], made["isPublic"]) == ("New datastore", "private", False)
    assert made["_count"] == {"datasources": 0}


async def test_a_datastore_keeps_what_it_is_made_with(run):
    fields = {"name": "Manuals", "description": "All of them.", "pluginName": "manuals", "isPublic": True}

    made = await run("create_datastore", type="qdrant", **fields)

    assert {name: made[name] for name in fields} == fields
    assert made["visibility"] == "public"
    assert (await run("list_datastores"))["datastores"] == [made]


async def test_a_datastore_of_another_type_is_refused(run):
    with pytest.raises(InvalidInput) as refusal:
        await run("create_datastore", type="pinecone")

    assert refusal.value.details.keys() == {"type"}


async def test_an_update_of_a_datastore_changes_what_is_given(run):
    made = await run("create_datastore", type="qdrant", name="Manuals", description="d", isPublic=True)

    renamed = await run("update_datastore", id=made["id"], name="Guides")
    assert (renamed["name"], renamed["description"], renamed["isPublic"]) == ("Guides", "d", True)

    closed = await run("update_datastore", id=made["id"], isPublic=False, description=None)
    assert (closed["name"], closed["description"], closed["visibility"]) == ("Guides", None, "private")


async def test_datastores_are_listed_newest_first_with_how_much_each_holds(run, clock):
    for name, count in (("one", 2), ("two", 0), ("three", 1)):
        made = await run("create_datastore", type="qdrant", name=name)
        await filled(run, made["id"], **{f"source{place}": "x" for place in range(count)})
        clock.advance(seconds=1)

    listed = [
        (row["name"], row["_count"]["datasources"]) for row in (await run("list_datastores"))["datastores"]
    ]

    assert listed == [("three", 1), ("two", 0), ("one", 2)]


async def test_datastores_are_read_in_parts(run):
    for name in "abcde":
        await run("create_datastore", type="qdrant", name=name)

    page = await run("page_datastores", offset=1, limit=2)

    assert [row["name"] for row in page["data"]] == ["d", "c"]
    assert page["pagination"] == {"total": 5, "offset": 1, "limit": 2, "count": 2}


async def test_deleting_a_datastore_takes_its_datasources_and_the_tools_that_consult_it(run, datastore):
    other = (await run("create_datastore", type="qdrant"))["id"]
    await filled(run, datastore, one="1", two="2")
    source = (await run("get_datastore", id=datastore))["datasources"][0]
    agents = [(await run("create_agent", **an_agent()))["id"] for _ in range(2)]
    for agent in agents:
        await run("addDatastoreTool", agentId=agent, datastoreId=datastore)
    kept = await run("addDatastoreTool", agentId=agents[0], datastoreId=other)

    gone = await run("delete_datastore", id=datastore)

    assert (gone["id"], gone["alsoRemoved"]) == (datastore, {"datasources": 2, "tools": 2})
    assert (await run("list_agent_tools", agentId=agents[0]))["tools"] == [kept]
    assert (await run("list_agent_tools", agentId=agents[1]))["tools"] == []
    with pytest.raises(NotFound):
        await run("get_datasource", id=source["id"])


# Datasources


async def test_a_datasource_is_stored_at_once_and_waits_to_be_indexed(run, datastore):
    made = await run("create_datasource", datastoreId=datastore, name="é.txt", text="Olá, mundo")

    assert (made["name"], made["type"], made["status"], made["textSize"]) == ("é.txt", "file", "pending", 10)
    assert made["hash"] == hashlib.sha256("Olá, mundo".encode()).hexdigest()
    assert await run("get_datasource", id=made["id"]) == {**made, "text": "Olá, mundo"}


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({"text": ""}, "text"),
        ({"text": " \n"}, "text"),
        ({"text": "", "type": "qa", "config": {"question": "Why?"}}, "config.answer"),
        ({"text": "", "type": "web_page", "config": {}}, "config.source_url"),
        ({"text": "", "type": "web_site", "config": {}}, "source_url or sitemap"),
        ({"text": "a\0b"}, "text"),
        ({"text": "x" * 4_000_001}, "text"),
    ],
)
async def test_a_datasource_without_anything_to_read_is_refused(run, datastore, arguments, fault):
    with pytest.raises(InvalidInput, match=fault):
        await run("create_datasource", datastoreId=datastore, name="x", **arguments)

    assert await found(run, datastore) == []


@pytest.mark.parametrize(
    ("type", "config"),
    [
        ("qa", {"question": "Why?", "answer": "Because."}),
        ("web_page", {"source_url": "https://a.example"}),
        ("web_site", {"sitemap": "https://a.example/sitemap.xml"}),
    ],
)
async def test_a_datasource_of_another_type_is_read_from_its_settings(run, datastore, type, config):
    made = await run(
        "create_datasource",
        datastoreId=datastore,
        name="x",
        text="",
        type=type,
        config=config,
        custom_id="mine",
    )

    assert (made["type"], made["config"]) == (type, {**config, "custom_id": "mine"})


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("invoice", {"invoices", "refunds"}),
        ("INVOICE", {"invoices", "refunds"}),
        ("ção", {"ações"}),
        ("ÇÃO", {"ações"}),
        ("AÇÕES", {"ações"}),
        ("50%", {"percent"}),
        ("5_0", {"under_score"}),
        ("_", {"under_score"}),
        ("%", {"percent"}),
        ("\\", {"backslash"}),
        ("' or 1=1 --", set()),
        ("nowhere", set()),
    ],
)
async def test_a_search_finds_words_in_names_and_texts_to_the_letter_in_any_case(
    run, datastore, words, expected
):
    await filled(
        run,
        datastore,
        invoices="How to pay.",
        refunds="Send back the Invoice.",
        ações="Toda AÇÃO conta.",
        percent="50% off",
        under_score="5_0",
        plain="5x0 and 500 off",
        backslash="a\\b",
    )

    assert set(await found(run, datastore, search=words)) == expected


async def test_a_search_stays_inside_its_datastore(run, datastore):
    other = (await run("create_datastore", type="qdrant"))["id"]
    await filled(run, other, secret="treasure")

    assert await found(run, datastore, search="treasure") == []


@pytest.mark.parametrize("search", [None, ""])
async def test_no_words_find_everything(run, datastore, search):
    await filled(run, datastore, one="1", two="2")

    assert await found(run, datastore, search=search) == ["two", "one"]


async def test_datasources_are_filtered_by_type_and_status(run, datastore):
    await filled(run, datastore, one="1")
    config = {"question": "Why?", "answer": "Because."}
    await run("create_datasource", datastoreId=datastore, name="two", text="", type="qa", config=config)

    assert await found(run, datastore, type="qa") == ["two"]
    assert await found(run, datastore, type="file", status="pending") == ["one"]
    assert await found(run, datastore, status="synched") == []
    assert await found(run, datastore, groupId="g1") == []


async def test_the_datasources_of_a_datastore_come_in_pages_that_the_offset_counts(run, datastore):
    await filled(run, datastore, **dict.fromkeys("abcde", "x"))

    pages = [await found(run, datastore, limit=2, offset=page) for page in range(4)]

    assert pages == [["e", "d"], ["c", "b"], ["a"], []]
    assert (await run("get_datastore", id=datastore, limit=2))["_count"] == {"datasources": 5}


async def test_datasources_are_listed_in_parts_that_the_offset_counts_one_by_one(run, datastore):
    await filled(run, datastore, **dict.fromkeys("abcde", "x"))

    page = await run("list_datasources", datastoreId=datastore, offset=1, limit=2)

    assert [row["name"] for row in page["data"]] == ["d", "c"]
    assert page["pagination"] == {"total": 5, "offset": 1, "limit": 2, "count": 2}


async def test_a_deleted_datasource_is_gone_with_its_text(run, datastore, engine):
    made = await run("create_datasource", datastoreId=datastore, name="one", text="treasure")

    assert await run("delete_datasource", id=made["id"]) == made

    assert await found(run, datastore) == []
    assert await engine.ports.store.read(lambda tables: tables.texts.find(made["id"])) is None


async def test_a_stranger_sees_no_secret_in_the_settings_of_a_datasource(run):
    public = await run("create_datastore", type="qdrant", isPublic=True)
    config = {"source_url": "https://a.example/x?token=canary", "pin": 1, "password": 12345678}
    await run("create_datasource", datastoreId=public["id"], name="x", text="x", config=config)

    (shown,) = (await run("get_datastore", caller=STRANGER, id=public["id"]))["datasources"]

    covered = {"source_url": "https://a.example/x?token=********", "pin": 1, "password": "********"}
    assert shown["config"] == covered
    assert "secrets" not in shown


@pytest.mark.parametrize("name", ["source_url", "sitemap"])
@pytest.mark.parametrize("address", ["https://ana:pw@a.example", "file:///etc/passwd", 5])
async def test_a_datasource_with_an_address_that_breaks_the_rules_is_refused(run, datastore, name, address):
    with pytest.raises(InvalidInput) as refusal:
        await run("create_datasource", datastoreId=datastore, name="x", text="x", config={name: address})

    assert refusal.value.details.keys() == {f"config.{name}"}
