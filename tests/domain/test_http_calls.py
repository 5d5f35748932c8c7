"""The request of an HTTP tool: every value stays in its own place, and secrets come in last."""

import json
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.http.http_arguments import read_arguments, schema_of
from vivavoce.domain.http.http_calls import call_of, shown_call
from vivavoce.domain.http.http_tools import HttpConfig
from vivavoce.domain.http.masking import covered_text, masked
from vivavoce.domain.secrets import MARKER, Cover
from vivavoce.errors import InvalidInput

VARIABLES = {"conversation-id": "c1", "user-email": "ana@example.com", "user-name": "Ana {x}"}
SECRET = "s3cr3t-canary-9f"


def a_config(**more: Any) -> HttpConfig:
    known = {"name": "Tool", "description": "Does it.", "url": "https://api.example/x"}
    return HttpConfig.model_validate({**known, **more})


def supplied(key: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "isUserProvided": True, **more}


def fixed(key: str, value: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "value": value, **more}


def kept(config: HttpConfig) -> tuple[HttpConfig, dict[str, Any]]:
    """The config as it is stored, and its secrets."""
    cover = Cover({})
    stored = config.covered(cover).model_dump(mode="json", exclude_none=True)
    return HttpConfig.model_validate(stored), cover.found


# What the model is told to supply


def test_the_schema_asks_for_what_the_model_supplies_and_for_nothing_else():
    config = a_config(
        url="https://api.example/{id}",
        method="POST",
        pathVariables=[supplied("id", description="The order.")],
        headers=[fixed("X-Key", "abc"), supplied("X-Lang")],
        queryParameters=[supplied("sort", acceptedValues=["up", "down"]), supplied("page", value="1")],
        body=[supplied("attendee.name"), supplied("count", type="integer"), fixed("kind", "a")],
    )

    assert schema_of(config) == {
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": "The order."},
            "sort": {"type": "string", "enum": ["up", "down"]},
            "page": {"type": "string"},
            "X-Lang": {"type": "string"},
            "attendee.name": {"type": "string"},
            "count": {"type": "integer"},
        },
        "required": ["id", "sort", "X-Lang", "attendee.name", "count"],
        "additionalProperties": False,
    }


def test_nested_fields_become_a_nested_schema_without_their_constants():
    guest = {
        "name": {"type": "string", "description": "Who."},
        "age": {"type": "integer", "required": False},
        "kind": {"type": "string", "value": "vip"},
    }
    config = a_config(
        method="POST", body=[supplied("guests", type="array", items={"type": "object", "properties": guest})]
    )

    assert schema_of(config)["properties"]["guests"] == {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"name": {"type": "string", "description": "Who."}, "age": {"type": "integer"}},
            "required": ["name"],
            "additionalProperties": False,
        },
    }
    assert call_of(config, {"guests": [{"name": "Bo"}]}, {}).body == {
        "guests": [{"name": "Bo", "kind": "vip"}]
    }


def test_arguments_of_one_name_and_names_that_no_provider_takes_stay_apart():
    config = a_config(
        url="https://api.example/{id}",
        pathVariables=[supplied("id")],
        queryParameters=[supplied("id"), supplied("filter[größe]")],
    )

    assert list(schema_of(config)["properties"]) == ["id", "id_query", "filter_groe"]
    url = call_of(config, {"id": "1", "id_query": "2", "filter_groe": "3"}, {}).url
    assert url == "https://api.example/1?id=2&filter%5Bgr%C3%B6%C3%9Fe%5D=3"


SCHEMA = schema_of(
    a_config(
        method="POST",
        body=[
            supplied("a"),
            supplied("n", type="integer", value="1"),
            supplied("level", value="low", acceptedValues=["low", "high"]),
            supplied("o", value="x", type="object", properties={"p": {"type": "boolean"}}),
        ],
    )
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "no JSON"),
        ("[]", "must be of type object"),
        ("[" * 100_000, "no JSON"),
        ('{"a": NaN}', "no JSON"),
        ('{"a": "\\ud800"}', "no JSON"),
        ("{}", "a: is missing"),
        ('{"a": 1}', "a: must be of type string"),
        ('{"a": null}', "a: must be of type string"),
        ('{"a": "x", "n": true}', "n: must be of type integer"),
        ('{"a": "x", "n": 1.5}', "n: must be of type integer"),
        ('{"a": "x", "b": "y"}', "b: is not an argument"),
        ('{"a": "x", "level": "HIGH"}', 'level: must be one of ["low", "high"]'),
        ('{"a": "x", "o": {"p": true, "q": 1}}', "o.q: is not an argument"),
        ('{"a": "x", "o": {"p": "yes"}}', "o.p: must be of type boolean"),
        ('{"a": "' + "x" * 100_001 + '"}', "longer than"),
    ],
)
def test_arguments_outside_the_schema_are_refused_by_name(text, told):
    with pytest.raises(InvalidInput) as refused:
        read_arguments(text, SCHEMA)

    assert told in refused.value.message


