"""Which values are secret, and the marker that stands for them."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vivavoce.domain.secrets import MARKER, Cover, is_secret_header, is_telling
from vivavoce.errors import InvalidInput

from .json_values import leaves, objects, texts

CANARY = "canary-7f3a9c"
TELLING = ["token", "apiKey", "api_key", "Authorization", "password", "key", "x-hub-key", "senha"]

# Names with dots and brackets, as they stand in a location.
names = st.sampled_from([*TELLING, "a", "b", "a.token", "a[0]", "a/token", "~1", "0"]) | texts.filter(
    lambda text: MARKER not in text
)

plain_texts = texts.filter(lambda text: MARKER not in text)
plain_leaves = leaves.filter(lambda leaf: not isinstance(leaf, str) or MARKER not in leaf)


@given(objects(names, leaves=plain_leaves | st.just(CANARY)))
def test_no_value_under_a_telling_name_is_left_in_what_a_reader_sees(config):
    covered = Cover({}).over_json("config", config)

    assert list(readable_secrets(covered)) == []


@given(objects(names, leaves=plain_texts))
def test_a_covered_config_written_back_keeps_every_secret(config):
    first = Cover({})
    covered = first.over_json("config", config)

    second = Cover(first.found)

    assert second.over_json("config", covered) == covered
    assert second.found == first.found


@example({"a": {"token": "one"}, "a.token": "two", "a/token": "three", "a~1token": "four"})
@example({"a": [{"token": "one"}], "a[0]": {"token": "two"}, "a/0": {"token": "three"}})
@given(objects(names, leaves=plain_texts))
def test_each_secret_has_a_location_of_its_own(config):
    cover = Cover({})
    covered = cover.over_json("config", config)

    assert len(cover.found) == json.dumps(covered).count(json.dumps(MARKER))


def test_what_is_not_secret_stays_to_the_letter():
    config = {"url": "https://a", "depth": 3, "list": [1, None, True, "x"], "token": None, "password": ""}

    cover = Cover({})

    assert cover.over_json("config", config) == config
    assert cover.found == {}


def test_a_marker_with_nothing_stored_is_refused_and_says_where_it_stands():
    with pytest.raises(InvalidInput, match=r"marker at config.*token.*none is stored") as refusal:
        Cover({}).over_json("config", {"token": MARKER})

    assert refusal.value.hint == "Write the secret itself."


def test_a_new_secret_takes_the_place_of_the_old_one():
    first = Cover({})
    first.over_json("config", {"token": "old"})

    second = Cover(first.found)
    second.over_json("config", {"token": "new"})

    assert list(second.found.values()) == ["new"]


@given(objects(names, leaves=plain_leaves))
def test_a_secret_of_any_type_is_kept_as_it_is(config):
    first = Cover({})
    covered = first.over_json("config", config)
    second = Cover(json.loads(json.dumps(first.found)))

    assert second.over_json("config", covered) == covered
    assert json.dumps(second.found) == json.dumps(first.found)


@pytest.mark.parametrize("secret", [12345678, 0, 1.5])
def test_a_secret_that_is_no_text_is_covered(secret):
    cover = Cover({})

    assert cover.over_json("config", {"password": secret}) == {"password": MARKER}
    assert cover.found == {"config/password": secret}


@pytest.mark.parametrize("config", [{"maxTokens": 500}, {"max_tokens": 1}, {"requiresAuth": True}])
def test_a_number_of_tokens_and_a_yes_are_no_secrets(config):
    cover = Cover({})

    assert cover.over_json("config", config) == config
    assert cover.found == {}


@pytest.mark.parametrize("name", ["mintToken", "token", "minimal_secret"])
def test_a_name_that_only_begins_like_a_count_still_tells(name):
    assert is_telling(name)


@pytest.mark.parametrize("config", [{"name": MARKER}, {"list": [MARKER]}, {"url": f"https://a?q={MARKER}"}])
def test_a_marker_where_nothing_is_secret_is_refused(config):
    with pytest.raises(InvalidInput, match="nothing is kept secret"):
        Cover({}).over_json("config", config)


def test_a_marker_is_no_part_of_a_secret():
    with pytest.raises(InvalidInput, match="whole secret"):
        Cover({"config/token": CANARY}).over_json("config", {"token": f"Bearer {MARKER}"})


def test_no_marker_is_accepted_where_the_configuration_leads_elsewhere():
    with pytest.raises(InvalidInput, match="another host"):
        Cover({"config/token": CANARY}, leads_elsewhere=True).over_json("config", {"token": MARKER})


def stored_list(*items) -> dict:
    cover = Cover({})
    cover.over_json("config", {"list": list(items)})
    return cover.found


A, B = {"user": "a", "token": "A"}, {"user": "b", "token": "B"}
KEPT_A, KEPT_B = A | {"token": MARKER}, B | {"token": MARKER}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([{"token": "A"}, {"token": "B"}], [{"token": MARKER}]),
        ([{"token": "A"}], [{"token": MARKER}, {"token": MARKER}]),
        ([A, B], [KEPT_A, KEPT_A]),
        ([A, B], [{"user": "c", "token": MARKER}, KEPT_B]),
    ],
)
def test_a_marker_in_a_list_is_refused_when_it_is_unclear_which_secret_it_means(before, after):
    with pytest.raises(InvalidInput, match=r"marker at config/list/\*/token has changed: which secret"):
        Cover(stored_list(*before)).over_json("config", {"list": after})


@pytest.mark.parametrize("after", [[KEPT_B], [KEPT_B, KEPT_A], [{"user": "c", "token": "C"}, KEPT_B]])
def test_items_of_a_list_that_can_be_told_apart_take_their_secrets_along(after):
    cover = Cover(stored_list(A, B))
    cover.over_json("config", {"list": after})

    wanted = {"a": "A", "b": "B", "c": "C"}
    assert sorted(cover.found.values()) == sorted(wanted[item["user"]] for item in after)


def test_an_address_shows_neither_its_password_nor_its_telling_parameters():
    config = {"hook": f"https://a.example/x?q=1&sig={CANARY}#z", "mirror": f"ftp://ana:{CANARY}@b.example"}
    first = Cover({})

    covered = first.over_json("config", config)
    again = Cover(first.found)

    assert covered == {"hook": f"https://a.example/x?q=1&sig={MARKER}#z", "mirror": MARKER}
    assert again.over_json("config", covered) == covered
    assert again.found == first.found


@pytest.mark.parametrize(
    "name",
    [
        *TELLING,
        *("X-Auth", "bearer", "Cookie", "client_secret", "clientSecret", "JWT", "pwd", "session_id"),
        *("X-Signature", "Ocp-Apim-Subscription-Key", "private key", "chave_pix", "ACCESSKEY"),
        *("sig", "SIG", "x-sig", "urlSig", "hmac"),
    ],
)
def test_a_name_that_tells_of_a_secret_is_recognised_in_every_spelling(name):
    assert is_telling(name)


@pytest.mark.parametrize(
    "name", ["url", "orderId", "keyboard", "monkey", "name", "description", "keys", "design", "signal"]
)
def test_a_name_that_tells_of_no_secret_is_left_alone(name):
    assert not is_telling(name)


@pytest.mark.parametrize("name", ["Authorization", "X-Api-Key", "X-Anything", "Host", "cookie"])
def test_a_header_is_secret_unless_it_never_carries_credentials(name):
    assert is_secret_header(name)


@pytest.mark.parametrize("name", ["Content-Type", "content-type", " Accept ", "User-Agent"])
def test_a_header_that_never_carries_credentials_stays_readable(name):
    assert not is_secret_header(name)


def readable_secrets(value, *, telling=False):
    """The values that stand under a telling name and are not the marker."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from readable_secrets(part, telling=telling or is_telling(name))
    elif isinstance(value, list):
        for part in value:
            yield from readable_secrets(part, telling=telling)
    elif telling and value is not None and not isinstance(value, bool) and value not in ("", MARKER):
        yield value
