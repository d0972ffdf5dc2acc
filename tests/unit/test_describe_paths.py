"""What a describe line may say beside the arguments: effects, facts, and who asks for whom."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.views.card import card_text
from tests.kit import ASKER, act, change, service

LINE = (
    "{action} {args.to}: {effect.amount} {effect.currency}, {effect.count}, {effect.risk}, "
    "{effect.outbound}; {facts.shop.name}, {facts.missing}; {agent} in {session.id} for {on_behalf_of}"
)


def policy(line: str, more: str = "") -> str:
    return (
        "version: 1\ndefault: require_approval\n"
        "approvals: {channel: C0APPROVALS, approvers: [U0ALICE], comment: {deny: optional}}\n"
        "actions:\n  desk.pay: {risk: write, amount: args.amount, currency: EUR, decisive: [args.amount], "
        f"describe: {line!r}}}\n{more}"
    )


def said(line: str, facts: dict[str, object] | None = None, more: str = "", **arguments: object) -> str:
    gate = service(text=policy(line, more))
    call = act(**{"amount": 400, "to": "bob", **arguments})
    submission = gate.submit(replace(call, facts=facts or {}))
    return gate.hold(submission.record.id).described


def test_every_path_that_exists_can_be_said() -> None:
    """Effects, facts, session, agent and principal are filled in; what is missing says so."""
    found = said(LINE, {"shop": {"name": "North"}})
    assert found == (f"desk.pay bob: 400 EUR, 1, write, true; North, (not given); desk in s1 for {ASKER}")


@pytest.mark.parametrize(
    ("line", "facts", "more", "arguments", "expected"),
    [
        ("{effect.amount}", {}, "redact: [args.amount]\n", {}, "(hidden)"),
        ("{effect.amount}", {}, "", {"amount": "four"}, "(cannot be read)"),
        ("{effect.amount}", {}, "", {"amount": {"a": 1}}, "(cannot be read)"),
        ("{facts.api_key}", {"api_key": "swordfish"}, "", {}, "(hidden)"),
        (
            "{facts.who}",
            {"who": "mail bob@corp.example"},
            "redact: [args.to]\n",
            {"to": "bob@corp.example"},
            "mail (hidden)",
        ),
        ("{facts.who}", {"who": "{args.to}"}, "", {}, "{args.to}"),
        ("{facts.tags}", {"tags": ["a", "b"]}, "", {}, "a, b"),
    ],
)
def test_nothing_hidden_is_said(
    line: str, facts: dict[str, object], more: str, arguments: dict[str, object], expected: str
) -> None:
    """What is hidden of arguments and facts stays hidden there; values are never read as templates."""
    assert said(line, facts, more, **arguments) == expected


def test_the_lock_screen_reduces_these_values_too() -> None:
    """A fact on the notification line has letters and digits only, as an argument has."""
    gate = service(text=policy("Pay {args.amount} to {facts.shop}"))
    gate.open_session("s1", agent="desk", on_behalf_of=ASKER, facts={"shop": "<http://x|North>"})
    record = gate.hold(gate.submit(act(amount=400, to="bob")).record.id)
    assert record.described == "Pay 400 to <http://x|North>"
    assert not set("<>|") & set(card_text(record))


def test_an_edited_call_says_its_new_amount() -> None:
    """The line of the next version is filled in again, from its own values."""
    more = "rules:\n- {id: r, then: require_approval, reason: Why., editable: [args.amount]}\n"
    gate = service(
        text=policy("{effect.amount} for {facts.shop}", more).replace(
            "default: require_approval", "default: allow"
        )
    )
    gate.open_session("s1", agent="desk", on_behalf_of=ASKER, facts={"shop": "North"})
    hold = gate.submit(act(amount=400, to="bob")).record.id
    assert gate.hold(hold).described == "400 for North"
    assert change(gate, hold, amount=250).described == "250 for North"
