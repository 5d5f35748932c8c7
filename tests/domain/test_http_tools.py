"""HTTP tools: which requests may be described, and which of their values are secret."""

import json
import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from vivavoce.domain.http.http_tools import HttpConfig
from vivavoce.domain.prompting import PROMPT_VARIABLES
from vivavoce.domain.secrets import MARKER, Cover
from vivavoce.errors import InvalidInput

from .json_values import texts

CANARY = "canary-7f3a9c"
names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,10}", fullmatch=True)
ports = st.integers(1, 65_535)


def config(**more) -> HttpConfig:
    known = {"name": "Get order", "description": "Shows an order.", "url": "https://api.example/orders"}
    return HttpConfig.model_validate({**known, **more})


def from_model(*keys: str) -> list[dict]:
    return [{"key": key, "isUserProvided": True} for key in keys]


# Placeholders


@given(st.lists(names, unique=True, max_size=5), st.sampled_from(["{%s}", ":%s"]), ports)
def test_each_placeholder_is_declared_once_and_nothing_else_is(keys, form, port):
    url = f"http://api.example:{port}/v1/" + "/".join(form % key for key in keys)

    assert [
        variable.key for variable in config(url=url, pathVariables=from_model(*keys)).path_variables
    ] == keys
    for key in set(keys) - PROMPT_VARIABLES:
        with pytest.raises(ValidationError, match="not declared"):
            config(url=url, pathVariables=from_model(*(other for other in keys if other != key)))
    for key in keys:
        with pytest.raises(ValidationError, match="twice"):
            config(url=url, pathVariables=from_model(*keys, key))


@given(names, names)
def test_a_declared_variable_without_a_placeholder_is_refused(used, unused):
    assume(used != unused)

    with pytest.raises(ValidationError, match="not a placeholder"):
        config(url=f"https://api.example/{{{used}}}", pathVariables=from_model(used, unused))


@pytest.mark.parametrize("url", ["https://{shop}.example/{id}", "https://a.example/x?shop={shop}&id={id}"])
def test_braces_mark_a_placeholder_in_any_part_of_the_url(url):
    assert config(url=url, pathVariables=from_model("shop", "id")).url == url


@given(ports)
def test_a_port_is_not_taken_for_a_placeholder(port):
    assert config(url=f"https://api.example:{port}/orders").path_variables == []


@pytest.mark.parametrize(
    "url", ["https://a.example/at/12:30", "https://a.example/x?at=/:id", "https://a.example/{}"]
)
def test_a_colon_or_brace_that_marks_nothing_is_part_of_the_url(url):
    assert config(url=url).url == url


@pytest.mark.parametrize("variable", sorted(PROMPT_VARIABLES))
def test_a_prompt_variable_needs_no_declaration(variable):
    assert config(url=f"https://api.example/{{{variable}}}").path_variables == []


# Addresses


@pytest.mark.parametrize(
    "url",
    [
        *("ftp://a.example", "file:///etc/passwd", "gopher://a.example", "javascript:alert(1)"),
        *("", "//a.example", "a.example/x", "http://", "http:///x", "https://:80/"),
        *("http://ana@a.example", "http://ana:pw@a.example", "http://@a.example", "http://a:80@b.example"),
        *("http://a.example\\@127.0.0.1/", "http://127.0.0.1\t.a.example", "http://a.example/ x"),
        *("http://a.example/\n", "http://a.example/\x00", "http://a.example/\x7f"),
        *("http://a.example/\u200b", "http://a.example/\u2028"),
        *("http://a.example:0/", "http://a.example:65536/", "http://a.example:port/", "http://[::1"),
        # full-width, ideographic, Arabic and circled: resolvers turn them into plain digits, dots, letters
        *("http://\uff11\uff12\uff17.0.0.1/", "http://127\u30020\u30020\u30021/"),
        *("http://127\uff0e0\uff0e0\uff0e1/", "http://\u0661\u0662\u0667.0.0.1/"),
        *("http://\u24d4xample.com", "http://a\u2100b.example"),
    ],
)
def test_an_address_that_programs_read_differently_is_refused(url):
    with pytest.raises(ValidationError, match="url: "):
        config(url=url)


@pytest.mark.parametrize(
    "url",
    [
        *(
            "https://a.example",
            "HTTP://A.EXAMPLE:8443/x?y=z#part",
            "http://127.0.0.1:8000/",
            "http://[::1]:80/",
        ),
        *("https://bücher.example/ü?q=é", "https://пример.example", "https://a.example/a@b"),
    ],
)
def test_a_plain_http_address_is_kept_to_the_letter(url):
    assert config(url=url).url == url
    assert config(url=url).covered(Cover({})).url == url


