"""Moving: pure rules of entering steps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import MOST_TAGS, Conversation
from vivavoce.domain.crm import LONGEST_WAIT, CrmLog, Step
from vivavoce.domain.moving import (
    MOST_IN_A_MINUTE,
    MOST_IN_A_ROW,
    assignee_in,
    entered,
    is_going_round,
    is_hasty,
    request_for_contact,
    skipped,
    wait_in,
)

NOW = datetime(2026, 1, 31, tzinfo=UTC)
KNOWN = {"organization_id": "o1", "created_at": NOW, "updated_at": NOW}
TAGS = st.lists(st.sampled_from([f"tag{number}" for number in range(200)]), max_size=100, unique=True)


def step(index: int = 0, **fields) -> Step:
    return Step(**KNOWN, id=f"s{index}", scenario_id="c1", index=index, name=f"step{index}", **fields)


def stay(age: float, cause: str = "time") -> CrmLog:
    at = NOW - timedelta(seconds=age)
    known = {"organization_id": "o1", "created_at": at, "updated_at": at}
    return CrmLog(
        **known,
        id=f"l{age}",
        conversation_id="t",
        scenario_id="c1",
        step_id="s0",
        status="inactive",
        cause=cause,
    )


@given(TAGS, TAGS, TAGS)
def test_tags_are_added_and_taken_off_and_there_is_never_too_many(before, add, remove):
    talk = Conversation(**KNOWN, id="t", tags=before)

    tags = entered(talk, step(default_tags=add, default_tags_to_remove=remove), NOW).tags

    assert len(tags) == len(set(tags)) <= MOST_TAGS
    assert set(before) - set(remove) <= set(tags)
    assert set(tags) <= (set(before) - set(remove)) | set(add)
    assert len(tags) == min(MOST_TAGS, len((set(before) - set(remove)) | set(add)))


def test_entering_counts_as_taking_over_where_the_ai_is_switched_off_or_a_person_is_wanted():
    talk = Conversation(**KNOWN, id="t", last_asked=7)

    off = entered(talk, step(default_ai_control=False), NOW)
    wanted = entered(talk, step(default_status="HUMAN_REQUESTED"), NOW)
    on = entered(talk, step(default_ai_control=True), NOW)

    assert [(each.taken_over, each.held_after) for each in (off, wanted, on)] == [(1, 7), (1, 7), (0, 0)]


@given(st.lists(st.sampled_from("abcdef"), min_size=1, unique=True), st.text(max_size=5), st.data())
def test_an_assignee_is_one_of_the_pool(pool, seed, data):
    logic = data.draw(st.sampled_from(["single_user", "random_selected", "fair_distribution_selected"]))
    loads = {member: data.draw(st.integers(0, 9)) for member in pool}
    told = step(assignee_logic_type=logic, selected_membership_ids_for_assignee=pool)

    chosen = assignee_in(told, "zoe", loads, seed)

    assert chosen in pool
    assert chosen == assignee_in(told, "zoe", loads, seed)
    if logic == "fair_distribution_selected":
        assert loads[chosen] == min(loads.values())


def test_the_fallback_stands_in_for_an_empty_pool():
    old = step(default_assignee_id="random", fallback_membership_ids=["bia"])

    assert assignee_in(old, "zoe", {}, "1") == "bia"
    assert assignee_in(step(default_assignee_id="random"), "zoe", {}, "1") == "zoe"


@pytest.mark.parametrize(
    ("fields", "wait"),
    [
        ({"auto_next_time": 5}, 5),
        ({"auto_next_time": 5, "auto_next_time_unit": "m"}, 300),
        ({"auto_next_time": 5, "auto_next_time_unit": "d"}, 432_000),
        ({"auto_next_time": 0}, None),
        ({}, None),
        ({"auto_next_time": 5, "is_conversation_removal_step": True}, None),
    ],
)
def test_how_long_a_step_lasts(fields, wait):
    lasts = wait_in(step(auto_next_step_id="s1", **fields))

    assert lasts == (None if wait is None else timedelta(seconds=wait))
    assert wait_in(step(**fields)) is None


@given(
    st.lists(st.booleans(), min_size=2, max_size=8),
    st.integers(0, 7),
    st.integers(0, 7),
    st.sets(st.integers(0, 7)),
)
def test_a_way_is_closed_by_the_first_required_step_between_that_was_not_visited(required, now, to, visited):
    steps = [step(index, is_required=is_required) for index, is_required in enumerate(required)]
    now, to = now % len(steps), to % len(steps)

    found = skipped(steps, steps[now], steps[to], {f"s{index}" for index in visited})

    between = [index for index in range(now + 1, to) if required[index] and index not in visited]
    assert (None if found is None else found.index) == (between[0] if between else None)


def test_time_alone_goes_round_until_the_person_says_a_word():
    logs = [stay(age) for age in range(MOST_IN_A_ROW)]

    assert is_going_round(logs, None)
    assert not is_going_round(logs[1:], None)
    assert not is_going_round(logs, NOW - timedelta(seconds=3))
    assert not is_going_round([*logs[:-1], stay(40, "call")], None)


def test_many_moves_in_a_minute_are_hasty():
    assert is_hasty([stay(age) for age in range(MOST_IN_A_MINUTE)], NOW)
    assert not is_hasty([stay(age) for age in range(MOST_IN_A_MINUTE - 1)], NOW)
    assert not is_hasty([stay(7 * age) for age in range(MOST_IN_A_MINUTE)], NOW)


def test_only_what_is_lacking_is_asked_for():
    wants = step(request_contact={"name": True, "email": True, "contact_request_email_prompt": "Say why."})
    known = Contact(**KNOWN, id="p", first_name="Lu")

    assert "their name, their e-mail address" in request_for_contact(wants, None)
    assert request_for_contact(wants, known).endswith("e-mail address. Do not insist.\nSay why.")
    assert request_for_contact(wants, known.changed(NOW, email="lu@example.com")) == ""
    assert request_for_contact(step(), None) == ""


def test_a_step_that_was_stored_with_a_longer_wait_waits_for_a_year():
    there = step(auto_next_step_id="s1", auto_next_time=LONGEST_WAIT, auto_next_time_unit="d")

    assert wait_in(there) == timedelta(days=365)
