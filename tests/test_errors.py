"""Errors are one line, carry the cure, and never a key."""

from __future__ import annotations

import base64
import html
import json
import random
import re
import string
from typing import NamedTuple
from urllib.parse import quote, quote_plus

import pytest

from steelyard.errors import InputError, Refused, SteelyardError, boundary, one_line, refuse_secret
from steelyard.secrets import redact, scrub, treat_as_secret


def test_an_error_is_one_line_with_its_cure() -> None:
    error = InputError("two\nlines   of\ttext", cure="do this")
    assert str(error) == "two lines of text (do this)"


def test_the_answer_no_ends_in_1_and_everything_else_in_2() -> None:
    assert (SteelyardError.exit_code, InputError.exit_code, Refused.exit_code) == (2, 2, 1)


def test_values_of_key_variables_do_not_appear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_API_KEY", "very-secret-value-123")
    assert "very-secret" not in str(InputError("sent very-secret-value-123 to the server"))
    assert redact("very-secret-value-123") == "[ACME_API_KEY]"


@pytest.mark.parametrize("before", range(570, 602, 4))
def test_no_part_of_a_key_is_left_where_a_message_is_cut(before: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_API_KEY", "very-secret-value-123")
    text = "x" * before + " very-secret-value-123 " + "y" * 600
    assert "very" not in str(InputError(text))
    with pytest.raises(InputError) as caught, boundary(InputError, "asking"):
        raise ValueError(text)
    assert "very" not in str(caught.value)


def drawn(length: int) -> str:
    """Letters and digits as a machine draws them: a key has no words in it."""
    return "".join(random.Random(length).choices(string.ascii_letters + string.digits, k=length))


LETTERS = "".join(letter for letter in drawn(100) if letter.isalpha())


@pytest.mark.parametrize(
    "text",
    [
        f"sk-{drawn(30)}",
        f"sk-ant-api03-{drawn(93)}AA",
        f"sk-proj-{drawn(58)}",
        f"ghp_{drawn(36)}",
        f"github_pat_{drawn(82)}",
        f"glpat-{drawn(20)}",
        f"xoxb-{'1234567890'}-{'9876543210'}-{drawn(24)}",
        f"AIza{drawn(35)}",
        f"hf_{LETTERS[:34]}",
        f"npm_{drawn(36).lower()}",
        f"eyJ{drawn(20)}.eyJ{drawn(21)}.{drawn(22)}",
        f"gsk_{drawn(52)}",
        f"xai-{drawn(80)}",
        f"nvapi-{drawn(64)}",
        f"pypi-AgEIcHlwaS5vcmc{drawn(60)}",
        f"dckr_pat_{drawn(27)}",
        f"SG.{drawn(22)}.{drawn(43)}",
        f"xapp-1-A0-1-{drawn(64).lower()}",
        f"hvs.{drawn(95)}",
        f"ya29.{drawn(60)}",
        f"sb_secret_{drawn(30)}",
        f"sk_test_{drawn(24)}",
        "AKIAQW4ZX7PLM2RT6VKD",
        "ASIAQW4ZX7PLM2RT6VKD",
    ],
)
def test_what_is_shaped_like_a_key_does_not_appear(text: str) -> None:
    assert redact(f"header {text} body") == "header [redacted] body"


def test_a_name_beside_a_value_makes_no_key_of_it_in_a_message() -> None:
    text = f"cache_key: {drawn(20)}"  # only what is validated is judged by names
    assert redact(text) == text


class Address(NamedTuple):
    """Like aiohttp's, which is an argument of its errors."""

    host: str
    port: int


def test_an_exception_with_a_named_tuple_is_scrubbed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRANGE_API_KEY", "k-123456789")
    scrub(error := RuntimeError(Address("k-123456789.example", 443)))
    assert error.args == (Address("[STRANGE_API_KEY].example", 443),)


def test_an_exception_is_scrubbed_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_API_KEY", "very-secret-value-123")

    class Refusal(Exception):
        def __init__(self, message: str) -> None:
            super().__init__(message)
            self.message, self.body = message, {"error": [message, 401]}

    error = Refusal("no: very-secret-value-123")
    error.__cause__ = ValueError("sent very-secret-value-123")
    error.__cause__.__context__ = error  # a ring is no endless loop
    scrub(error)
    assert str(error) == error.message == "no: [ACME_API_KEY]"
    assert error.body == {"error": ["no: [ACME_API_KEY]", 401]}
    assert str(error.__cause__) == "sent [ACME_API_KEY]"


def test_short_values_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORT_KEY", "name")  # a word, not a secret: blanking it would mangle every text
    assert redact("sorted by name") == "sorted by name"


@pytest.mark.parametrize("value", ["very-secret-value-123", {"header": ["Bearer very-secret-value-123"]}])
def test_an_argument_that_holds_a_secret_is_refused(monkeypatch: pytest.MonkeyPatch, value: object) -> None:
    monkeypatch.setenv("ACME_API_KEY", "very-secret-value-123")
    with pytest.raises(InputError, match="the secret in ACME_API_KEY") as caught:
        refuse_secret("foo", value)
    assert "very-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("base_url", "//ann:word@host/v1"),
        ("base_url", "https%3A%2F%2Fann%3Aword%40host"),
        ("base_url", "https://host/?access_token%3Dabc"),
        ("base_url", "https://host/v1?k=abcd1234efgh5678"),
        ("base_url", "https://host/v1;jsessionid=abc"),
        ("base_url", "https://host/?X-Amz-Signature=abc"),
        ("base_url", "https://host/?pwd=x"),
        ("extra_query", {"key": "abc"}),
        ("extra_query", {"code": "abc"}),
        ("extra_body", {"auth": {"value": "abc"}}),
        ("license_key", "x"),
        ("otp", "123456"),
    ],
)
def test_more_arguments_that_hold_a_secret(name: str, value: object) -> None:
    with pytest.raises(InputError, match=f"the argument {name} contains"):
        refuse_secret(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("base_url", "https://host:443/v1?api-version=2024-06-01-preview&region=eu#top"),
        ("tokenizer_config", {"pad_token": "<pad>", "eos_token": "</s>"}),
        ("api_key_env", "OTHER_KEY"),
        ("prompt_cache_key", "run1"),
        ("model_path", "/models/x@v2"),
    ],
)
def test_arguments_that_only_sound_like_secrets_are_usable(name: str, value: object) -> None:
    refuse_secret(name, value)


