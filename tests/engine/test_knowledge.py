"""Datastores and datasources: kept, searched, read in parts, deleted with what depends on them."""

import asyncio
import hashlib
from dataclasses import replace

import pytest

from vivavoce.domain.corpus.outlines import Outline
from vivavoce.errors import Conflict, InvalidInput, NotFound
from vivavoce.operations import OPERATOR, STRANGER
from vivavoce.operations.uploads import AddFile

from .workspaces import an_agent, document_of


@pytest.fixture
async def datastore(run) -> str:
    return (await run("create_datastore", type="qdrant", name="Manuals"))["id"]


async def filled(run, datastore: str, **texts: str) -> None:
    for name, text in texts.items():
        await run("create_datasource", datastoreId=datastore, name=name, text=text)


async def found(run, datastore: str, **arguments) -> list[str]:
    sources = (await run("get_datastore", id=datastore, **arguments))["datasources"]
    return [source["name"] for source in sources]


async def chunks(run, datastore: str, query: str, **arguments) -> list[dict]:
    return (await run("query_datastore", id=datastore, query=query, **arguments))["chunks"]


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

    await filled(run, datastore, plain="stones")
    await run.indexed()

    for of in (datastore, other):
        shown = await run("get_datastore", id=of, search="treasure")
        assert {chunk["datasource_name"] for chunk in shown["chunks"]} <= set(await found(run, of))
    assert [chunk["text"] for chunk in await chunks(run, other, "treasure")] == ["treasure"]


async def test_a_search_shows_the_passages_that_answer_and_the_datasources_they_stand_in(run, datastore):
    await filled(run, datastore, returns="A refund takes five days.", hours="We open at nine.")
    await run.indexed()

    shown = await run("get_datastore", id=datastore, search="How long does a refund take?")

    assert shown["chunks"][0]["text"] == "A refund takes five days."
    assert "returns" in [source["name"] for source in shown["datasources"]]
    assert (await run("get_datastore", id=datastore))["chunks"] == []


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


async def test_a_deleted_datasource_is_gone_with_its_text_and_its_passages(run, datastore):
    made = await run("create_datasource", datastoreId=datastore, name="one", text="treasure")
    await run.indexed()
    (chunk,) = await chunks(run, datastore, "treasure")

    assert (await run("delete_datasource", id=made["id"]))["id"] == made["id"]

    assert await found(run, datastore) == []
    assert await chunks(run, datastore, "treasure") == []
    with pytest.raises(NotFound):
        await run("read_document", documentId=chunk["document_id"])


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


@pytest.mark.parametrize(
    ("config", "fault"),
    [
        ({"tags": "a"}, "config.tags"),
        ({"tags": 5}, "config.tags"),
        ({"tags": ["a", {"b": 1}]}, "config.tags"),
        ({"black_listed_urls": 5}, "config.black_listed_urls"),
        ({"custom_id": 5}, "config.custom_id"),
        ({"mime_type": ["text/plain"]}, "config.mime_type"),
    ],
)
async def test_settings_that_could_not_be_read_later_are_refused(run, datastore, config, fault):
    with pytest.raises(InvalidInput) as refusal:
        await run("create_datasource", datastoreId=datastore, name="x", text="x", config=config)

    assert refusal.value.details.keys() == {fault}


async def test_settings_that_an_older_program_let_in_spoil_no_question(run, datastore):
    made = await run("create_datasource", datastoreId=datastore, name="x", text="treasure")
    await run.indexed()

    def spoil(tables):
        source = tables.datasources.find(made["id"])
        spoilt = {"tags": 5, "custom_id": ["x"]}
        tables.datasources.replace(source.changed(source.updated_at, config=spoilt))

    await run.engine.ports.store.write(spoil)

    (chunk,) = await chunks(run, datastore, "treasure")
    assert (chunk["tags"], chunk["custom_id"]) == ([], None)
    assert await chunks(run, datastore, "treasure", tags=["a"]) == []


# Versions


