"""What a guarded tool gets, and its agent reads, after people changed the call: sync, async and primitive."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from gate import Cancelled, Gate, Ran
from gate.errors import ActionError, BadEdit, IllegalMove
from gate.handles import Held
from gate.lifecycle import State
from gate.model import Action
from gate.outcomes import Failed, ResultNotKept
from tests.gate_kit import People, gate_on, log_of, people
from tests.kit import ALICE, EDITABLE, answer, change

OPEN_ALL = """
version: 1
name: desk
default: require_approval
approvals: {channel: C0APPROVALS, approvers: [U0ALICE, U0BOB]}
rules:
  - {id: all, match: "desk.*", then: require_approval, reason: All.,
     editable: [args.amount, args.to, args.when, args.at, args.key, args.kind, args.loud, args.rate,
                args.order.amount, args.order.to, args.options.limit, args.limit, args.words]}
"""


class Currency(Enum):
    """Two currencies."""

    EUR = "eur"
    USD = "usd"


class Order(BaseModel):
    """An order."""

    amount: Decimal = Field(le=500)
    to: str = "bob"


@dataclass(frozen=True)
class Line:
    """A frozen order."""

    amount: int


def changing(gate: Gate, **changes: Any) -> People:
    """Let alice change the next hold so."""
    return People(gate, lambda hold: change(gate.service, hold, ALICE, **changes))


def test_the_tool_gets_the_changed_arguments_and_the_agent_is_told(tmp_path: Path) -> None:
    """One call runs once, with the approved value in its own type, and Ran says what was changed."""
    with gate_on(tmp_path, text=EDITABLE) as gate:
        seen: list[Any] = []

        @gate.guard("desk.pay")
        def pay(amount: Decimal, to: str) -> str:
            seen.append((amount, to, gate.edits()))
            return "ok"

        gate.session("s1", on_behalf_of=None).__enter__()
        changing(gate, amount="250.00")
        ran = gate.outcome(pay, Decimal(400), "bob")
        assert isinstance(ran, Ran)
        assert seen == [(Decimal("250.00"), "bob", ("amount from 400 to 250.00",))]
        assert str(seen[0][0]) == "250.00"
        assert ran.edits == ("amount from 400 to 250.00",)
        assert "A person changed the call before it was approved: amount from 400 to 250.00." in (
            ran.message_for_agent
        )
        assert log_of(gate, ran.action_id) == ["submit", "edit", "approve", "claim", "settle"]


def test_a_waiting_coroutine_gets_the_changed_arguments(tmp_path: Path) -> None:
    """The same beside an event loop."""

    async def main() -> Any:
        with gate_on(tmp_path, text=EDITABLE) as gate:

            @gate.guard("desk.pay")
            async def pay(amount: int, to: str) -> int:
                return amount

            with gate.session("s1", on_behalf_of=None):
                changing(gate, amount=250, to="carol")
                return await gate.outcome(pay, 400, "bob")

    ran = asyncio.run(main())
    assert (ran.result, ran.edits) == (250, ("amount from 400 to 250", "to from bob to carol"))


def test_the_primitive_runs_with_the_approved_arguments(tmp_path: Path) -> None:
    """``run.arguments`` are those that were approved; the submitted action stays as it was."""
    with gate_on(tmp_path, text=EDITABLE) as gate:
        gate.session("s1", on_behalf_of=None)
        submitted = gate.submit(Action("desk.pay", {"amount": 400, "to": "bob"}, "desk", "s1"))
        assert isinstance(submitted, Held)
        change(gate.service, submitted.action_id, amount=250)
        with gate.claim(submitted) as run:
            assert run.arguments == {"amount": 250, "to": "bob"}
            assert run.edits == gate.edits() == ("amount from 400 to 250",)
            run.result = "ok"
        assert submitted.action.arguments == {"amount": 400, "to": "bob"}
        ended = submitted.hold.wait(0).outcome
        assert isinstance(ended, Ran)
        assert ended.edits == ("amount from 400 to 250",)
        with pytest.raises(IllegalMove, match="has run already"), gate.claim(submitted):
            raise AssertionError("the block must not begin")


def test_a_changed_call_is_waited_for_further_and_claimed_once_it_is_approved(tmp_path: Path) -> None:
    """A change alone wakes nobody wrongly: with a quorum of two the caller waits on, then runs once."""
    with gate_on(tmp_path, text=EDITABLE) as gate, gate.session("s1", on_behalf_of=None):
        fired: list[str] = []

        @gate.guard("desk.fire")
        def fire(who: str) -> None:
            fired.append(who)

        def act(hold: Any) -> None:
            from tests.kit import BOB

            after = change(gate.service, hold, ALICE, who="nobody")
            assert (after.state, fired) == (State.PENDING, [])
            answer(gate.service, after, BOB)

        helpers = People(gate, act)
        fire("everybody")
        helpers.done()
        assert fired == ["nobody"]


@pytest.mark.parametrize(
    ("name", "value", "new", "expected"),
    [
        ("amount", 400, 250, 250),
        ("amount", 2**60, 2**61, 2**61),
        ("amount", Decimal("1.10"), Decimal("2.20"), Decimal("2.20")),
        ("amount", 400.5, 250, 250.0),
        ("rate", 0.1, "0.25", 0.25),
        ("to", "bob", "  spaces stay ", "  spaces stay "),
        ("loud", True, False, False),
        ("when", date(2026, 1, 1), "2026-02-03", date(2026, 2, 3)),
        ("at", datetime(2026, 1, 1, 9), "2026-02-03T10:30", datetime(2026, 2, 3, 10, 30)),
        (
            "at",
            datetime(2026, 1, 1, 9, tzinfo=UTC),
            "2026-02-03T10:30+02:00",
            datetime(2026, 2, 3, 8, 30, tzinfo=UTC),
        ),
        ("key", UUID(int=1), str(UUID(int=2)), UUID(int=2)),
        ("kind", Currency.EUR, "USD", Currency.USD),
        ("kind", Currency.EUR, "usd", Currency.USD),
        ("words", ["a@x.example", "b@x.example"], "a@x.example\n", ["a@x.example"]),
    ],
)
def test_values_keep_their_exact_types(
    tmp_path: Path, name: str, value: Any, new: Any, expected: Any
) -> None:
    """Whatever is changed arrives in the type that stood there, and nothing else is changed."""
    with gate_on(tmp_path, text=OPEN_ALL) as gate, gate.session("s1", on_behalf_of=None):
        seen: list[Any] = []

        @gate.guard("desk.take")
        def take(**given: Any) -> None:
            seen.append(given)

        changing(gate, **{name: new})
        take(**{name: value, "other": "same"})
        assert seen == [{name: expected, "other": "same"}]
        assert type(seen[0][name]) is type(expected)


def test_values_inside_models_and_dicts_are_changed_in_copies(tmp_path: Path) -> None:
    """A field of a pydantic model and a key of a dict can be changed; the caller's own objects stay."""
    with gate_on(tmp_path, text=OPEN_ALL) as gate, gate.session("s1", on_behalf_of=None):
        seen: list[Any] = []

        @gate.guard("desk.take")
        def take(order: Order, options: dict[str, int]) -> None:
            seen.append((order, options))

        order, options = Order(amount=Decimal(400)), {"limit": 5, "other": 6}
        People(gate, lambda hold: _edit(gate, hold, {"args.order.amount": "250", "args.options.limit": 4}))
        take(order, options)
        assert seen == [(Order(amount=Decimal(250)), {"limit": 4, "other": 6})]
        assert (order.amount, options) == (Decimal(400), {"limit": 5, "other": 6})