def test_an_argument_shaped_like_a_key_is_refused_and_an_ordinary_one_is_not() -> None:
    with pytest.raises(InputError, match="looks like a key"):
        refuse_secret("foo", f"sk-{drawn(30)}")
    for ordinary in ("high", 5, True, None, {"effort": "low"}):
        refuse_secret("foo", ordinary)


def test_boundary_names_what_was_done_and_keeps_ours() -> None:
    with pytest.raises(InputError, match="reading x: bad value") as caught, boundary(InputError, "reading x"):
        raise ValueError("bad\nvalue")
    assert isinstance(caught.value.__cause__, ValueError)
    with pytest.raises(Refused), boundary(InputError, "reading x"):
        raise Refused("no")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError(2, "No such file or directory", "a.md"), "cannot read a.md: No such file or directory"),
        (IsADirectoryError(21, "Is a directory", 5), "cannot read a.md: Is a directory"),
        (NotADirectoryError(20, "Not a directory", "b"), "cannot read a.md: Not a directory: b"),
        (UnicodeDecodeError("utf-8", b"K\xe4se", 1, 2, "x"), "cannot read a.md: it is not UTF-8 text: byte 2 is 0xe4"),
    ],
)
def test_boundary_says_what_the_system_said_in_words(error: Exception, said: str) -> None:
    with pytest.raises(InputError) as caught, boundary(InputError, "cannot read a.md"):
        raise error
    assert str(caught.value) == said


def test_boundary_removes_the_markup_of_inspect() -> None:
    from inspect_ai.model import get_model

    text = "[bold]ERROR[/bold]: Some API requires [bold blue]it[/]. Install with:\n\n[bold]pip install some[/bold]"
    with pytest.raises(InputError) as caught, boundary(InputError, "starting"):
        raise ValueError(text)
    assert str(caught.value) == "starting: Some API requires it. Install with: pip install some"
    with pytest.raises(InputError, match=r"^x: .*API") as caught, boundary(InputError, "x"):
        get_model("groq/x")  # a provider whose package the tests do not install, or whose key is missing
    assert "[" not in str(caught.value)
    with pytest.raises(InputError, match=r"^x: \[a b\]$"), boundary(InputError, "x"):
        raise ValueError("[a b]")


def test_boundary_lets_interrupts_through() -> None:
    with pytest.raises(KeyboardInterrupt), boundary(InputError, "reading x"):
        raise KeyboardInterrupt


def test_a_long_message_is_cut() -> None:
    assert len(one_line("x" * 5000)) == 600


