"""Names of arguments are text of others too: none hides, doubles or imitates a value that decides."""

from __future__ import annotations

from bot.references import Origin, Reference
from bot.views.card import card
from bot.views.everything import everything, paged
from bot.views.values import all_values, decisive_values, other_values
from gate.model import HoldRecord
from tests.bot.bot_fixtures import spell
from tests.bot.records import refund


def full(record: HoldRecord) -> str:
    """Return every page of the full view."""
    pages = paged(record)
    origin = Origin(Reference.of(record))
    return "\n".join(spell(block) for page in pages.pages for block in page) + spell(
        everything(record, origin)
    )


def test_an_argument_named_like_a_fact_of_the_call_hides_nothing() -> None:
    """``agent`` of the call and ``args.agent`` of the agent both stand on the card, told apart."""
    record = refund(
        arguments={"agent": "the boss", "amount": 5}, decisive=("agent", "args.agent", "args.amount")
    )
    labels = [value.label for value in decisive_values(record)]
    assert labels == ["agent (of the call)", "agent", "amount"]
    assert {value.text for value in decisive_values(record)} >= {"support", "the boss"}


def test_an_argument_named_like_a_decisive_fact_is_still_shown() -> None:
    """An argument does not drop out of the others because the call has a decisive fact of that name."""
    record = refund(arguments={"agent": "the boss", "amount": 5}, decisive=("agent", "args.amount"))
    assert [value.label for value in other_values(record)] == ["agent"]


def test_a_name_that_looks_like_a_value_stands_in_quotes() -> None:
    """A key cannot write another value's line."""
    record = refund(arguments={"amount: 5, to": "x", "amount": 400, "*b*\n<!here>": 1}, decisive=())
    labels = [value.label for value in all_values(record)]
    assert labels[1] == "amount"
    assert labels[0] == 'args["amount: 5, to"]'
    assert "\n" not in labels[2]
    assert labels[2].startswith('args["')


def test_a_long_name_is_shown_whole() -> None:
    """A name of a thousand characters is cut neither on the card nor in the full view."""
    name = "n" * 1000
    record = refund(arguments={name: 7}, decisive=())
    assert name in spell(card(record))
    assert name in full(record)
