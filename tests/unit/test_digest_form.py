"""The tagged form, the keyed digest and the snapshot."""

from __future__ import annotations

import hashlib
import hmac
from collections import namedtuple
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, SecretStr

from gate.digest import action_digest, canonical, snapshot, tagged
from gate.errors import ActionError
from gate.model import Action, Principal

KEY = b"k" * 32
HERE = __name__


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Colour(Enum):
    RED = "red"


class Order(BaseModel):
    model_config = ConfigDict(extra="allow")
    id: str = Field(alias="orderId")
    hidden: int = Field(default=0, exclude=True)
    token: SecretStr = SecretStr("t")
    note: str | None = None
    _seen: int = PrivateAttr(default=0)


@dataclass
class Line:
    sku: str
    price: Decimal
    cache: list[str] = field(default_factory=list, repr=False, compare=False)


Pair = namedtuple("Pair", "left right")

FORMS = [
    ([None, True, "x", 1, 1.5], [None, True, "x", 1, 1.5]),
    (1.0, {"$float": "1.0"}),
    (-0.0, {"$float": "-0.0"}),
    (2**53 - 1, 2**53 - 1),
    (2**53, {"$int": "9007199254740992"}),
    (Decimal("1.50"), {"$decimal": "1.50"}),
    (date(2026, 1, 2), {"$date": "2026-01-02"}),
    (datetime(2026, 1, 2, tzinfo=UTC), {"$datetime": ["2026-01-02T00:00:00+00:00", 0, ""]}),
    (
        datetime(2026, 1, 2, tzinfo=ZoneInfo("Europe/Berlin")),
        {"$datetime": ["2026-01-02T00:00:00+01:00", 0, "Europe/Berlin"]},
    ),
    (UUID(int=1), {"$uuid": "00000000-0000-0000-0000-000000000001"}),
    (b"ab", {"$bytes": [hashlib.sha256(b"ab").hexdigest(), 2]}),
    ((1, "x"), {"$tuple": [1, "x"]}),
    (Colour.RED, {"$enum": [f"{HERE}.Colour", "RED"]}),
    (Level.LOW, {"$enum": [f"{HERE}.Level", "LOW"]}),
    ({"$int": "1"}, {"$dict": {"$int": "1"}}),
    ({"a": {"$x": 1, "y": 2}}, {"a": {"$dict": {"$x": 1, "y": 2}}}),
    (Pair(1, 2), {"$model": [f"{HERE}.Pair", {"fields": {"left": 1, "right": 2}}]}),
]


@pytest.mark.parametrize(("value", "form"), FORMS, ids=[repr(value) for value, _ in FORMS])
def test_every_kind_of_value_has_its_own_form(value: object, form: object) -> None:
    """Each accepted type is written as the design says."""
    assert tagged(value) == form
    assert type(tagged(value)) is type(form)


def test_models_count_every_field_from_their_attributes() -> None:
    """Excluded, aliased, secret, extra and private fields of a model are all in its form."""
    order = Order(orderId="7", surprise="!")
    order._seen = 3
    form = tagged(order)["$model"][1]
    assert form["fields"]["id"] == "7"
    assert form["fields"]["hidden"] == 0
    assert form["fields"]["token"] == {"$model": ["pydantic.types.SecretStr", {"fields": {"value": "t"}}]}
    assert form["extra"] == {"surprise": "!"}
    assert form["private"] == {"_seen": 3}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Order(orderId="7"), Order(orderId="7", hidden=1)),
        (Order(orderId="7"), Order(orderId="7", token=SecretStr("u"))),
        (Order(orderId="7"), Order(orderId="7", note=None)),
        (Order(orderId="7"), Order(orderId="7", extra=1)),
        (Line("a", Decimal(1)), Line("a", Decimal(1), cache=["x"])),
        (Line("a", Decimal("1.0")), Line("a", Decimal("1.00"))),
        (Line("a", Decimal(1)), {"sku": "a", "price": Decimal(1), "cache": []}),
        (1, 1.0),
        (1, True),
        (0.0, -0.0),
        ([1], (1,)),
        ("1", 1),
        (Level.LOW, 1),
        (b"x", "x"),
        (date(2026, 1, 1), datetime(2026, 1, 1)),
        (datetime(2026, 1, 1), datetime(2026, 1, 1, tzinfo=UTC)),
        (datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=1))), datetime(2026, 1, 1, tzinfo=UTC)),
        (datetime(2026, 10, 25, 2, 30), datetime(2026, 10, 25, 2, 30, fold=1)),
        ({"$int": "1"}, {"$dict": {"$int": "1"}}),
        (2**53, 2**53 + 1),
        (2**53, float(2**53)),
    ],
)
def test_different_calls_have_different_bytes(one: object, other: object) -> None:
    """Values that a serializer or JSON would write alike have different bytes."""
    assert canonical(tagged(one)) != canonical(tagged(other))


