"""Nothing secret reaches what people and the log see."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from urllib.parse import quote
from uuid import UUID

import pytest
from pydantic import BaseModel, SecretStr

from gate.redact import HIDDEN, describe, error_text, is_secret_name, redact, redact_text

SECRET = [
    "password",
    "X-Api-Key",
    "client_secret",
    "Authorization",
    "signing-key",
    "otp",
    "pin",
    "mnemonic",
    "auth",
    "accessToken",
    "APIKey",
    "dbPassword",
    "private_key",
]
VISIBLE = [
    "keyword",
    "monkey",
    "keys_count",
    "to",
    "subject",
    "access",
    "max_tokens",
    "author",
    "key",
    "spin",
    "email",
]


@pytest.mark.parametrize("name", SECRET)
def test_names_of_secrets_are_known(name: str) -> None:
    """A key one of whose words names a secret is hidden, also deep inside."""
    assert is_secret_name(name)
    found = redact({"headers": [{name: "hunter2-value"}]})
    assert found.arguments == {"headers": [{name: HIDDEN}]}
    assert "hunter2-value" not in repr(found)


@pytest.mark.parametrize("name", VISIBLE)
def test_other_names_stay_visible(name: str) -> None:
    """Words that only contain a secret's name hide nothing."""
    assert redact({name: "v"}).arguments == {name: "v"}


def test_a_secret_name_hides_scalars_only() -> None:
    """Below a secret name the structure and what its own keys name stays; flags and nulls stay too."""
    found = redact(
        {
            "credentials": {"region": "eu", "password": "p", "list": ["x"]},
            "secret": ["a", {"b": 1}, True, None],
        }
    )
    assert found.arguments["credentials"] == {"region": "eu", "password": HIDDEN, "list": ["x"]}
    assert found.arguments["secret"] == [HIDDEN, {"b": 1}, True, None]
    assert found.hidden == ("args.credentials.password", "args.secret")


def test_policy_paths_hide_whole_values_in_every_element() -> None:
    """A redact path hides its whole subtree and means every element of a list on the way."""
    found = redact(
        {"cards": [{"number": "4111", "name": "A"}, {"number": {"pan": "4222"}}], "odd": {"a.b": 1, "c": 2}},
        paths=["args.cards.number", 'args.odd["a.b"]'],
    )
    assert found.arguments == {
        "cards": [{"number": HIDDEN, "name": "A"}, {"number": HIDDEN}],
        "odd": {"a.b": HIDDEN, "c": 2},
    }
    assert found.hidden == ("args.cards.number", 'args.odd["a.b"]')
    assert set(found.secrets) == {"4111", "4222"}


def test_show_lifts_key_names_but_no_policy_path() -> None:
    """Show makes a built-in secret visible; a redact path stays hidden whatever show says."""
    found = redact({"page_token": "p", "pin": "1"}, paths=["args.pin"], show=["args.page_token", "args.pin"])
    assert found.arguments == {"page_token": "p", "pin": HIDDEN}


class Colour(Enum):
    RED = "red"
    MIX = ("a", "b")


class Login(BaseModel):
    user: str
    key: SecretStr
    password: str


@dataclass
class Line:
    price: Decimal
    token: str


