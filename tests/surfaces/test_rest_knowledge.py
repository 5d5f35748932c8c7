"""REST and what is known: files come in and are indexed, and passages are found as the wire has them."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest
from serving import key_for, served, settings_in
from starlette.testclient import TestClient

from tests.ports.documents_made import docx, paragraph
from tests.ports.pdfs_made import pdf
from vivavoce.operations.uploads import LARGEST
from vivavoce.surfaces.http import application
from vivavoce.surfaces.limits import BODY

HTML = "<html><body><h1>Retours</h1><p>A bracelet may be sent back within thirty days.</p></body></html>"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
FILES = {
    "pdf": ("rates.pdf", pdf(["The bracelet costs 49 euros."]), "application/pdf", "bracelet costs 49"),
    "html": ("returns.html", HTML.encode(), "text/html", "within thirty days"),
    "docx": ("care.docx", docx(paragraph("Clean the bracelet with water.")), "", "with water"),
    "csv": ("stock.csv", b"name,stock\nbracelet,seven\n", "text/csv", "seven"),
    "latin-1": ("caf\xe9.txt", "The bracelet is sold in a caf\xe9.".encode("latin-1"), "", "caf\xe9"),
}
CHUNK = {
    *("text", "score", "source", "datasource_id", "datasource_name", "custom_id", "tags"),
    *("page", "end_page", "headings", "document_id", "start", "end"),
}


def text(client, store, name="a.txt", said="The bracelet costs 49 euros.", **more):
    """A datasource, made of a text."""
    given = {"datastoreId": store["id"], "name": name, "text": said, "type": "file", **more}
    made = client.post("/datasources", json=given)
    assert made.status_code == 200, made.text
    return made.json()


def settled(client, *made):
    """The datasources once they are indexed or have failed."""
    deadline = time.monotonic() + 120
    shown = []
    for each in made:
        while True:
            source = client.get(f"/datasources/{each['id']}").json()
            if source["status"] in ("synched", "error"):
                break
            assert time.monotonic() < deadline, source
            time.sleep(0.05)
        shown.append(source)
    return shown


def query(client, store, words="What does the bracelet cost?", **more):
    answer = client.post(f"/datastores/{store['id']}/query", json={"query": words, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


# Uploads


@pytest.mark.parametrize("kind", FILES)
def test_a_file_is_taken_in_indexed_and_found(client, store, kind):
    name, body, mime, said = FILES[kind]
    fields = {"datastoreId": store["id"], "type": "file", "custom_id": "mine", "tags": "shop, new"}

    made = client.post("/datasources", data=fields, files={"file": (name, body, mime or None)})
    assert made.status_code == 200, made.text
    assert (made.json()["status"], made.json()["name"]) == ("pending", name)
    (source,) = settled(client, made.json())

    assert (source["status"], source["error"], source["progress"]) == ("synched", None, 1.0)
    assert said in source["text"]
    chunk, *others = query(client, store, "bracelet")
    assert (others, chunk.keys()) == ([], CHUNK)
    assert said in chunk["text"]
    assert 0 <= chunk["score"] <= 1
    assert chunk["source"] is None
    assert (chunk["datasource_id"], chunk["datasource_name"]) == (source["id"], name)
    assert (chunk["custom_id"], chunk["tags"]) == ("mine", ["shop", "new"])
    assert chunk["page"] == ("1" if kind == "pdf" else None)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("prices.txt", "prices.txt"),
        ("../../etc/passwd", "../../etc/passwd"),
        ("Preços de verão — 価格.txt", "Preços de verão — 価格.txt"),
        ("'; drop table agents; --", "'; drop table agents; --"),
        ("%00%2e%2e.txt", "%00%2e%2e.txt"),
        ("  blanks around  ", "blanks around"),
        ("x" * 200, "x" * 200),
    ],
)
@pytest.mark.parametrize("place", ["fileName", "part"])
def test_an_uploaded_file_keeps_its_name_as_text_alone(client, store, given, kept, place):
    fields = {"datastoreId": store["id"], "type": "file"}
    if place == "fileName":
        fields["fileName"] = given
    name = "blob" if place == "fileName" else given

    made = client.post("/datasources", data=fields, files={"file": (name, "Ünï\n".encode(), "text/plain")})

    assert made.status_code == 200, made.text
    kept_as = {"name": kept, "datastoreId": store["id"], "status": "pending"}
    assert made.json() == {**made.json(), **kept_as}
    shown = client.get(f"/datasources/{made.json()['id']}?idstore={store['id']}").json()
    assert (shown["name"], shown["config"]) == (kept, {"mime_type": "text/plain"})


def test_a_datasource_is_not_found_in_another_datastore(client, store):
    files = {"file": ("a.txt", b"One.", "text/plain")}
    made = client.post("/datasources", data={"datastoreId": store["id"]}, files=files).json()

    answer = client.get(f"/datasources/{made['id']}?idstore=another")

    assert (answer.status_code, answer.json()["error"]) == (404, "NOT_FOUND")


def test_a_name_in_a_field_is_taken_to_the_letter(client, store):
    for name in ('a "quoted" name.txt', "C:\\fakepath\\x.txt", "a%22b.txt"):
        fields = {"datastoreId": store["id"], "fileName": name}
        made = client.post("/datasources", data=fields, files={"file": ("blob", b"x")})
        assert made.json()["name"] == name


def test_a_file_with_a_byte_order_mark_is_read_without_it(client, store):
    fields = {"datastoreId": store["id"], "type": "file", "config": json.dumps({"custom_id": "mine"})}
    made = client.post("/datasources", data=fields, files={"file": ("a.txt", b"\xef\xbb\xbfabc")}).json()
    (read,) = settled(client, made)

    assert (read["text"], read["textSize"], read["config"]["custom_id"]) == ("abc", 3, "mine")


@pytest.mark.parametrize("body", [b"  \n", b"%PDF-1.7\nno more than a beginning"], ids=["blank", "broken"])
def test_a_file_in_which_there_is_nothing_to_read_says_so(client, store, body):
    fields = {"datastoreId": store["id"]}
    made = client.post("/datasources", data=fields, files={"file": ("a", body)})
    assert made.status_code == 200, made.text

    (read,) = settled(client, made.json())

    assert (read["status"], read["text"]) == ("error", "")
    assert read["error"].endswith(".")
    assert query(client, store) == []


def test_the_same_file_twice_at_once_is_two_datasources(shared_settings, client, store):
    def send(barrier):
        barrier.wait(30)
        files = {"file": ("rates.pdf", FILES["pdf"][1], "application/pdf")}
        with httpx2.Client(base_url=address, timeout=60, trust_env=False) as other:
            return other.post("/datasources", data={"datastoreId": store["id"]}, files=files)

    with served(shared_settings) as address, ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(send, [threading.Barrier(2)] * 2))

    assert [answer.status_code for answer in answers] == [200, 200]
    assert len({answer.json()["id"] for answer in answers}) == 2
    read = settled(client, *(answer.json() for answer in answers))
    assert {source["status"] for source in read} == {"synched"}
    assert len(query(client, store)) == 1  # the same words are shown once


def test_a_file_with_the_id_of_a_datasource_replaces_it(client, store):
    made = text(client, store)
    settled(client, made)
    files = {"file": ("b.txt", b"The bracelet costs 52 euros.")}

    changed = client.post("/datasources", data={"datastoreId": store["id"], "id": made["id"]}, files=files)
    assert (changed.status_code, changed.json()["id"]) == (200, made["id"])
    settled(client, made)

    assert [chunk["text"] for chunk in query(client, store)] == ["The bracelet costs 52 euros."]


def form(fields, size, piece=b"x" * 2**16):
    """The bytes of a form with a file, in parts, as a client sends it that does not know the size."""
    for name, value in fields.items():
        yield f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
    yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
    for start in range(0, size, len(piece)):
        yield piece[: size - start]
    yield b"\r\n--x--\r\n"


FORM = {"content-type": "multipart/form-data; boundary=x"}


def test_a_file_may_be_larger_than_a_body_of_json(client, store):
    fields = {"datastoreId": store["id"], "isUpdateText": "true"}

    made = client.post("/datasources", content=form(fields, BODY + 1, b"one two " * 2**13), headers=FORM)

    assert (made.status_code, made.json()["status"]) == (200, "pending")
    client.delete(f"/datasources/{made.json()['id']}")  # nobody needs it indexed


def test_a_file_of_a_byte_more_than_the_most_is_refused_and_leaves_nothing(shared_settings, client, store):
    with (
        served(shared_settings) as address,
        httpx2.Client(base_url=address, timeout=300, trust_env=False) as other,
    ):
        large = other.post(
            "/datasources", content=form({"datastoreId": store["id"]}, LARGEST + 1), headers=FORM
        )
    said = client.post("/datasources", content=b"", headers={**FORM, "content-length": str(2 * LARGEST)})

    for answer in (large, said):
        assert (answer.status_code, answer.json()["error"]) == (413, "INVALID_REQUEST")
        assert answer.json()["message"]
    assert client.get(f"/datastores/{store['id']}").json()["datasources"] == []


REFUSED = {
    "picture": ({"file": ("a.png", PNG)}, {}, 422, "a picture"),
    "picture under another name": ({"file": ("a.pdf", PNG)}, {}, 422, "a picture"),
    "old kind": ({"file": ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")}, {}, 422, ".doc"),
    "archive": ({"file": ("a.zip", b"PK\3\4abc")}, {}, 422, "archive"),
    "unknown": ({"file": ("a.bin", b"a\0b")}, {}, 422, "no kind"),
    "empty": ({"file": ("a.txt", b"")}, {}, 400, "empty"),
    "control": ({"file": ("a\x01b.txt", b"x")}, {"fileName": "a\x01b"}, 400, "name"),
    "long": ({"file": ("a.txt", b"x")}, {"fileName": "x" * 201}, 400, "name"),
    "no file": ({"other": ("a.txt", b"x")}, {}, 400, "file"),
    "type": ({"file": ("a.txt", b"x")}, {"type": "exe"}, 400, "type"),
    "field": ({"file": ("a.txt", b"x")}, {"colour": "blue"}, 400, "colour"),
    "text": ({"file": ("a.txt", b"x")}, {"text": "y"}, 400, "text"),
    "wire": ({"file": ("a.txt", b"x")}, {"datasourceText": "y"}, 400, "datasourceText"),
    "id": ({"file": ("a.txt", b"x")}, {"id": "../x"}, 400, "id"),
    "name of ours": ({"file": ("a.txt", b"x")}, {"replaces": "x"}, 400, "replaces"),
    "no JSON": ({"file": ("a.txt", b"x")}, {"config": "{"}, 400, "JSON"),
    "no object": ({"file": ("a.txt", b"x")}, {"config": "[1]"}, 400, "object"),
    "tags": ({"file": ("a.txt", b"x")}, {"config": '{"tags": 5}'}, 400, "config.tags"),
    "store": ({"file": ("a.txt", b"x")}, {"datastoreId": "nothing"}, 404, "datastore"),
    "two": ([("file", ("a.txt", b"x")), ("file", ("b.txt", b"y"))], {}, 400, "file"),
    "many": ({"file": ("a.txt", b"x")}, {f"f{n}": "x" for n in range(30)}, 400, "field"),
}


@pytest.mark.parametrize(("files", "fields", "status", "told"), REFUSED.values(), ids=REFUSED)
def test_an_upload_that_breaks_a_rule_is_refused_with_the_reason(client, store, files, fields, status, told):
    answer = client.post("/datasources", data={"datastoreId": store["id"], **fields}, files=files)

    assert answer.status_code == status, answer.text
    assert told in answer.json()["message"]
    assert client.get(f"/datastores/{store['id']}").json()["datasources"] == []


@pytest.mark.parametrize(
    "body",
    [b"", b"--x", b"--x\r\n\r\nabc", b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nabc'],
)
def test_a_multipart_body_that_is_broken_is_refused(client, body):
    bare = {"content-type": "multipart/form-data"}

    assert client.post("/datasources", content=body, headers=FORM).status_code == 400
    assert client.post("/datasources", content=body, headers=bare).status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        b'{"datastoreId": "STORE", "name": "a", "text": "\xff"}',
        b'{"datastoreId": "STORE", "name": "a", "text": "a\\u0000b"}',
        b'{"datastoreId": "STORE", "name": "a", "text": ""}',
        b'{"datastoreId": "STORE", "name": "a", "text": " \\n"}',
        b'{"datastoreId": "STORE", "name": "a", "datasourceText": ""}',
        b'{"datastoreId": "STORE", "name": "a"}',
        b'{"datastoreId": "STORE", "name": "a", "text": "x", "id": "../x"}',
        b'{"datastoreId": "STORE", "name": "a", "text": "x", "config": {"tags": 5}}',
    ],
    ids=["not utf-8", "nul", "empty", "blank", "empty by its other name", "none", "id", "tags"],
)
def test_a_text_that_breaks_a_rule_is_refused(client, store, body):
    body = body.replace(b"STORE", store["id"].encode())

    answer = client.post("/datasources", content=body, headers={"content-type": "application/json"})

    assert (answer.status_code, answer.json()["error"]) == (400, "error invalid request body")
    assert client.get(f"/datastores/{store['id']}").json()["datasources"] == []


# Questions


@pytest.fixture(scope="module")
def shop(client):
    """A datastore with three datasources that are indexed."""
    store = client.post("/datastores", json={"type": "qdrant", "name": "Shop"}).json()
    made = [
        text(client, store, "price", "The bracelet costs 49 euros.", custom_id="p", config={"tags": ["a"]}),
        text(client, store, "care", "Clean the bracelet with warm water.", config={"tags": ["a", "b"]}),
        text(client, store, "hours", "The shop opens at nine.", custom_id="h"),
    ]
    settled(client, *made)
    return {**store, "sources": {source["name"]: source["id"] for source in made}}


def names(chunks):
    return {chunk["datasource_name"] for chunk in chunks}


def test_the_best_passage_comes_first_and_scores_fall(client, shop):
    found = query(client, shop, topK=3)

    assert found[0]["datasource_name"] == "price"
    scores = [chunk["score"] for chunk in found]
    assert scores == sorted(scores, reverse=True)
    assert found[0]["text"] == "The bracelet costs 49 euros."


def test_no_more_passages_come_than_were_asked_for(client, shop):
    assert len(query(client, shop, topK=1)) == 1
    assert len(query(client, shop, topK=100)) == 3
    assert len(query(client, shop)) == 3


def test_filters_leave_what_matches_all_of_them(client, shop):
    ids = shop["sources"]

    assert names(query(client, shop, filters={"custom_ids": ["p", "h"]})) == {"price", "hours"}
    assert names(query(client, shop, filters={"datasource_ids": [ids["care"]]})) == {"care"}
    assert names(query(client, shop, tags=["a"])) == {"price", "care"}
    assert names(query(client, shop, tags=["a", "b"])) == {"care"}
    both = {"custom_ids": ["p"], "datasource_ids": [ids["care"]]}
    assert names(query(client, shop, filters=both)) == set()
    assert names(query(client, shop, tags=["a"], filters={"custom_ids": ["p"]})) == {"price"}
    assert names(query(client, shop, filters={"custom_ids": [], "datasource_ids": []})) == set(ids)


def test_a_filter_reaches_into_no_other_datastore(client, shop):
    other = client.post("/datastores", json={"type": "qdrant"}).json()
    secret = text(client, other, "secret", "The bracelet costs nothing.", custom_id="p")
    settled(client, secret)

    assert names(query(client, shop, filters={"datasource_ids": [secret["id"]]})) == set()
    assert names(query(client, shop, filters={"custom_ids": ["p"]})) == {"price"}
    assert names(query(client, other)) == {"secret"}


def test_a_filter_by_datastore_is_forbidden(client, shop):
    body = {"query": "x", "filters": {"datastore_ids": [shop["id"]]}}

    answer = client.post(f"/datastores/{shop['id']}/query", json=body)

    assert (answer.status_code, answer.json()["error"]) == (403, "UNAUTHORIZED")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "query"),
        ({"query": 5}, "query"),
        ({"query": "a\0b"}, "query"),
        ({"query": "x" * 2_001}, "query"),
        ({"query": "x", "topK": 0}, "topK"),
        ({"query": "x", "topK": 101}, "topK"),
        ({"query": "x", "topK": "5"}, "topK"),
        ({"query": "x", "filters": {"colour": []}}, "filters.colour"),
        ({"query": "x", "filters": {"datasource_ids": ["../x"]}}, "filters.datasource_ids.0"),
        ({"query": "x", "tags": "a"}, "tags"),
    ],
)
def test_a_question_that_breaks_a_rule_is_refused(client, shop, body, field):
    answer = client.post(f"/datastores/{shop['id']}/query", json=body)

    assert answer.status_code == 400
    assert answer.json()["details"].keys() == {field}


def test_a_question_to_an_empty_datastore_has_no_answer(client, store):
    assert query(client, store) == []


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/datastores/nothing/query", {"query": "x"}),
        ("POST", "/datasources/nothing/synch", {}),
        ("GET", "/documents/nothing", None),
        ("POST", "/datasources", {"datastoreId": "nothing", "name": "a", "text": "x"}),
    ],
)
def test_what_is_not_there_is_not_found(client, method, path, body):
    answer = client.request(method, path, json=body)

    assert (answer.status_code, answer.json()["error"]) == (404, "NOT_FOUND")


# Versions


def test_a_text_with_the_id_of_a_datasource_replaces_it_and_old_citations_resolve(client, store):
    made = text(client, store)
    settled(client, made)
    (cited,) = query(client, store)

    changed = text(client, store, said="The bracelet costs 52 euros.", id=made["id"])
    assert (changed["id"], changed["status"]) == (made["id"], "pending")
    settled(client, made)

    (chunk,) = query(client, store)
    assert chunk["text"] == "The bracelet costs 52 euros."
    assert len(client.get(f"/datastores/{store['id']}").json()["datasources"]) == 1
    place = {"start": cited["start"], "end": cited["end"]}
    old = client.get(f"/documents/{cited['document_id']}", params=place).json()
    new = client.get(f"/documents/{chunk['document_id']}").json()
    assert (old["text"], old["isCurrent"], old["version"]) == (cited["text"], False, 1)
    assert (new["text"], new["isCurrent"], new["version"]) == (chunk["text"], True, 2)


def test_a_datasource_of_another_datastore_is_not_replaced(client, store):
    other = client.post("/datastores", json={"type": "qdrant"}).json()
    made = text(client, other)
    given = {"datastoreId": store["id"], "id": made["id"]}

    answers = [
        client.post("/datasources", json={**given, "name": "b", "text": "Nothing."}),
        client.post("/datasources", data=given, files={"file": ("b.txt", b"Nothing.")}),
    ]

    assert [(answer.status_code, answer.json()["error"]) for answer in answers] == [(409, "CONFLICT")] * 2
    assert client.get(f"/datasources/{made['id']}").json()["text"] == "The bracelet costs 49 euros."


def test_a_datasource_is_indexed_again_when_it_is_asked_for(client, store):
    made = text(client, store)
    (first,) = settled(client, made)

    again = client.post(f"/datasources/{made['id']}/synch")
    assert (again.status_code, again.json()["status"]) == (200, "pending")

    (second,) = settled(client, made)
    assert (first["nbSynch"], second["nbSynch"]) == (1, 2)
    assert len(query(client, store)) == 1


# Strangers

NO_KEY = {"authorization": ""}


@pytest.fixture(scope="module")
def owner(tmp_path_factory):
    """A client with a key, of a server that wants one."""
    settings = settings_in(tmp_path_factory.mktemp("strangers"))
    key = key_for(settings, "read", "write").key
    with TestClient(application(settings), base_url="http://127.0.0.1:8377") as owner:
        owner.headers["authorization"] = f"Bearer {key}"
        yield owner


@pytest.fixture(scope="module")
def stores(owner):
    """A public and a private datastore that know the same."""
    kinds = {"public": True, "private": False}
    made = {
        name: owner.post("/datastores", json={"type": "qdrant", "isPublic": is_public}).json()
        for name, is_public in kinds.items()
    }
    settled(owner, *(text(owner, store, config={"apiKey": "canary"}) for store in made.values()))
    return made


def test_strangers_may_question_a_public_datastore(owner, stores):
    address = f"/datastores/{stores['public']['id']}"

    asked = owner.post(f"{address}/query", json={"query": "What does it cost?"}, headers=NO_KEY)
    searched = owner.get(address, params={"search": "What does it cost?"}, headers=NO_KEY)

    assert (asked.status_code, searched.status_code) == (200, 200)
    assert asked.json() == searched.json()["chunks"] == query(owner, stores["public"], "What does it cost?")
    assert "canary" not in asked.text + searched.text


def test_strangers_learn_nothing_of_a_private_datastore_or_a_missing_one(owner, stores):
    told = set()
    for id in (stores["private"]["id"], "nothing"):
        for answer in (
            owner.post(f"/datastores/{id}/query", json={"query": "What does it cost?"}, headers=NO_KEY),
            owner.get(f"/datastores/{id}", params={"search": "cost"}, headers=NO_KEY),
        ):
            assert answer.status_code == 403
            told.add(answer.text)

    assert len(told) == 1


def test_strangers_neither_add_nor_read_nor_synch(owner, stores):
    (chunk,) = query(owner, stores["public"])
    given = {"datastoreId": stores["public"]["id"]}
    source = chunk["datasource_id"]
    answers = [
        owner.post("/datasources", data=given, files={"file": ("a.txt", b"x")}, headers=NO_KEY),
        owner.post("/datasources", json={**given, "name": "a", "text": "x"}, headers=NO_KEY),
        owner.post(f"/datasources/{source}/synch", headers=NO_KEY),
        owner.get(f"/datasources/{source}", headers=NO_KEY),
        owner.get(f"/documents/{chunk['document_id']}", headers=NO_KEY),
    ]

    assert [answer.status_code for answer in answers] == [403] * 5
    assert len(owner.get(f"/datastores/{given['datastoreId']}").json()["datasources"]) == 1
