"""Many models of one class are read and made again together, whatever their class or their dict answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, RootModel

from gate.copies import copied_value
from gate.digest import canonical, snapshot, tagged
from gate.plain_models import plain_model
from gate.redact import redact


@dataclass
class Line:
    """A dataclass with a dict."""

    text: Any
    rest: Any = None


@dataclass(slots=True)
class Slotted:
    """The same in slots."""

    text: Any
    rest: Any = None


@dataclass(frozen=True)
class Frozen:
    """One that nobody may change."""

    text: Any
    rest: Any = None


class Form(BaseModel):
    """A model of pydantic's."""

    text: Any
    rest: Any = None


class Open(BaseModel):
    """A model that takes more than its fields."""

    model_config = ConfigDict(extra="allow")
    text: Any


class Numbers(RootModel[list[int]]):
    """A model that is one value: its class answers for what others hold beside their fields."""


class Lying(dict[str, Any]):
    """A dict that shows other things than it holds, and gives away no copy."""

    def keys(self) -> Any:
        """Lie."""
        return {"text": 0, "rest": 0}.keys()

    def __iter__(self) -> Any:
        return iter(["text", "rest"])

    def __getitem__(self, key: str) -> Any:
        return "harmless"

    def copy(self) -> Any:
        """Give away what others hold."""
        return self


class EqualsNone:
    """Says that it is equal to whatever it is compared with."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


_CLASSES = [Line, Slotted, Frozen, Form]


@pytest.mark.parametrize("kind", _CLASSES)
@pytest.mark.parametrize("count", [1, 2, 30])
@pytest.mark.parametrize("rest", [None, "a text", [1, {"k": []}], {"$tag": 1}])
def test_each_of_many_models_is_copied_and_written_as_by_itself(kind: Any, count: int, rest: Any) -> None:
    """Claim: however many there are, each gets the form and a copy of its own, and shares nothing."""
    given = [kind(text=f"text {number}", rest=rest) for number in range(count)]
    taken = snapshot({"a": given})
    assert taken.written == canonical(tagged({"a": given}))
    for copies in (taken["a"], copied_value(given)):
        assert copies == given
        assert {type(each) for each in copies} == {kind}
        assert not {id(each) for each in copies} & {id(each) for each in given}
        assert not isinstance(rest, (list, dict)) or all(each.rest is not rest for each in copies)
        assert len({id(each.rest) for each in copies if isinstance(rest, (list, dict))}) in (0, count)


@pytest.mark.parametrize("kind", _CLASSES)
def test_a_copy_that_is_changed_changes_no_other(kind: Any) -> None:
    """Claim: no two models share what holds their fields, neither with a copy nor among themselves."""
    given = [kind(text="before") for _ in range(20)]
    taken = snapshot({"a": given})["a"]
    for copies in (taken, copied_value(taken)):
        object.__setattr__(copies[0], "text", "after")
        assert [each.text for each in copies[1:]] == ["before"] * 19
    assert [each.text for each in given] == ["before"] * 20
    assert copied_value(taken)[1].text == "before"


def test_what_runs_is_what_was_judged_also_where_a_dict_tells_another() -> None:
    """Claim: an object whose own dict lies is copied as it is judged and shown, into one that cannot lie."""
    given = [Line("text"), Line("text")]
    for each in given:
        each.__dict__ = Lying(text="delete all", rest=None)
    taken = snapshot({"a": given})
    assert taken.written == canonical(tagged(dict(taken)))
    assert type(taken["a"][0].__dict__) is dict
    assert redact(taken).arguments["a"][1]["text"] == taken["a"][1].text
    assert copied_value(taken["a"])[1].text == taken["a"][1].text


def test_one_that_holds_more_among_many_keeps_what_it_holds() -> None:
    """Claim: an attribute that is no field is judged, copied and shown, whoever stands beside it."""
    given = [Line(number) for number in range(9)]
    given[4].more = ["hidden?"]  # type: ignore[attr-defined]
    taken = snapshot({"a": given})
    assert taken.written == canonical(tagged({"a": given}))
    assert b'"held":{"more":["hidden?"]}' in taken.written
    assert taken["a"][4].more == ["hidden?"]
    assert redact(taken).arguments["a"][4]["more"] == ["hidden?"]


def test_what_says_that_it_is_nothing_is_no_nothing() -> None:
    """Claim: what a model holds beside its fields is refused by its type, though it equals ``None``."""
    plain = plain_model(Open)
    given = Open(text=1)
    object.__setattr__(given, "__pydantic_extra__", EqualsNone())
    assert plain is not None
    assert plain.parts([given]) is None


def test_a_model_without_one_of_its_slots_is_judged_as_it_is() -> None:
    """Claim: a field that was never set is left out for that object alone."""
    bare = object.__new__(Slotted)
    bare.text = "only"
    given = [Slotted("one", 1), bare]
    taken = snapshot({"a": given})
    assert taken.written == canonical(tagged({"a": given}))
    assert not hasattr(taken["a"][1], "rest")


@pytest.mark.parametrize("beside", [{}, {"more": "text"}])
def test_a_copy_of_a_root_model_holds_what_the_model_holds(beside: dict[str, Any]) -> None:
    """Claim: it is judged alike when it runs days later: nothing was put beside its one value."""
    given = Numbers([1, 2])
    given.__dict__.update(beside)
    taken = snapshot({"a": given})
    assert vars(taken["a"]) == vars(copied_value(taken["a"])) == {"root": [1, 2], **beside}
    assert taken.written == canonical(tagged({"a": given})) == snapshot(taken).written
    assert taken["a"].__pydantic_extra__ is taken["a"].__pydantic_private__ is None
