"""What a model carries beside its fields is judged, shown and copied too."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from gate.digest import canonical, copied, snapshot, tagged
from gate.errors import ActionError
from gate.redact import redact


@dataclass
class Pay:
    """A dataclass that is only what its fields say."""

    amount: int


class Rest:
    """A base that brings a slot of its own."""

    __slots__ = ("rest",)


@dataclass(slots=True)
class Slotted(Rest):
    """A dataclass whose base has a slot that is no field."""

    amount: int


Pair = namedtuple("Pair", "amount")


class Tuple(Pair):
    """A named tuple with a dict of its own."""


class Form(BaseModel):
    """A model that works something out and keeps it."""

    amount: int

    @cached_property
    def rest(self) -> int:
        """Return what it is not told to be."""
        return 0


def _set(value: Any, rest: Any) -> Any:
    if isinstance(value, Form):
        value.__dict__["rest"] = rest
    else:
        value.rest = rest
    return value


MAKERS = [Pay, Slotted, Tuple, lambda amount: Form(amount=amount)]


@pytest.mark.parametrize("make", MAKERS, ids=["dataclass", "slots", "tuple", "pydantic"])
def test_what_is_no_field_is_judged_and_shown(make: Callable[[int], Any]) -> None:
    """Two models that differ only beside their fields are two calls, and people see the difference."""
    plain, one, two = make(5), _set(make(5), 1), _set(make(5), 2)
    forms = {canonical(tagged(each)) for each in (plain, one, two)}
    assert len(forms) == 3
    assert redact({"pay": two}).arguments == {"pay": {"amount": 5, "rest": 2}}
    again = copied({"pay": two})["pay"]
    assert (type(again), again.amount, again.rest) == (type(two), 5, 2)


@pytest.mark.parametrize("make", MAKERS, ids=["dataclass", "slots", "tuple", "pydantic"])
def test_what_is_no_field_is_refused_where_it_cannot_be_judged(make: Callable[[int], Any]) -> None:
    """A live object beside the fields is refused like one inside a field."""
    with pytest.raises(ActionError, match=r"args\.pay\.rest"):
        snapshot({"pay": _set(make(5), object())})


def test_a_model_does_not_copy_itself() -> None:
    """A model that would share, change or drop what it holds is copied as it was judged."""

    @dataclass
    class Sly(Pay):
        lines: list[int]

        def __deepcopy__(self, memo: object) -> Sly:
            return self

        def __copy__(self) -> Sly:
            return Sly(0, [])

        def __reduce_ex__(self, protocol: Any) -> Any:
            return Sly, (self.amount * 1000, [])

    given = Sly(5, [1])
    taken = snapshot({"pay": given})["pay"]
    given.amount, given.lines[0] = 9, 9
    assert (type(taken), taken.amount, taken.lines) == (Sly, 5, [1])


def test_secrets_are_copied_whole_and_hold_nothing_else() -> None:
    """A secret stays a secret through the copy, and its own storage is not taken for something beside it."""
    secret = SecretStr("hunter2")
    taken = snapshot({"password": secret})["password"]
    assert taken is not secret
    assert taken.get_secret_value() == "hunter2"
    ((_, form),) = [tagged(secret)["$model"]]
    assert form == {"fields": {"value": "hunter2"}}