def _edit(gate: Gate, hold: Any, changes: Mapping[str, Any]) -> None:
    from tests.kit import ROUTE

    gate.service.edit(
        hold.id, store=hold.store, nonce=hold.nonce, person=ALICE, satisfies=frozenset({"U0ALICE"}),
        changes=changes, route=ROUTE,
    )  # fmt: skip


def test_a_frozen_dataclass_is_changed_in_a_copy(tmp_path: Path) -> None:
    """Models that nobody can change otherwise come changed, too."""
    with gate_on(tmp_path, text=OPEN_ALL) as gate, gate.session("s1", on_behalf_of=None):
        seen: list[Any] = []

        @gate.guard("desk.take")
        def take(order: Line) -> None:
            seen.append(order)

        given = Line(5)
        People(gate, lambda hold: _edit(gate, hold, {"args.order.amount": 4}))
        take(given)
        assert (seen, given) == ([Line(4)], Line(5))


def _limited(gate: Gate) -> Callable[..., Any]:
    @gate.guard("desk.pay")
    def pay(amount: Annotated[int, Field(le=500)], to: str = "bob", limit: int | None = None) -> str:
        return f"{amount} {limit}"

    return pay


def test_the_schema_of_the_catalogue_refuses_before_anything_is_recorded(tmp_path: Path) -> None:
    """A bound of the annotation stands in the catalogue, so the editor is told, and the hold stays."""
    with gate_on(tmp_path, text=OPEN_ALL) as gate, gate.session("s1", on_behalf_of=None):
        pay = _limited(gate)
        found: list[BadEdit] = []

        def act(hold: Any) -> None:
            with pytest.raises(BadEdit) as caught:
                change(gate.service, hold, amount=501)
            found.append(caught.value)
            change(gate.service, hold, amount=499)

        People(gate, act)
        assert pay(400) == "499 None"
        assert found[0].problems == {"args.amount": "must be at most 500"}