# Where values go


HOSTILE = [
    "a/b",
    "a?b=c",
    "a#b",
    "@evil.example",
    "https://evil.example/",
    "{user-email}",
    "%2e%2e%2f",
    "a;b",
    "a b",
    "\r\nHost: evil",
    "ü",
    ":x",
]


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("url", ["https://api.example/o/{id}/end", "https://api.example/o/:id/end"])
def test_a_value_stays_in_its_segment_of_the_path(url, value):
    config = a_config(url=url, pathVariables=[supplied("id")])

    made = urlsplit(call_of(config, {"id": value}, VARIABLES).url)

    assert (made.netloc, made.query, made.fragment) == ("api.example", "", "")
    assert [unquote(part) for part in made.path.split("/")] == ["", "o", value, "end"]


@pytest.mark.parametrize("value", ["..", ".", "", "../x", "a/../../x", "..\\x", "a\\..\\b"])
def test_a_value_that_would_lead_to_another_path_is_refused(value):
    config = a_config(url="https://api.example/o/{id}/end", pathVariables=[supplied("id")])

    with pytest.raises(InvalidInput):
        call_of(config, {"id": value}, VARIABLES)


def test_two_values_beside_each_other_make_no_step_upwards():
    config = a_config(url="https://api.example/o/{a}{b}/", pathVariables=[supplied("a"), supplied("b")])

    with pytest.raises(InvalidInput):
        call_of(config, {"a": ".", "b": "."}, {})


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_no_value_changes_another_part_of_the_address(value):
    config = a_config(
        url="https://api.example/{id}?x={id}&fixed=1",
        pathVariables=[supplied("id")],
        queryParameters=[supplied("q")],
    )
    try:
        made = urlsplit(call_of(config, {"id": value, "q": value}, VARIABLES).url)
    except InvalidInput:
        assert ".." in value or value == "."
        return

    assert (made.scheme, made.netloc, made.fragment) == ("https", "api.example", "")
    assert unquote(made.path) == f"/{value}"
    pairs = parse_qsl(made.query, keep_blank_values=True)
    assert pairs == [("x", value), ("fixed", "1"), ("q", value)]


def test_a_host_is_chosen_from_what_the_operator_listed():
    config = a_config(
        url="https://{shop}.example/x", pathVariables=[supplied("shop", acceptedValues=["one", "two"])]
    )

    assert call_of(config, {"shop": "two"}, {}).url == "https://two.example/x"


@pytest.mark.parametrize(
    "variables", [[supplied("shop")], [supplied("shop", value="one")], [fixed("shop", "{user-email}")]]
)
def test_a_host_that_is_not_fixed_is_never_called(variables):
    config = a_config(url="https://{shop}.example/x", pathVariables=variables)

    with pytest.raises(InvalidInput, match="host"):
        call_of(config, {"shop": "evil.example/"} if variables[0].get("isUserProvided") else {}, VARIABLES)


@pytest.mark.parametrize("section", ["queryParameters", "headers", "body"])
def test_a_host_comes_from_its_own_variable_alone(section):
    for variable in (
        fixed("host", "good.example"),
        supplied("host", acceptedValues=["good.example", "b.example"]),
    ):
        others = {section: [supplied("host")], "method": "POST"}
        config = a_config(url="https://{host}/x", pathVariables=[variable], **others)
        arguments = dict.fromkeys(schema_of(config)["properties"], "evil.example")
        if len(arguments) == 2:
            arguments["host"] = "good.example"
        assert urlsplit(call_of(config, arguments, VARIABLES).url).hostname == "good.example"


def test_a_host_that_is_not_listed_is_refused_whoever_checked_it():
    variable = supplied("host", acceptedValues=["a.example"])
    config = a_config(url="https://{host}/x", pathVariables=[variable])

    with pytest.raises(InvalidInput):
        call_of(config, {"host": "evil.example"}, VARIABLES)


def test_a_prompt_variable_never_makes_a_host():
    with pytest.raises(InvalidInput, match="host"):
        call_of(a_config(url="https://{user-email}/x"), {}, VARIABLES)


def test_a_fixed_query_parameter_overrides_the_one_in_the_address():
    config = a_config(
        url="https://api.example/x?page=1&size=5&q={q}",
        pathVariables=[supplied("q", value="none")],
        queryParameters=[fixed("page", "9"), supplied("q")],
    )

    assert call_of(config, {"q_query": "a&b"}, {}).url == "https://api.example/x?size=5&page=9&q=a%26b"


