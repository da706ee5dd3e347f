"""Errors are one line, carry the cure, and never a key."""

from __future__ import annotations

import re

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


@pytest.mark.parametrize(
    "text",
    [
        "sk-" + "b" * 30,
        "ghp_" + "a" * 36,
        "github_pat_" + "a" * 30,
        "glpat-" + "a" * 20,
        "xoxb-" + "1" * 12,
        "AIza" + "a" * 35,
        "hf_" + "a" * 34,
        "npm_" + "a" * 36,
        "eyJ" + "a" * 20 + ".eyJ" + "b" * 20 + "." + "c" * 20,
        "AKIAABCDEFGHIJKLMNOP",
        "ASIAABCDEFGHIJKLMNOP",
    ],
)
def test_what_is_shaped_like_a_key_does_not_appear(text: str) -> None:
    assert text not in redact(f"header {text} body")


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


def test_an_argument_shaped_like_a_key_is_refused_and_an_ordinary_one_is_not() -> None:
    with pytest.raises(InputError, match="looks like a key"):
        refuse_secret("foo", "sk-" + "b" * 30)
    for ordinary in ("high", 5, True, None, {"effort": "low"}):
        refuse_secret("foo", ordinary)


def test_boundary_names_what_was_done_and_keeps_ours() -> None:
    with pytest.raises(InputError, match="reading x: bad value") as caught, boundary(InputError, "reading x"):
        raise ValueError("bad\nvalue")
    assert isinstance(caught.value.__cause__, ValueError)
    with pytest.raises(Refused), boundary(InputError, "reading x"):
        raise Refused("no")


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


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("base_url", "https://ann:pw@host/v1", "a user name or a password"),
        ("base_url", "https://host/v1?api_key=abc", "a key in it"),
        ("default_headers", {"X-Team": "blue"}, "default_headers.X-Team"),
        ("extra_body", {"authorization": "Basic abc"}, "extra_body.authorization"),
        ("client", {"http": [{"password": "abc"}]}, "client.http.password"),
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
    }.items():
        refuse_secret(name, value)


def test_a_variable_named_as_secret_is_redacted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB_PASS", "tulips")
    assert redact("I like tulips") == "I like tulips"
    treat_as_secret(["DB_PASS"])
    assert redact("I like tulips") == "I like [DB_PASS]"
