"""What code may declare of a tool: words and paths as in a policy, and parameters that the tool has."""

from __future__ import annotations

from typing import Any

import pytest

from gate import Effect, Gate
from gate.errors import GuardError


def _guarded(effect: Effect) -> None:
    gate = Gate(db=":memory:", agent="desk")

    @gate.guard("desk.pay", exclude=["client"], effect=effect)
    def pay(amount: int, to: str, client: Any = None) -> None:
        pass


@pytest.mark.parametrize(
    ("effect", "said"),
    [
        (Effect(risk="wirte"), r'Effect\(risk=…\): "wirte" is not one of read, write, destructive'),  # type: ignore[arg-type]
        (Effect(reversible=0), r"Effect\(reversible=…\): must be true or false"),  # type: ignore[arg-type]
        (Effect(amount="amount"), r'Effect\(amount=…\): "amount" is no argument'),
        (Effect(amount="args.amuont"), 'the tool has no parameter "amuont": it takes amount, to'),
        (Effect(count="args.client"), 'the tool has no parameter "client"'),
        (Effect(currency="ZZZ"), '"ZZZ" is no currency of ISO 4217'),
        (Effect(unit="cents"), r"Effect\(unit=…\): "),  # type: ignore[arg-type]
        (Effect(describe="{amount}"), r'Effect\(describe=…\): "amount" does not exist'),
        (Effect(describe="Pay {args.amount"), "a brace stands alone"),
        (Effect(describe="{args.who}"), 'no parameter "who"'),
        (Effect(decisive=("to",)), r'Effect\(decisive=…\): "to" is no argument'),
        (Effect(decisive="args.to"), "is one text: write a list of paths"),  # type: ignore[arg-type]
        (Effect(decisive=("args.who",)), 'no parameter "who"'),
    ],
)
def test_what_can_be_true_of_no_call_is_refused_at_decoration(effect: Effect, said: str) -> None:
    """Named by its key, with what to write; before, it would silently have meant nothing."""
    with pytest.raises(GuardError, match=said):
        _guarded(effect)


def test_what_a_policy_could_say_is_taken() -> None:
    """All keys at once, paths beside the arguments in the describe line, and nothing at all."""
    _guarded(
        Effect(
            "write",
            False,
            True,
            "args.amount",
            "EUR",
            "Pay {args.to} for {facts.shop}",
            ("args.to",),
            "minor",
        )
    )
    _guarded(Effect())


def test_a_tool_with_free_keywords_may_have_any_parameter() -> None:
    """Nobody knows what it takes before it is called."""
    gate = Gate(db=":memory:", agent="desk")

    @gate.guard("desk.any", effect=Effect(amount="args.amount"))
    def any_(**more: object) -> None:
        pass