def test_prompt_variables_are_filled_in_constants_and_encoded_in_the_address():
    config = a_config(
        url="https://api.example/{user-email}/{who}",
        pathVariables=[fixed("who", "{user-name}/x")],
        queryParameters=[
            fixed("mail", "{user-email}"),
            fixed("step", "-{step-name}-"),
            fixed("odd", "{zzz}"),
        ],
        headers=[fixed("X-Mail", "{user-email}")],
        body=[fixed("by", "{user-name}")],
        method="POST",
    )

    made = call_of(config, {}, VARIABLES)

    assert urlsplit(made.url).path == "/ana%40example.com/Ana%20%7Bx%7D%2Fx"
    assert parse_qsl(urlsplit(made.url).query) == [
        ("mail", "ana@example.com"),
        ("step", "--"),
        ("odd", "{zzz}"),
    ]
    assert made.headers["X-Mail"] == "ana@example.com"
    assert made.body == {"by": "Ana {x}"}


def test_an_address_is_not_called_without_a_variable_that_it_needs():
    with pytest.raises(InvalidInput, match="user-email"):
        call_of(a_config(url="https://api.example/{user-email}"), {}, {})


def test_what_a_model_supplies_is_never_read_as_a_template():
    config = a_config(
        url="https://api.example/x",
        method="POST",
        headers=[supplied("X-A")],
        queryParameters=[supplied("b")],
        body=[supplied("c")],
    )
    template = "{user-email}"

    made = call_of(config, {"X-A": template, "b": template, "c": template}, VARIABLES)

    assert "ana" not in json.dumps(made.shown())


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\x00b", "\x7f"])
def test_a_header_is_one_line(value):
    with pytest.raises(InvalidInput, match="one line"):
        call_of(a_config(headers=[supplied("X-A")]), {"X-A": value}, {})


def test_the_conversation_is_named_in_a_header_that_nothing_overrides():
    made = call_of(a_config(headers=[supplied("ConversationId")]), {"ConversationId": "c2"}, VARIABLES)

    assert made.headers == {"conversationid": "c1"}


def test_dotted_keys_are_nested_and_types_are_kept():
    config = a_config(
        method="POST",
        body=[
            supplied("attendee.name"),
            fixed("attendee.vip", "true", type="boolean"),
            fixed("size", "12", type="number"),
            fixed("code", "12"),
            supplied("ids", type="array", items={"type": "integer"}),
        ],
    )

    made = call_of(config, {"attendee.name": 'A"}', "ids": [1, 2]}, VARIABLES)

    assert json.loads(made.content or b"") == {
        "attendee": {"name": 'A"}', "vip": True},
        "size": 12,
        "code": "12",
        "ids": [1, 2],
    }
    assert made.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("turned", [False, True])
def test_constants_win_over_what_is_supplied_and_leave_it_unchanged(turned):
    body = [supplied("guest", type="object"), fixed("guest.kind", "vip"), fixed("guest.room.no", "7")]
    config = a_config(method="POST", body=body[::-1] if turned else body)
    arguments = {"guest": {"name": "Ana", "kind": "king", "room": {"no": "1", "view": "sea"}}}
    before = json.dumps(arguments)

    call = call_of(config, arguments, VARIABLES)

    assert call.body == {"guest": {"name": "Ana", "kind": "vip", "room": {"no": "7", "view": "sea"}}}
    assert json.dumps(arguments) == before


@pytest.mark.parametrize("turned", [False, True])
def test_a_value_where_fields_are_needed_is_refused(turned):
    body = [supplied("guest"), fixed("guest.kind", "vip")]
    config = a_config(method="POST", body=body[::-1] if turned else body)

    with pytest.raises(InvalidInput, match="needs fields"):
        call_of(config, {"guest": "Ana"}, VARIABLES)


def test_what_a_telling_name_has_is_covered_where_it_is_shown():
    config = a_config(
        method="POST",
        headers=[supplied("X-Token")],
        queryParameters=[supplied("apiKey"), supplied("page")],
        body=[
            supplied("login", type="object"),
            supplied("token_kind", acceptedValues=["a", "b"]),
            supplied("auth", type="object"),
        ],
    )
    arguments = {
        "X-Token": "s1",
        "apiKey": "s2",
        "page": "3",
        "login": {"user": "ana", "password": "s4", "has_password": True},
        "token_kind": "a",
        "auth": {"deep": ["s5", None]},
    }

    shown = shown_call(config, arguments, VARIABLES)

    assert shown["url"] == "https://api.example/x?apiKey=********&page=3"
    assert shown["headers"]["X-Token"] == MARKER
    assert shown["body"] == {
        "login": {"user": "ana", "password": MARKER, "has_password": True},
        "token_kind": "a",
        "auth": {"deep": [MARKER, None]},
    }