async def test_a_datasource_with_the_id_of_another_is_its_new_version(run, datastore):
    made = await run("create_datasource", datastoreId=datastore, name="a", text="The price is 5.")
    await run.indexed()
    (before,) = await chunks(run, datastore, "What is the price?")

    changed = await run(
        "create_datasource", id=made["id"], datastoreId=datastore, name="b", text="The price is 6."
    )
    assert (changed["id"], changed["name"], changed["status"]) == (made["id"], "b", "pending")
    assert await chunks(run, datastore, "What is the price?") == [{**before, "datasource_name": "b"}]
    await run.indexed()

    (after,) = await chunks(run, datastore, "What is the price?")
    assert after["text"] == "The price is 6."
    assert (await run("get_datasource", id=made["id"]))["text"] == "The price is 6."
    assert await found(run, datastore) == ["b"]


async def test_a_citation_resolves_after_the_text_has_changed_and_says_so(run, datastore):
    made = await run("create_datasource", datastoreId=datastore, name="a", text="The price is 5.")
    await run.indexed()
    (cited,) = await chunks(run, datastore, "price")
    place = {"documentId": cited["document_id"], "start": cited["start"], "end": cited["end"]}
    assert (await run("read_document", **place))["isCurrent"] is True

    await run("create_datasource", id=made["id"], datastoreId=datastore, name="a", text="The price is 6.")
    await run.indexed()

    read = await run("read_document", **place)
    assert (read["text"], read["isCurrent"], read["version"]) == ("The price is 5.", False, 1)
    assert read["datasourceId"] == made["id"]
    (new,) = await chunks(run, datastore, "price")
    assert new["document_id"] != cited["document_id"]


async def test_the_same_text_again_is_no_new_version(run, datastore):
    made = await run("create_datasource", datastoreId=datastore, name="a", text="The price is 5.")
    await run.indexed()
    before = await chunks(run, datastore, "price")

    await run("create_datasource", id=made["id"], datastoreId=datastore, name="a", text="The price is 5.")
    await run.indexed()

    assert await chunks(run, datastore, "price") == before
    assert (await run("get_datasource", id=made["id"]))["status"] == "synched"


async def test_an_id_that_is_not_there_yet_is_the_id_of_a_new_datasource(run, datastore):
    made = await run("create_datasource", id="mine-1", datastoreId=datastore, name="a", text="x")

    assert made["id"] == "mine-1"
    assert (await run("get_datasource", id="mine-1"))["text"] == "x"


async def test_a_datasource_of_another_datastore_is_not_replaced(run, datastore):
    other = (await run("create_datastore", type="qdrant"))["id"]
    made = await run("create_datasource", datastoreId=other, name="a", text="x")

    with pytest.raises(Conflict, match=made["id"]):
        await run("create_datasource", id=made["id"], datastoreId=datastore, name="b", text="y")

    assert (await run("get_datasource", id=made["id"]))["text"] == "x"


async def test_a_secret_in_the_settings_stays_when_its_marker_is_written_back_and_with_its_host(
    run, datastore
):
    page = {"type": "web_page", "datastoreId": datastore, "name": "a", "text": ""}
    address = "https://docs.example/one?token=canary"
    made = await run("create_datasource", **page, config={"source_url": address})

    async def secrets() -> list[str]:
        source = await run.engine.ports.store.read(lambda tables: tables.datasources.find(made["id"]))
        return list(source.secrets.values())

    again = await run("create_datasource", id=made["id"], **page, config=made["config"])
    assert (again["config"], await secrets()) == (made["config"], ["canary"])

    elsewhere = {"source_url": made["config"]["source_url"].replace("docs", "evil")}
    with pytest.raises(InvalidInput, match="another host"):
        await run("create_datasource", id=made["id"], **page, config=elsewhere)
    assert await secrets() == ["canary"]


async def test_a_synch_reads_a_page_again(run, datastore, engine):
    url = "https://shop.example/prices"
    web = engine.ports.web
    web.pages[url] = b"<p>The price is 5.</p>"
    config = {"source_url": url}
    made = await run(
        "create_datasource", datastoreId=datastore, name="p", text="", type="web_page", config=config
    )
    await run.indexed()
    assert [chunk["text"] for chunk in await chunks(run, datastore, "price")] == ["The price is 5."]

    web.pages[url] = b"<p>The price is 6.</p>"
    assert (await run("synch_datasource", id=made["id"]))["status"] == "pending"
    await run.indexed()

    (chunk,) = await chunks(run, datastore, "price")
    assert (chunk["text"], chunk["source"]) == ("The price is 6.", url)


