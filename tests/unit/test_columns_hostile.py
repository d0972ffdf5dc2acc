"""Models and names that were made to mislead are judged as each by itself is, in as many steps as levels."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import pytest
from pydantic import BaseModel, ConfigDict, SecretStr

from gate.digest import canonical, snapshot, tagged
from gate.errors import ActionError
from gate.redact import HIDDEN, redact

_QUOTE, _RAW = "\ud801", "\ud800"
_BREAKS_OUT = f'{_RAW}",{{{_QUOTE}$decimal{_QUOTE}:{_QUOTE}1{_QUOTE}}}],{_QUOTE}b{_QUOTE}:[{_QUOTE}'


class Pair(NamedTuple):
    """Something that is looked at by itself."""

    inner: Any


class Open(BaseModel):
    """Something that an agent may put more into."""

    model_config = ConfigDict(extra="allow")
    inner: Any = None


class Counting:
    """Answers for a field itself, and counts how often it is asked."""

    asked = 0

    def __get__(self, value: Any, kind: type) -> Any:
        """Return what was set."""
        if value is None:
            raise AttributeError
        Counting.asked += 1
        return value.__dict__["inner"]

    def __set__(self, value: Any, inner: Any) -> None:
        """Keep what is set."""
        value.__dict__["inner"] = inner


@dataclass
class Counted:
    """A model of which each read counts."""

    inner: Any = Counting()


class Deleting:
    """Answers for a field, though it can only be deleted."""

    def __get__(self, value: Any, kind: type) -> Any:
        """Return something that no object holds."""
        return "answered"

    def __delete__(self, value: Any) -> None:
        """Do nothing."""


@dataclass
class Answered:
    """A model whose class answers for its field."""

    field: Any


Answered.field = Deleting()


@dataclass
class Closed(SecretStr):
    """A secret that is a dataclass, too."""

    _secret_value: str


@dataclass
class Liar:
    """Says that it is of an enumeration."""

    held: Any
    name: str = "A"
    value: str = "harmless"

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """Lie."""
        return Enum


def test_each_level_of_models_that_hold_more_is_read_as_often() -> None:
    """Models within models are read a few times each, not twice as often at each level."""

    def reads(levels: int) -> int:
        value: Any = 1
        for _ in range(levels):
            value = Counted(value)
        Counting.asked = 0
        snapshot({"a": value})
        return Counting.asked

    assert reads(10) <= 10 * reads(1)


@pytest.mark.parametrize(
    "wrap", [Pair, lambda inner: Open.model_validate({"inner": inner, "more": [inner]}), Counted]
)
def test_models_that_hold_more_within_each_other_are_written_as_by_themselves(wrap: Any) -> None:
    """The form of models within models is that of the walk, and what runs shares nothing with the caller."""
    given: Any = [1]
    for _ in range(5):
        given = wrap(given)
    taken = snapshot({"a": given})
    assert taken.written == canonical(tagged({"a": given})) == snapshot(taken).written
    assert taken["a"].inner is not given.inner


@pytest.mark.parametrize("name", [_BREAKS_OUT, f"{_RAW}x", "\udfff"])
def test_no_name_of_a_member_breaks_out_of_the_form(name: str) -> None:
    """A member whose name has no UTF-8 form is refused, whatever it would stand for."""
    kind: Any = Enum("Odd", {name: 1})  # type: ignore[misc]
    [member] = kind
    for value in (member, [member, 1], Pair(member)):
        with pytest.raises(ActionError, match="no name with a UTF-8 form"):
            snapshot({"a": value})


@pytest.mark.parametrize("bases", [(), (BaseModel,)])
def test_no_name_of_a_class_breaks_out_of_the_form(bases: tuple[type, ...]) -> None:
    """A model whose class has a name without a UTF-8 form is refused."""
    kind: Any = type("Odd", bases, {"__annotations__": {"inner": int}})
    kind = kind if bases else dataclass(kind)
    kind.__qualname__ = _BREAKS_OUT
    with pytest.raises(ActionError, match=r"args\.a: the name of its class"):
        snapshot({"a": kind(inner=1)})


def test_a_field_that_its_class_answers_for_is_not_judged_by_what_lies_behind() -> None:
    """A model that says another thing than it holds, and cannot be made again, is refused."""
    given = object.__new__(Answered)
    given.__dict__["field"] = "held"
    with pytest.raises(ActionError, match="cannot be read"):
        snapshot({"a": given})


def test_a_secret_that_is_a_dataclass_stays_closed() -> None:
    """Pydantic's secrets are hidden whole, whatever else their class is."""
    shown = redact({"a": Closed("hunter22"), "b": [Closed("hunter22")]})
    assert shown.arguments == {"a": HIDDEN, "b": [HIDDEN]}


def test_what_says_that_it_is_a_member_is_copied_as_the_model_that_it_is() -> None:
    """An object that lies about its class shares nothing with its copy, and is shown by what it holds."""
    held = [1]
    taken: Any = snapshot({"a": Pair(Liar(held)), "b": Liar(held)})
    held.append(2)
    assert taken["a"].inner.held == taken["b"].held == [1]
    assert redact(taken).arguments["b"]["held"] == [1]


@pytest.mark.parametrize("place", ["x", "more", "(hidden card number, 16 characters)"])
def test_a_key_with_what_stands_for_a_secret_in_it_still_names_one(place: str) -> None:
    """A mark in a key changes nothing in what the rest of the key says."""
    key = f"pass{'(hidden card number, 16 characters)'}word"
    for value in ({key: "hunter22"}, [{key: "hunter22", "b": 1}, {"b": 2}], {place: {key: "hunter22"}}):
        assert "hunter22" not in str(redact({"a": value}).arguments)
