"""Many contacts at once: taken over from lists, given out as tables, merged, deleted."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.contact_lists import COLUMNS, rows_in, table_of
from vivavoce.errors import Conflict, InvalidInput, NotFound

from .talks import Talks


@pytest.fixture
def talks(engine) -> Talks:
    return Talks(engine)


async def emails(run) -> list[str | None]:
    listed = (await run("list_contacts"))["contacts"]
    return sorted(each["email"] or "" for each in listed)


async def test_a_list_makes_those_who_are_new_and_changes_those_who_are_known(run):
    await run("save_contact", email="lu@example.com", firstName="Lu")

    saved = await run(
        "create_contacts",
        contacts=[{"email": "lu@example.com", "lastName": "Lima"}, {"email": "ze@example.com"}],
    )

    assert saved == {"success": True, "created": 1, "updated": 1, "refused": []}
    (lu,) = (await run("list_contacts", search="lu@"))["contacts"]
    assert (lu["firstName"], lu["lastName"]) == ("Lu", "Lima")


async def test_a_row_that_would_join_two_people_is_refused_and_the_others_are_taken(run):
    await run("save_contact", email="lu@example.com")
    await run("save_contact", phoneNumber="5511")

    saved = await run(
        "create_contacts",
        contacts=[{"email": "lu@example.com", "phoneNumber": "5511"}, {"email": "ze@example.com"}],
    )

    assert (saved["created"], saved["updated"]) == (1, 0)
    ((row, message),) = [each.values() for each in saved["refused"]]
    assert row == 1
    assert "has this" in message


async def test_a_table_of_a_spreadsheet_is_taken_over(run):
    table = "\ufeffE-mail Address;Phone;Nome;Shoe size\nlu@example.com;5511;Lu;38\n\n;;;\n;5522;;40\n"

    saved = await run("import_contacts", csv=table)

    assert (saved["created"], saved["refused"]) == (2, [])
    listed = (await run("list_contacts"))["contacts"]
    assert {(each["email"], each["phoneNumber"], each["firstName"]) for each in listed} == {
        ("lu@example.com", "5511", "Lu"),
        (None, "5522", None),
    }


async def test_a_row_that_cannot_be_is_told_by_its_number(run):
    saved = await run("import_contacts", csv=f"email,phone\nlu@example.com,1\nze@example.com,{'9' * 41}\n")

    assert (saved["created"], saved["refused"][0]["row"]) == (1, 2)
    assert "phoneNumber" in saved["refused"][0]["message"]
    assert await emails(run) == ["lu@example.com"]


async def test_others_write_between_the_rows_of_a_long_list(run, engine):
    names: list[int] = []
    taking = asyncio.create_task(
        run("import_contacts", csv="email\n" + "".join(f"p{number}@example.com\n" for number in range(1_001)))
    )
    while not taking.done():
        names.append(await engine.ports.store.write(lambda tables: tables.contacts.count()))

    saved = await taking
    assert (saved["created"], saved["refused"]) == (1_001, [])
    assert [number for number in names if 0 < number < 1_001]


@pytest.mark.parametrize(
    "table", ["shoe,size\n1,2\n", "\n\n", 'email\n"a\0b"\n', "email\n" + "a@b.c\n" * 5_001]
)
async def test_what_is_no_list_of_contacts_is_refused(run, table):
    with pytest.raises(InvalidInput) as raised:
        await run("import_contacts", csv=table)

    assert "csv" in raised.value.details


async def test_contacts_are_given_out_as_a_table_that_can_be_taken_over_again(run):
    await run("save_contact", email="lu@example.com", phoneNumber="+5511", firstName='Lu "L", of Olinda')
    exported = await run("export_contacts")
    (known,) = (await run("list_contacts"))["contacts"]
    await run("delete_contact", contactId=known["id"])

    await run("import_contacts", csv=exported["csv"])

    (again,) = (await run("list_contacts"))["contacts"]
    assert exported["count"] == 1
    assert [again[name] for name in COLUMNS] == [known[name] for name in COLUMNS]


async def test_no_cell_is_worked_out_by_a_spreadsheet(run):
    await run("save_contact", email="lu@example.com", firstName='=HYPERLINK("https://x.example")')

    exported = await run("export_contacts")

    assert "'=HYPERLINK" in exported["csv"]
    assert not [
        line
        for line in exported["csv"].splitlines()
        for cell in line.split(",")
        if cell[:1] in "=+-@" and cell
    ]


@pytest.mark.parametrize("between", [";", "\t", "\n"])
@pytest.mark.parametrize("active", ["=1+1", "+1", "-1", "@sum"])
def test_no_cell_is_worked_out_where_a_spreadsheet_parts_them_otherwise(between, active):
    contact = {"firstName": f"Lu{between}{active}"}

    table = table_of([contact])

    assert between + active not in table
    assert rows_in(table) == [contact]


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                name: st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=20)
                for name in COLUMNS
            }
        ),
        max_size=5,
    )
)
def test_what_is_written_is_read_back(contacts):
    wanted = [{name: value.strip() for name, value in each.items() if value.strip()} for each in contacts]
    wanted = [each for each in wanted if each]

    assert rows_in(table_of(contacts)) == wanted


async def test_contacts_that_are_one_person_become_one(run, talks):
    kept = await run("save_contact", email="lu@example.com", firstName="Lu", metadata={"a": 1})
    other = await run("save_contact", phoneNumber="5511", firstName="Luiza", metadata={"a": 2, "b": 3})
    await talks.talk("talk1", contact_id=other["id"])
    said = await run("receive_message", conversationId="talk1", message="Hi.", contactId=other["id"])
    await run("set_contact_variable", id=other["id"], key="plan", value="gold", source="ai")
    await run("set_contact_variable", id=other["id"], key="size", value=38)
    await run("set_contact_variable", id=kept["id"], key="size", value=39)

    merged = await run("merge_contacts", contactId=kept["id"], otherIds=[other["id"]])

    known = [merged[name] for name in ("id", "email", "phoneNumber", "firstName", "metadata")]
    assert known == [kept["id"], "lu@example.com", "5511", "Lu", {"a": 1, "b": 3}]
    facts = (await run("list_contact_variables", id="talk1"))["variables"]
    assert facts == {"plan": "gold", "size": 39, "_sources": {"plan": "ai", "size": "human"}}
    assert (await run("get_message", messageId=said["id"]))["contactId"] == kept["id"]
    with pytest.raises(NotFound):
        await run("get_contact", contactId=other["id"])


async def test_a_contact_is_not_merged_with_itself(run):
    kept = await run("save_contact", email="lu@example.com")

    with pytest.raises(InvalidInput):
        await run("merge_contacts", contactId=kept["id"], otherIds=[kept["id"]])


async def test_many_are_deleted_or_none(run, talks):
    ids = [(await run("save_contact", email=f"p{number}@example.com"))["id"] for number in range(3)]
    await talks.talk("talk1", contact_id=ids[0])

    with pytest.raises(NotFound):
        await run("delete_contacts", ids=[ids[0], "nobody"])
    gone = await run("delete_contacts", ids=ids[:2])

    assert (gone["deleted"], gone["alsoRemoved"]) == (2, {"conversationsWithoutContact": 1})
    assert await emails(run) == ["p2@example.com"]


async def test_one_contact_is_changed_by_its_path(run):
    known = await run("save_contact", email="lu@example.com", firstName="Lu")
    await run("save_contact", email="ze@example.com")

    changed = await run("update_contact", contactId=known["id"], firstName=None, lastName="Lima")

    assert [changed[name] for name in ("email", "firstName", "lastName")] == ["lu@example.com", None, "Lima"]
    with pytest.raises(Conflict):
        await run("update_contact", contactId=known["id"], email="ze@example.com")
