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
names = st.sampled_from([*TELLING, "a", "b", "a.token", "a[0]", "a/token", "~1", "0"]) | texts


@given(objects(names, leaves=leaves | st.just(CANARY)))
def test_no_text_under_a_telling_name_is_left_in_what_a_reader_sees(config):
    covered = Cover({}).over_json("config", config)

    assert list(readable_secrets(covered)) == []


@given(objects(names, leaves=texts.filter(lambda text: text != MARKER)))
def test_a_covered_config_written_back_keeps_every_secret(config):
    first = Cover({})
    covered = first.over_json("config", config)

    second = Cover(first.found)

    assert second.over_json("config", covered) == covered
    assert second.found == first.found


@example({"a": {"token": "one"}, "a.token": "two", "a/token": "three", "a~1token": "four"})
@example({"a": [{"token": "one"}], "a[0]": {"token": "two"}, "a/0": {"token": "three"}})
@given(objects(names, leaves=texts.filter(lambda text: text != MARKER)))
def test_each_secret_has_a_location_of_its_own(config):
    cover = Cover({})
    covered = cover.over_json("config", config)

    assert len(cover.found) == json.dumps(covered).count(json.dumps(MARKER))


def test_what_is_not_secret_stays_to_the_letter():
    config = {"url": "https://a", "depth": 3, "list": [1, None, True, "x"], "token": 12, "password": ""}

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


@pytest.mark.parametrize(
    "name",
    [
        *TELLING,
        *("X-Auth", "bearer", "Cookie", "client_secret", "clientSecret", "JWT", "pwd", "session_id"),
        *("X-Signature", "Ocp-Apim-Subscription-Key", "private key", "chave_pix", "ACCESSKEY"),
    ],
)
def test_a_name_that_tells_of_a_secret_is_recognised_in_every_spelling(name):
    assert is_telling(name)


@pytest.mark.parametrize("name", ["url", "orderId", "keyboard", "monkey", "name", "description", "keys"])
def test_a_name_that_tells_of_no_secret_is_left_alone(name):
    assert not is_telling(name)


@pytest.mark.parametrize("name", ["Authorization", "X-Api-Key", "X-Anything", "Host", "cookie"])
def test_a_header_is_secret_unless_it_never_carries_credentials(name):
    assert is_secret_header(name)


@pytest.mark.parametrize("name", ["Content-Type", "content-type", " Accept ", "User-Agent"])
def test_a_header_that_never_carries_credentials_stays_readable(name):
    assert not is_secret_header(name)


def readable_secrets(value, *, telling=False):
    """The texts that stand under a telling name and are not the marker."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from readable_secrets(part, telling=telling or is_telling(name))
    elif isinstance(value, list):
        for part in value:
            yield from readable_secrets(part, telling=telling)
    elif telling and isinstance(value, str) and value not in ("", MARKER):
        yield value