async def test_a_file_that_could_not_be_read_is_not_kept_for_a_synch(run, datastore, engine, tmp_path):
    (tmp_path / "x.pdf").write_bytes(b"%PDF-1.4 and nothing of a PDF after it")
    op = AddFile(datastore_id=datastore, name="x.pdf", file=tmp_path / "x.pdf")
    made = await engine.run(op, OPERATOR)
    await run.indexed()
    failed = await run("get_datasource", id=made.id)
    assert (failed["status"], bool(failed["error"]), failed["text"]) == ("error", True, "")

    with pytest.raises(Conflict, match="never read") as refusal:
        await run("synch_datasource", id=made.id)

    assert "create_datasource" in refusal.value.hint


async def test_a_synch_does_not_lose_a_file_that_waits_to_be_read(run, datastore, tmp_path):
    made = await run("create_datasource", datastoreId=datastore, name="a.txt", text="The price is 5.")
    await run.indexed()
    await added(run, datastore, tmp_path, "The price is 6.", replaces=made["id"])

    await run("synch_datasource", id=made["id"])
    await run.indexed()

    assert (await run("get_datasource", id=made["id"]))["text"] == "The price is 6."


# Files


async def added(run, datastore: str, folder, text: str, **more) -> dict:
    file = folder / "given"
    file.write_text(text, encoding="utf-8")
    op = AddFile(datastore_id=datastore, **{"name": "a.txt", "file": file, **more})
    return (await run.engine.run(op, OPERATOR)).model_dump(mode="json")


async def test_a_file_replaces_the_text_and_the_settings_of_a_datasource(run, datastore, tmp_path):
    made = await run("create_datasource", datastoreId=datastore, name="old", text="The price is 5.")
    await run.indexed()

    changed = await added(
        run, datastore, tmp_path, "The price is 6.", replaces=made["id"], config={"tags": ["new"]}
    )
    assert (changed["id"], changed["name"], changed["status"]) == (made["id"], "a.txt", "pending")
    await run.indexed()

    (chunk,) = await chunks(run, datastore, "price", tags=["new"])
    assert (chunk["text"], chunk["datasource_id"]) == ("The price is 6.", made["id"])


async def test_two_files_that_replace_the_same_one_at_once_never_mix(run, datastore, tmp_path):
    made = await run("create_datasource", datastoreId=datastore, name="a.txt", text="x")
    large = {letter: f"{letter}{letter}{letter} " * 3 * 2**20 for letter in "ab"}
    folders = [tmp_path / letter for letter in large]
    for folder in folders:
        folder.mkdir()

    await asyncio.gather(
        *(
            added(run, datastore, folder, text, replaces=made["id"])
            for folder, text in zip(folders, large.values(), strict=True)
        )
    )

    kept = await run.engine.ports.store.read(lambda tables: b"".join(tables.uploads.chunks(made["id"])))
    assert kept.decode() in large.values()


async def test_a_file_does_not_replace_a_datasource_of_another_datastore(run, datastore, tmp_path):
    other = (await run("create_datastore", type="qdrant"))["id"]
    made = await run("create_datasource", datastoreId=other, name="a", text="x")

    with pytest.raises(Conflict, match=made["id"]):
        await added(run, datastore, tmp_path, "y", replaces=made["id"])

    assert (await run("get_datasource", id=made["id"]))["status"] == "pending"


async def test_a_file_with_an_id_that_is_not_there_yet_makes_a_datasource_with_it(run, datastore, tmp_path):
    made = await added(run, datastore, tmp_path, "The price is 6.", replaces="mine-1")
    await run.indexed()

    assert made["id"] == "mine-1"
    assert (await run("get_datasource", id="mine-1"))["text"] == "The price is 6."


# Documents


async def test_a_text_of_an_older_program_is_found_in_its_language(run, datastore):
    text = "# Preços\n\nA entrega dos pedidos é feita em cinco dias, e não há taxa."
    made = await run("create_datasource", datastoreId=datastore, name="a", text=text)

    def age(tables) -> None:
        document = tables.documents.of(made["id"], "current")
        tables.documents.replace(replace(document, hash="", language="", outline=Outline()))

    await run.engine.ports.store.write(age)
    await run.indexed()

    (chunk,) = await chunks(run, datastore, "Quando é a entrega do pedido?")
    assert chunk["headings"] == ["Preços"]
    read = run.engine.ports.store.read
    document = await read(lambda tables: tables.documents.of(made["id"], "current"))
    assert (document.language, document.hash) == ("pt", made["hash"])