def test_a_refused_address_is_not_repeated_in_the_error():
    for url in (
        f"http://a:{CANARY}/",
        f"http://{CANARY}\u2100b/",
        f"http://u:{CANARY}@a/",
        f"ftp://{CANARY}",
    ):
        with pytest.raises(ValidationError) as refusal:
            config(url=url)
        assert CANARY not in " ".join(fault["msg"] for fault in refusal.value.errors())


# Parameters


@given(st.lists(texts.filter(bool), min_size=1, max_size=4, unique=True), texts.filter(bool))
def test_a_value_is_one_of_the_accepted_ones(accepted, value):
    parameter = {"key": "size", "acceptedValues": accepted, "isUserProvided": True}

    if value in accepted:
        assert config(body=[{**parameter, "value": value}]).body[0].value == value
    else:
        with pytest.raises(ValidationError, match="acceptedValues"):
            config(body=[{**parameter, "value": value}])
    assert config(body=[parameter]).body[0].value == ""


@pytest.mark.parametrize("section", ["headers", "queryParameters", "body"])
def test_a_fixed_parameter_needs_a_value(section):
    with pytest.raises(ValidationError, match="needs a value"):
        config(**{section: [{"key": "size", "value": ""}]})


def test_a_raw_body_stands_instead_of_fields():
    with pytest.raises(ValidationError, match="instead of body"):
        config(rawBody="{}", body=[{"key": "a", "value": "b"}])


@pytest.mark.parametrize(
    "raw", ["", "{", "{'a': 1}", "[" * 600 + "]" * 600, "[" * 50_000, '{"a": NaN}', '{"a": 1, "a": 2}']
)
def test_a_raw_body_is_json_of_bounded_depth(raw):
    with pytest.raises(ValidationError, match="rawBody: "):
        config(rawBody=raw)


def test_a_raw_body_without_secrets_is_kept_to_the_letter():
    raw = '{"name":  "Ana é", "size": 1.0}'

    assert config(rawBody=raw).covered(Cover({})).raw_body == raw


@pytest.mark.parametrize("method", ["get", "Post", "DELETE"])
def test_a_method_is_written_in_capitals(method):
    assert config(method=method).method == method.upper()


# Secrets

SECRET_PLACES = {
    "a fixed header": {"headers": [{"key": "X-Shop", "value": CANARY}]},
    "a header that the model may set": {
        "headers": [{"key": "Authorization", "value": CANARY, "isUserProvided": True}]
    },
    "a query parameter": {"queryParameters": [{"key": "api_key", "value": CANARY}]},
    "a path variable": {
        "url": "https://a.example/{token}",
        "pathVariables": [{"key": "token", "value": CANARY}],
    },
    "a body field": {"body": [{"key": "password", "value": CANARY}]},
    "the url": {"url": f"https://a.example/x?q=1&access_token={CANARY}&z=2"},
    "a second of the same name": {
        "url": f"https://a.example/x?token=one&token={CANARY}",
        "headers": [{"key": "X-A", "value": "one"}, {"key": "X-A", "value": CANARY}],
    },
    "the url, percent-encoded": {"url": f"https://a.example/x?client%5Fsecret={CANARY}%ff"},
    "a raw body": {"rawBody": json.dumps({"login": {"password": CANARY}, "list": [{"token": CANARY}]})},
    "a raw body's list": {"rawBody": json.dumps({"tokens": [CANARY]})},
    "a nested field": {
        "body": [
            {
                "key": "login",
                "isUserProvided": True,
                "type": "object",
                "properties": {"password": {"type": "string", "value": CANARY}},
            }
        ]
    },
    **{
        f"the {word} of a nested field": {
            "body": [
                {
                    "key": "login",
                    "isUserProvided": True,
                    "properties": {
                        "password": {"type": "string", word: [CANARY] if word == "enum" else CANARY}
                    },
                }
            ]
        }
        for word in ("default", "const", "enum", "example", "pattern")
    },
    "an alternative of a nested field": {
        "body": [{"key": "auth", "isUserProvided": True, "properties": {"x": {"anyOf": [{"const": CANARY}]}}}]
    },
    "a signature in the url": {"url": f"https://a.example/x?sv=2024&sig={CANARY}"},
    "an address in a raw body": {"rawBody": json.dumps({"callback": f"https://b.example/x?token={CANARY}"})},
    "a field nested in a telling one": {
        "body": [
            {
                "key": "auth",
                "isUserProvided": True,
                "type": "array",
                "items": {"type": "object", "properties": {"user": {"type": "string", "value": CANARY}}},
            }
        ]
    },
}


@pytest.mark.parametrize("place", SECRET_PLACES)
def test_a_secret_is_covered_wherever_it_stands_and_comes_back_by_its_marker(place):
    first = Cover({})
    covered = config(**SECRET_PLACES[place]).covered(first)

    assert CANARY not in covered.model_dump_json()
    assert any(CANARY in secret for secret in first.found.values())

    again = Cover(first.found)
    written_back = HttpConfig.model_validate(covered.model_dump(mode="json"))
    assert written_back.covered(again) == covered
    assert again.found == first.found