def test_an_empty_value_may_be_given_and_taken_away_where_the_schema_says_so(tmp_path: Path) -> None:
    """A parameter that may be None can be given a value of its annotation's type, and loses it again."""
    with gate_on(tmp_path, text=OPEN_ALL) as gate, gate.session("s1", on_behalf_of=None):
        pay = _limited(gate)
        changing(gate, limit="7")
        assert pay(400) == "400 7"
        changing(gate, limit="")
        assert pay(401, limit=9) == "401 None"


def test_a_validator_that_only_the_agent_knows_ends_the_call_without_a_run(tmp_path: Path) -> None:
    """What no schema says is asked of the annotation at claim; what it refuses never reaches the tool."""
    from pydantic import AfterValidator

    def even(value: int) -> int:
        if value % 2:
            raise ValueError("only even amounts")
        return value

    with gate_on(tmp_path, text=OPEN_ALL) as gate, gate.session("s1", on_behalf_of=None):
        ran: list[int] = []

        def take(amount: Any) -> None:
            ran.append(amount)

        take.__annotations__["amount"] = Annotated[int, AfterValidator(even)]
        guarded = gate.guard("desk.take")(take)
        changing(gate, amount=251)
        with pytest.raises(Cancelled) as caught:
            guarded(400)
        assert caught.value.code == "edit_not_taken"
        assert "only even amounts" in caught.value.message_for_agent
        assert "amount from 400 to 251" in caught.value.message_for_agent
        assert ran == []
        assert gate.service.action(caught.value.action_id).state == State.CANCELLED


def test_a_model_is_asked_about_its_changed_field(tmp_path: Path) -> None:
    """A bound on a model's field counts though the model is passed whole."""
    with gate_on(tmp_path, text=OPEN_ALL) as gate, gate.session("s1", on_behalf_of=None):

        def take(order: Any) -> None:
            raise AssertionError("it must not run")

        guarded = gate.guard("desk.take")(take)  # no annotation, so no schema
        People(gate, lambda hold: _edit(gate, hold, {"args.order.amount": "600"}))
        with pytest.raises(Cancelled, match="less than or equal to 500"):
            guarded(Order(amount=Decimal(400)))


def test_another_target_than_the_one_people_saw_does_not_run(tmp_path: Path) -> None:
    """A change that would send the call elsewhere than the card said is not taken."""
    with gate_on(tmp_path, text=OPEN_ALL) as gate, gate.session("s1", on_behalf_of=None):

        @gate.guard("desk.take", target=lambda args: f"account of {args['to']}")
        def take(to: str, amount: int) -> str:
            return f"{to} {amount}"

        changing(gate, to="eve")
        with pytest.raises(Cancelled, match="another target"):
            take("bob", 5)
        changing(gate, amount=4)
        assert take("bob", 6) == "bob 4"


def test_a_target_that_raises_for_the_changed_call_keeps_it_from_running(tmp_path: Path) -> None:
    """Where host code cannot say where a changed call goes, the fault says so and the approval is unused."""
    with gate_on(tmp_path, text=OPEN_ALL) as gate, gate.session("s1", on_behalf_of=None):

        @gate.guard("desk.take", target=lambda args: {"bob": "account of bob"}[args["to"]])
        def take(to: str) -> str:
            raise AssertionError("it must not run")

        changing(gate, to="eve")
        with pytest.raises(ActionError, match=r"target= of desk\.take raised KeyError.*Nothing ran"):
            take("bob")
        (hold,) = gate.service.holds()
        assert hold.state == State.APPROVED