def test_bytes_follow_rfc_8785() -> None:
    """Keys are sorted by UTF-16 code units, numbers and escapes are written as the standard says."""
    value = {"\u20ac": 1, "\r": 2, "1": 3, "\U0001f600": 4, "\u0080": 5, "\u00f6": 6, "\ufb33": 7}
    text = canonical(tagged(value)).decode()
    assert text == '{"\\r":2,"1":3,"\u0080":5,"\u00f6":6,"\u20ac":1,"\U0001f600":4,"\ufb33":7}'
    assert (
        canonical(tagged([4.50, 2e-3, 1e-27, 333333333.33333329])) == b"[4.5,0.002,1e-27,333333333.3333333]"
    )
    assert canonical(tagged('€$\u000f\nA\'B"\\"/')) == '"€$\\u000f\\nA\'B\\"\\\\\\"/"'.encode()


def _action(**changes: Any) -> Action:
    plain = Action("payments.refund", {"amount": 1}, "support", "s1", Principal("person", "U1"))
    return replace(plain, **changes)


def test_the_digest_is_keyed_and_prefixed() -> None:
    """The digest is HMAC-SHA-256 with the store's key over prefix and canonical bytes."""
    form = {
        "name": "payments.refund",
        "target": None,
        "arguments": {"amount": 1},
        "agent": "support",
        "session": "s1",
        "on_behalf_of": ["person", "U1", None],
    }
    expected = hmac.new(KEY, b"gate.action.v1\n" + canonical(form), "sha256").hexdigest()
    assert action_digest(KEY, _action()) == expected
    assert action_digest(b"j" * 32, _action()) != expected


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "payments.refund2"},
        {"target": "account 7"},
        {"arguments": {"amount": 2}},
        {"agent": "other"},
        {"session": "s2"},
        {"on_behalf_of": None},
        {"on_behalf_of": Principal("person", "U1", "T1")},
        {"on_behalf_of": Principal("outside", "U1")},
    ],
)
def test_the_digest_covers_everything_that_is_approved(changes: dict[str, Any]) -> None:
    """Another name, target, argument, agent, session or person acted for is another call."""
    assert action_digest(KEY, _action()) != action_digest(KEY, _action(**changes))


@pytest.mark.parametrize("changes", [{"call_id": "c1"}, {"note": "please"}, {"parent": "p1"}])
def test_the_digest_leaves_out_what_is_not_approved(changes: dict[str, Any]) -> None:
    """Call id, note and parent do not change what would run."""
    assert action_digest(KEY, _action()) == action_digest(KEY, _action(**changes))


def test_texts_around_the_call_are_judged_too() -> None:
    """A target that has no UTF-8 form is refused by name."""
    for part in ("target", "note", "call_id", "session"):
        with pytest.raises(ActionError, match=f"{part}: the text has half a surrogate"):
            action_digest(KEY, _action(**{part: "\ud800"}))


def test_the_snapshot_shares_nothing_changeable() -> None:
    """Whatever the caller changes afterwards does not reach the snapshot."""
    line = Line("a", Decimal(1), ["x"])
    order = Order(orderId="7", lines=[1])
    arguments: dict[str, Any] = {"list": [1, {"b": [2]}], "line": line, "order": order, "pair": ([3],)}
    taken = snapshot(arguments)
    before = canonical(tagged(dict(taken)))
    arguments["list"][1]["b"].append(9)
    arguments["list"].append(9)
    arguments["pair"][0].append(9)
    line.cache.append("y")
    line.sku = "b"
    order.lines.append(9)  # type: ignore[attr-defined]
    order.id = "8"
    assert canonical(tagged(dict(taken))) == before