keys = st.sampled_from(["Authorization", "token", "X-Api-Key", "plain", "a/b", "a~1b", "a#2", "Content-Type"])
values = st.text(string.ascii_letters + string.digits + "é/~#. ", min_size=1, max_size=12)
parameters = st.lists(st.builds(lambda key, value: {"key": key, "value": value}, keys, values), max_size=6)
queries = st.lists(
    st.tuples(
        st.sampled_from(["token", "q", "api_key", "a.b"]), st.from_regex("[a-z0-9%+]{1,8}", fullmatch=True)
    ),
    max_size=5,
)


@given(parameters, parameters, parameters, queries)
def test_any_request_read_and_written_back_keeps_its_secrets(headers, query, body, in_url):
    url = "https://a.example/x?" + "&".join(f"{key}={value}" for key, value in in_url)
    first = Cover({})
    covered = config(url=url, headers=headers, queryParameters=query, body=body).covered(first)

    again = Cover(first.found)
    written_back = HttpConfig.model_validate(covered.model_dump(mode="json"))

    assert written_back.covered(again) == covered
    assert again.found == first.found
    assert len(first.found) == covered.model_dump_json().count(MARKER)


def test_what_is_not_secret_stays_readable():
    readable = {
        "url": "https://a.example/{id}?q=x&token={id}",
        "headers": [{"key": "Content-Type", "value": "application/json"}],
        "pathVariables": from_model("id"),
        "queryParameters": [{"key": "page", "value": "1"}],
        "body": [
            {"key": "token", "isUserProvided": True, "description": "Ask for it."},
            {
                "key": "size",
                "isUserProvided": True,
                "properties": {"unit": {"type": "string", "value": "cm"}},
            },
            {
                "key": "auth",
                "isUserProvided": True,
                "properties": {"user": {"type": "string", "description": "Who.", "isUserProvided": True}},
            },
        ],
    }
    cover = Cover({})

    assert config(**readable).covered(cover) == config(**readable)
    assert cover.found == {}


def test_a_secret_mixed_with_a_placeholder_in_the_url_is_refused():
    with pytest.raises(ValidationError, match="queryParameters"):
        config(url="https://a.example/x?token=abc{id}", pathVariables=from_model("id"))


@pytest.mark.parametrize("choices", ["acceptedValues", "enum"])
@pytest.mark.parametrize(
    ("section", "key"),
    [("headers", "Authorization"), ("headers", "X-Shop"), ("body", "password"), ("queryParameters", "sig")],
)
def test_a_secret_has_no_choices_that_would_show_it(section, key, choices):
    with pytest.raises(ValidationError, match="acceptedValues and no enum"):
        config(**{section: [{"key": key, "value": CANARY, choices: [CANARY]}]})


def test_a_number_in_a_raw_body_is_covered_and_comes_back_as_a_number():
    first = Cover({})
    covered = config(rawBody='{"password": 12345678, "size": 1}').covered(first)

    assert covered.raw_body == json.dumps({"password": MARKER, "size": 1})
    assert list(first.found.values()) == [12345678]


@pytest.mark.parametrize(
    "change",
    [
        {"headers": [{"key": "X-Shop", "value": MARKER, "isUserProvided": True}]},
        {"queryParameters": [{"key": "page", "value": MARKER}]},
        {"body": [{"key": "size", "isUserProvided": True, "enum": [MARKER]}]},
        {"body": [{"key": "size", "isUserProvided": True, "properties": {"x": {"default": MARKER}}}]},
        {"url": f"https://api.example/x?q={MARKER}"},
        {"rawBody": json.dumps({"name": MARKER})},
    ],
)
def test_the_marker_never_becomes_a_value(change):
    stored = Cover({})
    config(headers=[{"key": "X-Shop", "value": CANARY}]).covered(stored)

    with pytest.raises(InvalidInput, match="nothing is kept secret"):
        config(**change).covered(Cover(stored.found))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            {"headers": [{"key": "X-A", "value": "A"}, {"key": "X-A", "value": "B"}]},
            {"headers": [{"key": "X-A", "value": MARKER}]},
        ),
        ({"url": "https://a.example/?token=A&token=B"}, {"url": f"https://a.example/?token={MARKER}"}),
        ({"rawBody": '[{"token": "A"}, {"token": "B"}]'}, {"rawBody": json.dumps([{"token": MARKER}])}),
    ],
)
def test_a_marker_does_not_take_the_secret_of_one_that_was_removed(before, after):
    stored = Cover({})
    config(**before).covered(stored)

    with pytest.raises(InvalidInput, match="Write the secret itself"):
        config(**after).covered(Cover(stored.found))
