"""What host code gives beside the arguments may be of any class: it is refused by its class, never asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gate import Blocked, Evidence, Gate
from gate.binding import is_plain
from gate.digest import snapshot
from gate.errors import ActionError, IllegalMove
from gate.evidence import evidence_lines
from gate.model import Action
from gate.shapes import class_name, named
from gate.wait import seconds


class Meta(type):
    def __getattribute__(cls, name: str) -> Any:
        if name in ("__module__", "__qualname__"):
            raise RuntimeError(name)
        return super().__getattribute__(name)


class Mean(metaclass=Meta):
    """Refuses everything that it is asked."""

    def _refuse(self, *_: object) -> Any:
        raise RuntimeError("asked")

    __repr__ = __str__ = __eq__ = __bool__ = __len__ = __iter__ = _refuse
    __hash__ = None  # type: ignore[assignment]
    __class__ = property(_refuse)


class MeanDict(dict[str, Any]):
    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("asked")

    items = keys = values = __iter__  # type: ignore[assignment]


class Marked(str):
    """A text that a template engine has marked."""

    __slots__ = ()

    def __str__(self) -> str:
        return "something else"


def _endless() -> list[Any]:
    made: list[Any] = ["x"] * 10
    for _ in range(10):
        made = [made] * 10
    return made


@pytest.fixture
def gate() -> Iterator[Gate]:
    """Yield a gate with an open session."""
    with Gate("policies", db=":memory:") as opened:
        opened.session("S", agent="support", on_behalf_of=None)
        yield opened


@pytest.mark.parametrize("made", [Mean, _endless, lambda: 10**6000], ids=["mean", "endless", "huge"])
@pytest.mark.parametrize(
    "use",
    [
        lambda gate, given: gate.session(given, agent="support", on_behalf_of=None),
        lambda gate, given: gate.session("T", agent="support", on_behalf_of=given),
        lambda gate, given: gate.session("T", agent="support", on_behalf_of=None, evidence=[given]),
        lambda gate, given: gate.session(
            "T", agent="support", on_behalf_of=None, evidence=[Evidence("x", url=given)]
        ),
        lambda gate, given: gate.session(
            "T", agent="support", on_behalf_of=None, evidence=[Evidence("x", weight=given)]
        ),
        lambda gate, given: gate.call(id=given),
        lambda gate, given: gate.call(note=given),
    ],
    ids=["id", "for whom", "line", "url", "weight", "call id", "note"],
)
def test_what_names_nothing_is_refused_without_being_asked(
    gate: Gate, use: Callable[[Gate, Any], object], made: Callable[[], Any]
) -> None:
    """A value of the wrong type is told by its class: it is never written out, compared or gone through."""
    with pytest.raises((TypeError, ValueError), match=r"\(|too large") as refused:
        use(gate, made())
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    "part", ["name", "arguments", "facts", "target", "note", "effect", "not_shown", "facts_lost", "session"]
)
def test_an_action_with_a_part_of_any_class_is_refused(gate: Gate, part: str) -> None:
    """Whatever stands where a part of an action should, the fault is one that says so."""
    parts: dict[str, Any] = {
        "name": "orders.lookup_order",
        "arguments": {"order_id": "1"},
        "agent": "support",
        "session": "S",
        "on_behalf_of": None,
        part: Mean(),
    }
    with pytest.raises(ActionError, match="Nothing ran"):
        gate.submit(Action(**parts))


def test_no_text_stands_where_facts_are_said_to_be_lost(gate: Gate) -> None:
    """Whether facts are lost is yes or no: a text there would stand in the log as it is."""
    action = Action(
        "orders.lookup_order", {"order_id": "1"}, "support", "S", None,
        facts_lost="sk_live_4242424242424242abcd",  # type: ignore[arg-type]
    )  # fmt: skip
    with pytest.raises(ActionError, match="facts_lost"):
        gate.submit(action)


@pytest.mark.parametrize("kind", [list, str, int, bool, Mean])
def test_session_facts_that_are_no_mapping_are_refused(gate: Gate, kind: Callable[[], Any]) -> None:
    """What is no mapping is never taken for a session without facts."""
    with pytest.raises(ActionError, match=r"must be values by|cannot be read"):
        gate.session("T", agent="support", on_behalf_of=None, facts=kind())


def test_arguments_that_cannot_be_gone_through_are_refused() -> None:
    """A mapping that raises gives the fault that names arguments, as any value in it does."""
    with pytest.raises(ActionError, match="cannot be read"):
        snapshot(MeanDict(a=1))


def test_a_live_object_is_not_asked_what_it_is() -> None:
    """What is passed through is looked at by what it holds: its own class may answer anything, or raise."""
    assert is_plain(MeanDict(a=1))
    assert not is_plain(Mean())
    assert not is_plain(MeanDict(a=Mean()))


def test_a_marked_text_is_evidence_as_it_stands() -> None:
    """A line of a class of texts is kept as the very text, whatever the class makes of it."""
    (line,) = evidence_lines([Marked("arrived broken")])
    assert type(line.text) is str
    assert line.text == "arrived broken"


def test_a_number_too_large_for_any_clock_waits_until_decided() -> None:
    """No number of seconds is too large to be understood."""
    assert seconds(10**400) is None
    with pytest.raises(ValueError, match="no time to wait"):
        seconds(-(10**400))


def test_a_class_is_named_whatever_its_metaclass_says() -> None:
    """A message can always name a class, and only short plain values stand in it themselves."""
    assert class_name(Mean).endswith("test_hostile_parts.Mean")
    assert named("x" * 500) == repr("x" * 200 + "…")
    assert named(None) == "None"


def test_only_what_may_run_can_be_claimed(gate: Gate) -> None:
    """A claim of what was blocked raises the block, and one of anything else the fault; neither runs."""
    blocked = gate.submit(Action("nobody.knows", {}, "support", "S", None))
    assert isinstance(blocked, Blocked)
    for given, raised in ((blocked, Blocked), (None, IllegalMove), (Mean(), IllegalMove)):
        with pytest.raises(raised), gate.claim(given):  # type: ignore[arg-type]
            pytest.fail("it ran")


def test_a_key_that_is_a_secret_is_not_told_where_its_value_is_refused() -> None:
    """The path in the fault names the place of a value without the secret that stands in a key."""
    secret = "sk_live_4242424242424242abcdEFGH"
    with pytest.raises(ActionError, match=r"^args\.a\.") as refused:
        snapshot({"a": {secret: object()}})
    assert secret not in str(refused.value)


def test_a_fault_stays_readable_however_long_a_key_is() -> None:
    """A path is cut where nobody would read on."""
    with pytest.raises(ActionError, match="Nothing ran") as refused:
        snapshot({"a": {"k" * 900_000: object()}})
    assert len(str(refused.value)) < 1_500