@pytest.mark.parametrize(
    ("start", "end", "text"),
    [(0, 4, "The "), (4, 9, "price"), (10, 2_000, "is 5."), (15, 15, ""), (99, 100, "")],
)
async def test_a_document_is_read_between_two_places(run, datastore, start, end, text):
    await run("create_datasource", datastoreId=datastore, name="a", text="The price is 5.")
    await run.indexed()
    (cited,) = await chunks(run, datastore, "price")

    read = await run("read_document", documentId=cited["document_id"], start=start, end=end)

    assert read["text"] == text


@pytest.mark.parametrize(("start", "end"), [(5, 4), (0, 100_001)])
async def test_a_stretch_of_a_document_that_cannot_be_is_refused(run, datastore, start, end):
    made = await run("create_datasource", datastoreId=datastore, name="a", text="x")
    document = await document_of(run, made["id"])

    with pytest.raises(InvalidInput, match="end"):
        await run("read_document", documentId=document, start=start, end=end)


async def test_a_document_is_read_two_thousand_characters_on_where_no_end_is_given(run, datastore):
    made = await run("create_datasource", datastoreId=datastore, name="a", text="abcde" * 2_000)
    document = await document_of(run, made["id"])

    read = await run("read_document", documentId=document, start=5_001)

    assert (read["start"], read["end"], read["text"]) == (5_001, 7_001, "bcdea" * 400)


# What nobody can see

HIDDEN = "".join(map(chr, (0xE0041, 0x202E, 0x2066, 0x200B, 0x2060, 0xFEFF, 0xAD, 0x1B, 0x07)))


async def test_what_nobody_can_see_is_taken_out_of_a_text(run, datastore):
    shown = "The price\n\tis 5."
    given = f"{HIDDEN}The pri{HIDDEN}ce\r\n\tis 5.{HIDDEN}"

    made = await run("create_datasource", datastoreId=datastore, name="a", text=given)

    assert (await run("get_datasource", id=made["id"]))["text"] == shown
    assert (made["textSize"], made["hash"]) == (len(shown), hashlib.sha256(shown.encode()).hexdigest())


async def test_what_nobody_can_see_is_taken_out_of_a_question_and_its_answer(run, datastore):
    config = {"question": f"How{HIDDEN} much?", "answer": f"{HIDDEN} 5."}

    made = await run("create_datasource", datastoreId=datastore, name="a", text="", type="qa", config=config)

    assert (await run("get_datasource", id=made["id"]))["text"] == "How much?\n\n5."


@pytest.mark.parametrize(
    "arguments",
    [
        {"text": HIDDEN},
        {"text": "", "type": "qa", "config": {"question": HIDDEN, "answer": "5."}},
        {"text": "", "type": "qa", "config": {"question": "How much?", "answer": HIDDEN}},
    ],
)
async def test_a_text_of_which_nobody_can_see_anything_is_refused(run, datastore, arguments):
    with pytest.raises(InvalidInput):
        await run("create_datasource", datastoreId=datastore, name="a", **arguments)


# Tags


async def test_blank_tags_are_dropped(run, datastore, tmp_path):
    config = {"tags": ["", "a", " ", "x" * 25]}

    made = await run("create_datasource", datastoreId=datastore, name="a", text="x", config=config)
    uploaded = await added(run, datastore, tmp_path, "x", config=config)

    assert made["config"]["tags"] == uploaded["config"]["tags"] == ["a", "x" * 25]


async def test_a_tag_of_more_than_25_characters_is_refused(run, datastore, tmp_path):
    config = {"tags": ["a", "x" * 26]}

    with pytest.raises(InvalidInput, match="at most 25") as refusal:
        await run("create_datasource", datastoreId=datastore, name="a", text="x", config=config)
    with pytest.raises(InvalidInput, match="at most 25"):
        await added(run, datastore, tmp_path, "x", config=config)

    assert refusal.value.details.keys() == {"config.tags"}