def test_facts_are_looked_up_for_the_changed_arguments(tmp_path: Path) -> None:
    """What the host says of the new value counts at claim: a rule that blocks it then blocks it."""
    text = OPEN_ALL.replace("rules:\n", "rules:\n  - {id: bad, match: desk.take, when: {facts.risk: high}, "
                                        "then: block, reason: Risky.}\n")  # fmt: skip
    with gate_on(tmp_path, text=text) as gate, gate.session("s1", on_behalf_of=None):
        asked: list[Any] = []

        def risk(args: Mapping[str, Any]) -> Mapping[str, Any]:
            asked.append(args["to"])
            return {"risk": "high" if args["to"] == "eve" else "low"}

        @gate.guard("desk.take", facts=risk)
        def take(to: str) -> None:
            raise AssertionError("it must not run")

        changing(gate, to="eve")
        outcome = gate.outcome(take, "bob")
        assert (outcome.code, asked) == ("blocked", ["bob", "eve"])


def test_a_later_caller_gets_the_outcome_with_what_was_changed(tmp_path: Path) -> None:
    """Whoever calls the same again reads the kept result and that the call was changed."""
    with gate_on(tmp_path, text=EDITABLE) as gate, gate.session("s1", on_behalf_of=None):

        @gate.guard("desk.pay")
        def pay(amount: int, to: str) -> int:
            if to == "nowhere":
                raise RuntimeError("no such account")
            return amount if to == "bob" else object()  # type: ignore[return-value]

        def call(id_: str, amount: int, to: str = "bob") -> Any:
            gate.call(id=id_)
            return gate.outcome(pay, amount, to)

        changing(gate, amount=250)
        call("c1", 400)
        again = call("c1", 400)
        assert (again.result, again.edits, again.shared) == (250, ("amount from 400 to 250",), True)
        changing(gate, to="nowhere")
        with pytest.raises(RuntimeError):
            call("c2", 400)
        failed = call("c2", 400)
        assert isinstance(failed, Failed)
        assert "to from bob to nowhere" in failed.message_for_agent
        changing(gate, to="carol")
        call("c3", 400)
        gate.call(id="c3")
        with pytest.raises(ResultNotKept, match="to from bob to carol"):
            pay(400, "bob")


def test_a_secret_of_the_changed_call_is_hidden_from_the_log(tmp_path: Path) -> None:
    """What the tool raises is told without the secrets of the call that ran."""
    with gate_on(tmp_path, text=EDITABLE) as gate, gate.session("s1", on_behalf_of=None):

        @gate.guard("desk.pay")
        def pay(amount: int, to: str, password: str) -> None:
            raise RuntimeError(f"no {password} for {amount}")

        gate.call(id="c1")
        changing(gate, amount=250)
        with pytest.raises(RuntimeError, match="hunter2hunter2"):
            pay(400, "bob", "hunter2hunter2")
        gate.call(id="c1")
        again = gate.outcome(pay, 400, "bob", "hunter2hunter2")
        assert isinstance(again, Failed)
        assert again.error == "RuntimeError: no (hidden) for 250"


def test_names_are_told_only_where_the_policy_says_so(tmp_path: Path) -> None:
    """Who changed it is a person, or is named where tell_agent says so."""
    text = EDITABLE.replace("expires_in: 1h,", "expires_in: 1h, tell_agent: {approver: name},")
    with gate_on(tmp_path, text=text) as gate, gate.session("s1", on_behalf_of=None):

        @gate.guard("desk.pay")
        def pay(amount: int, to: str) -> int:
            return amount

        changing(gate, amount=250)
        told = gate.outcome(pay, 400, "bob").message_for_agent
        assert "Alice changed the call before it was approved: amount from 400 to 250." in told


def test_an_unchanged_call_says_nothing_of_changes(tmp_path: Path) -> None:
    """A plain approval has no edits, inside the tool and after."""
    with gate_on(tmp_path, text=EDITABLE) as gate, gate.session("s1", on_behalf_of=None):

        @gate.guard("desk.pay")
        def pay(amount: int, to: str) -> int:
            assert gate.edits() == ()
            return amount

        people(gate)
        ran = gate.outcome(pay, 400, "bob")
        assert isinstance(ran, Ran)
        assert (ran.result, ran.edits) == (400, ())
        assert "changed" not in ran.message_for_agent