def test_retries_in_vain_are_named_by_what_remained() -> None:
    said = {one_line(f"RetryError(<Future at 0x7f{n}c2 state=finished raised RateLimitError>)") for n in range(3)}
    assert said == {"RateLimitError, also after all retries"}


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("base_url", "https://ann:pw@host/v1", "a user name or a password"),
        ("base_url", "https://host/v1?api_key=abc", "a key in it"),
        ("default_headers", {"X-Team": "blue"}, "default_headers.X-Team"),
        ("extra_body", {"authorization": "Basic abc"}, "extra_body.authorization"),
        ("client", {"http": [{"password": "abc"}]}, "client.http.password"),
        ("extra_body", {"api-key": "abc"}, "extra_body.api-key"),
        ("access_key", "abc", "access_key"),
        ("auth", "abc", "auth"),
        ("connection_string", "Endpoint=x;Key=y", "connection_string"),
        ("extra_body", '{"provider": {"api_key": "abc"}}', "extra_body.provider.api_key"),
        ("base_url", "https://host/v1?code=abc", "a key in it"),
        ("base_url", "https://host/v1#token=abc", "a key in it"),
        ("options", "region=x,api_key=abc", "a key in it"),
        ("jwt", "abc", "jwt"),
    ],
)
def test_an_argument_that_carries_a_credential_is_refused(name: str, value: object, what: str) -> None:
    with pytest.raises(InputError, match=re.escape(what)) as caught:
        refuse_secret(name, value)
    assert "environment" in str(caught.value)


def test_arguments_that_only_sound_like_credentials_pass() -> None:
    for name, value in {
        "max_tokens": 5,
        "tokenizer": "gpt2",
        "base_url": "https://host:8080/v1",
        "aws_region": "eu-west-1",
        "authority": "https://login.example",
        "author": "ada",
        "extra_body": '{"safe": true, "route": [1, 2]}',
        "default_query": {"api-version": "2024-01-01"},
        "key_file": "/models/cert.pem",
        "stop": "[END]",
    }.items():
        refuse_secret(name, value)


def test_a_variable_named_as_secret_is_redacted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB_PASS", "tulips")
    assert redact("I like tulips") == "I like tulips"
    treat_as_secret(["DB_PASS"])
    assert redact("I like tulips") == "I like [DB_PASS]"


PASSWORD = "p@ss/w0rd+x=\"ü'1"
PRIVATE = f"-----BEGIN PRIVATE KEY-----\n{'aZ9/' * 16}\n{'bY8+' * 16}\n-----END PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (PASSWORD, json.dumps({"x": PASSWORD})),
        (PASSWORD, json.dumps({"x": PASSWORD}, ensure_ascii=False)),
        (PASSWORD, repr({"x": PASSWORD})),
        (PASSWORD, f"https://u:{quote(PASSWORD, safe='')}@host"),
        (PASSWORD, f"https://host/?q={quote_plus(PASSWORD)}"),
        (PASSWORD, base64.b64encode(PASSWORD.encode()).decode()),
        (PASSWORD, PASSWORD.encode().hex()),
        (PASSWORD, html.escape(PASSWORD)),
        (PASSWORD, "Basic " + base64.b64encode(f"ann:{PASSWORD}".encode()).decode()),
        (PASSWORD, "Basic " + base64.b64encode(f"anna:{PASSWORD}\n".encode()).decode()),
        (PRIVATE, json.dumps({"x": PRIVATE})),
        (PRIVATE, " ".join(PRIVATE.split("\n"))),
        (PRIVATE, PRIVATE.splitlines()[2]),
        ("with a line end\n", "it is: with a line end."),
        ("4711", "env: MAIL_WORD=4711"),
        ("4711", "env: {'MAIL_WORD': '4711'}"),
    ],
)
def test_a_variable_named_as_secret_is_redacted_however_it_is_printed(
    value: str, printed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAIL_WORD", value)
    treat_as_secret(["MAIL_WORD"])
    shown = redact(printed)
    assert "[MAIL_WORD]" in shown
    assert not any(part in shown for part in ("w0rd", "aZ9/aZ9", "bY8+", "with a", "4711", "UEBzcy", "7040"))


def test_the_password_inside_a_secret_is_one_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORE", "postgres://ann:tulips%2Fand%2Froses@host/db")
    monkeypatch.setenv("ACCOUNT", '{"user": "ann", "word": "lilies-and-irises"}')
    treat_as_secret(["STORE", "ACCOUNT"])
    assert redact("sent tulips/and/roses, then lilies-and-irises") == "sent [STORE], then [ACCOUNT]"


def test_a_mere_word_is_redacted_only_as_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORT_KEY", "lastname")
    assert redact("their last name, or lastname") == "their last name, or [SORT_KEY]"


def test_a_short_value_is_left_alone_in_other_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_WORD", "on")
    treat_as_secret(["MAIL_WORD"])
    assert (
        redact("only on Monday; MAIL_WORD=on; MAIL_WORD=only")
        == "only on Monday; MAIL_WORD=[MAIL_WORD]; MAIL_WORD=only"
    )


@pytest.mark.parametrize("name", ["AZURE_OPENAI_KEY_2", "DB_PASS", "GH_PAT", "PGPASSWORD", "PROXY_PASSWD"])
def test_more_names_of_secrets(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "very-secret-value-123")
    assert redact("very-secret-value-123") == f"[{name}]"