def test_a_value_that_cannot_be_sent_is_not_hidden_behind_its_cover():
    config = a_config(url="https://api.example/{token}", pathVariables=[supplied("token")])

    with pytest.raises(InvalidInput):
        shown_call(config, {"token": "../admin"}, VARIABLES)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"a":1}', '{"a":1}'),
        ("", ""),
        ('{"pwd": "x", "a": 1}', '{"pwd": "********", "a": 1}'),
        ('{"pwd": "x", ', MARKER),
        ('{"a": "x", ', '{"a": "x", '),
        ("[" * 100_000, "[" * 100_000),
    ],
)
def test_arguments_are_covered_as_a_model_wrote_them(text, shown):
    assert covered_text(text) == shown


def test_a_raw_body_is_filled_in_its_texts_alone():
    raw = {"text": "Hi {user-email}: {message}", "id": "{id}", "n": 1, "k": ["{message}"], "odd": "{ x }"}
    config = a_config(
        url="https://api.example/{id}",
        method="POST",
        pathVariables=[supplied("id")],
        rawBody=json.dumps(raw),
    )
    assert list(schema_of(config)["properties"]) == ["id", "message"]

    made = call_of(config, {"id": "7", "message": '", "admin": "{user-email}'}, VARIABLES)

    assert made.body == {
        "text": 'Hi ana@example.com: ", "admin": "{user-email}',
        "id": "7",
        "n": 1,
        "k": ['", "admin": "{user-email}'],
        "odd": "{ x }",
    }


# Secrets


def secretive(**more: Any) -> HttpConfig:
    return a_config(
        **{
            "url": f"https://api.example/{{id}}?access_token={SECRET}",
            "method": "POST",
            "pathVariables": [supplied("id")],
            "headers": [fixed("Authorization", f"Bearer {SECRET}")],
            "queryParameters": [fixed("apiKey", SECRET)],
            "body": [
                fixed("password", SECRET),
                supplied(
                    "login",
                    type="object",
                    properties={"user": {"type": "string"}, "token": {"type": "string", "value": SECRET}},
                ),
            ],
            **more,
        }
    )


def test_secrets_are_put_in_where_their_markers_stand():
    config, secrets = kept(secretive())
    given_ = {"id": "1", "login": {"user": "ana"}}

    shown, sent = call_of(config, given_, {}), call_of(config, given_, {}, secrets)

    assert SECRET not in json.dumps(shown.shown())
    assert shown.url == f"https://api.example/1?access_token={MARKER}&apiKey={MARKER}"
    assert sent.url == f"https://api.example/1?access_token={SECRET}&apiKey={SECRET}"
    assert sent.headers["Authorization"] == f"Bearer {SECRET}"
    assert sent.body == {"password": SECRET, "login": {"user": "ana", "token": SECRET}}


def test_secrets_of_a_raw_body_are_put_in_too():
    raw = {"auth": {"token": SECRET}, "items": [{"apiKey": SECRET, "n": 1}], "text": "{message}"}
    config, secrets = kept(a_config(method="POST", rawBody=json.dumps(raw)))

    assert SECRET not in json.dumps(call_of(config, {"message": "hi"}, {}).shown())
    assert call_of(config, {"message": "hi"}, {}, secrets).body == {**raw, "text": "hi"}


def test_a_marker_from_a_model_stands_for_nothing():
    config, secrets = kept(secretive())

    sent = call_of(config, {"id": MARKER, "login": {"user": MARKER}}, {}, secrets)

    assert sent.url.startswith(f"https://api.example/{MARKER}?")
    assert sent.body["login"]["user"] == MARKER


def test_a_tool_that_lost_its_secret_is_not_called():
    config, _ = kept(secretive())

    with pytest.raises(InvalidInput, match="secret of this tool is missing"):
        call_of(config, {"id": "1", "login": {"user": "ana"}}, {}, {})


@pytest.mark.parametrize(
    "said",
    [
        f"token={SECRET}",
        SECRET.upper(),
        "x" + SECRET + "x",
        "czNjcjN0LWNhbmFyeS05Zg==",
        SECRET.encode().hex(),
        'a\\"b\\u00fc',
        "p%40ss%2Fword",
        "user: p@ss/word",
    ],
)
def test_a_secret_that_comes_back_is_masked_in_every_spelling(said):
    basic = "Basic dXNlcjpwQHNzL3dvcmQ="  # user:p@ss/word
    secrets = [f"Bearer {SECRET}", 'a"bü', "p@ss/word", basic]

    assert MARKER in masked(said, secrets)


def test_words_that_only_resemble_a_secret_are_left():
    text = "main remains; abcdefg"

    assert masked(text, ["main", "abc", "", None, True, "{user-email}"]) == f"{MARKER} remains; abcdefg"
