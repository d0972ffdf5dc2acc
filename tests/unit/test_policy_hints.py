"""Messages about a policy that show what to write in place of what was meant."""

from __future__ import annotations

import pytest

from gate.errors import PolicyError
from gate.policy.load import load_texts

RULE = "default: allow\nrules:\n  - id: r\n    match: a.b\n    then: block\n    reason: No.\n    when: "


def test_a_budget_says_everything_that_is_wrong_with_it() -> None:
    """A key that is missing hides no path that does not exist."""
    with pytest.raises(PolicyError) as error:
        load_texts(
            {"p.yml": "version: 1\ndefault: allow\nbudgets: [{id: b, limit: 1, per: day, then: block}]"}
        )
    assert [each.where.rpartition(".")[2] for each in error.value.problems] == ["window", "per"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "actions: {a.b: {amount: amount}}",
            'no argument: write args.… (did you mean "args.amount"?)',
        ),
        ("actions: {a.b: {amount: effect.amount}}", '(did you mean "args.amount"?)'),
        ("actions: {a.b: {amount: agrs.card.total}}", '(did you mean "args.card.total"?)'),
        (
            "actions: {a.b: {currency: EURO}}",
            "ISO 4217 (did you mean EUR?): write a code such as EUR",
        ),
        ("actions: {a.b: {currency: currency}}", "or a path such as args.currency"),
        ("default: allow\nactions:\n\ta.b: {risk: read}\n", "a tab stands here, write spaces in its place"),
        (RULE + "{effect.amount: {lt: 250 EUR}}", "must be a number or {path: …}: write {EUR: 250}"),
        (RULE + "{effect.amount: {lt: EUR 2.50}}", "write {EUR: 2.50}"),
        (RULE + "{args.amount: {lt: 250 EUR}}", "must be a number or {path: …}: write 250"),
    ],
)
def test_the_message_shows_what_to_write(text: str, said: str) -> None:
    """One message, which names the right form."""
    with pytest.raises(PolicyError) as error:
        load_texts({"p.yml": f"version: 1\nname: p\n{text}"})
    assert said in str(error.value)