def test_every_value_becomes_json() -> None:
    """Models, exact numbers, times and bytes are JSON in what people see, and secrets in them are hidden."""
    found = redact(
        {
            "login": Login(user="a", key=SecretStr("abcd"), password="p"),
            "line": Line(Decimal("1.50"), "t"),
            "when": datetime(2026, 1, 2, tzinfo=UTC),
            "id": UUID(int=1),
            "blob": b"abc",
            "pair": (1, 2.5, None),
            "colours": [Colour.RED, Colour.MIX],
            "big": 2**60,
            "tagged": {"$decimal": "1"},
        }
    )
    assert found.arguments == {
        "login": {"user": "a", "key": HIDDEN, "password": HIDDEN},
        "line": {"price": {"$decimal": "1.50"}, "token": HIDDEN},
        "when": "2026-01-02T00:00:00+00:00",
        "id": "00000000-0000-0000-0000-000000000001",
        "blob": "(3 bytes)",
        "pair": [1, 2.5, None],
        "colours": ["red", "MIX"],
        "big": {"$int": str(2**60)},
        "tagged": {"$dict": {"$decimal": "1"}},
    }
    assert json.loads(json.dumps(found.arguments)) == found.arguments
    assert "abcd" in found.secrets


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("login failed: password=hunter2, user=bob", "login failed: password=(hidden), user=bob"),
        ('{"api_key": "sk-1234", "n": 1}', '{"api_key": "(hidden)", "n": 1}'),
        ("Authorization: Bearer abc.def-ghi", "Authorization: (hidden)"),
        ("sent Bearer abcdefghij to host", "sent Bearer (hidden) to host"),
        ("keyword: fine", "keyword: fine"),
        ("card 4111 was declined", "card (hidden) was declined"),
    ],
)
def test_texts_lose_named_and_known_secrets(text: str, expected: str) -> None:
    """Free text keeps its words but neither values with a secret's name nor what the call hid."""
    assert redact_text(text, secrets=["4111", "bob"[:1]]) == expected


def test_texts_are_cut() -> None:
    """What is stored of a text ends after 500 characters."""
    assert len(redact_text("x" * 9999)) == 500


def test_errors_show_class_and_text() -> None:
    """An exception is told by its class and redacted text, whatever its own str() does."""

    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert error_text(ValueError("token=abc")) == "ValueError: token=(hidden)"
    assert error_text(KeyError()) == "KeyError"
    assert error_text(Mute()) == "Mute"


@pytest.mark.parametrize(
    ("template", "arguments", "expected"),
    [
        (None, {}, "pay.refund"),
        (
            "Refund {args.amount} {args.currency}",
            {"amount": {"$decimal": "400.00"}, "currency": "EUR"},
            "Refund 400.00 EUR",
        ),
        ("{{x}} {args.missing} {args.null}", {"null": None}, "{x} (not given) (not given)"),
        ('{args.o["a.b"].c}', {"o": {"a.b": {"c": 7}}}, "7"),
        ("{args.to}", {"to": ["a@x", "b@x"]}, "a@x, b@x"),
        ("{args.lines.sku}", {"lines": [{"sku": "a"}, {"sku": "b"}]}, "a, b"),
        ("{args.flag} {args.n}", {"flag": True, "n": 1.5}, "true 1.5"),
        ("{args.a}", {"a": "{args.b}", "b": "no"}, "{args.b}"),
    ],
)
def test_describe_fills_in_values_once(
    template: str | None, arguments: dict[str, Any], expected: str
) -> None:
    """A template is filled from the arguments; values are never read as templates again."""
    assert describe(template, "pay.refund", arguments) == expected


def test_describe_takes_another_way_to_write_values() -> None:
    """A caller may decide how each value is written."""
    assert describe("to {args.a}", "x.y", {"a": "b"}, write=lambda value: f"<{value}>") == "to <b>"


@pytest.mark.parametrize(
    "secret",
    [123456, Decimal("12.3456"), b"swordfish", 'pa"ss\nword', "p&ss w/rd"],
    ids=["int", "decimal", "bytes", "quoted", "url"],
)
def test_a_hidden_value_is_hidden_in_every_spelling(secret: object) -> None:
    """A value that was hidden on the card is hidden in an exception too, however that writes it."""
    secrets = redact({"password": secret}).secrets
    spelt = [str(secret), repr(secret), json.dumps(str(secret)), quote(str(secret), safe="")]
    text = error_text(ValueError(f"refused: {' | '.join(spelt)}"), secrets=secrets)
    for each in spelt:
        assert each not in text
    assert text.count(HIDDEN) >= 4
