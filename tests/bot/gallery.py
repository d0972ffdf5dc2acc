"""The stored views: one record for each situation that people meet, and what is drawn for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from bot.files import STANDS
from bot.references import Origin, Reference
from bot.views import burst as burst_views
from bot.views import doubt, nudge
from bot.views.card import Place, card, card_text
from bot.views.edits import edit_form
from bot.views.everything import everything, paged
from bot.views.home import HomePage, home
from bot.views.inbox import budget_blocks, help_blocks, list_blocks, show_blocks
from bot.views.modals import approve_form, deny_form, recording, told
from gate.lifecycle import State
from gate.model import (
    BudgetCall,
    BudgetState,
    Burst,
    BurstHold,
    Change,
    Decision,
    Edit,
    Evidence,
    Field,
    Freeze,
    HoldRecord,
    PastCall,
    Principal,
    Requirement,
    ResolvedEffect,
    Ruling,
)
from gate.model.overview import Answered, Spent
from gate.policy.spending import numbers
from tests.bot.records import ALICE, BOB, FINANCE, NOW, ended, refund

FIELDS = (Field("args.amount", "decimal"), Field("args.reason", "text"))
LOCAL = Place(local=True)
SIXTY = "Parcel 4711 left at the neighbour's, who says it never came."
LEGAL = replace(
    FINANCE,
    rules=("refunds/very-large",),
    approvers=FINANCE.approvers[1:],
    distinct=True,
)
WITHOUT_CAROL = replace(FINANCE, approvers=FINANCE.approvers[:1])
"""What is asked where the agent acts for Carol, who is among nobody's approvers then."""
MONEY = BudgetState(
    digest="d",
    terms="t",
    bucket="support",
    per="for this agent",
    kind="money",
    limits={"EUR": Decimal(5000), "*": Decimal(5000)},
    window=timedelta(hours=24),
    charged={"EUR": Decimal(4800)},
    waiting={"EUR": Decimal(300)},
    adds={"EUR": Decimal(400)},
    calls=tuple(
        BudgetCall(f"{n}" * 16, f"Refund {n}00.00 EUR on ORD-{n}", NOW, {"EUR": Decimal(n * 100)})
        for n in (9, 8, 7)
    ),
    more=True,
)
OLD = PastCall(
    "c" * 16,
    "payments.issue_refund",
    "Refund 900.00 EUR on ORD-7",
    State.DENIED,
    NOW - timedelta(days=3),
    "Not enough evidence: no photo of the damage.",
    held=True,
    by="U0BOB",
    ended_at=NOW - timedelta(days=3) + timedelta(minutes=9),
)
LOOKUP = PastCall("a" * 16, "orders.lookup", "orders.lookup ORD-1", State.SUCCEEDED, NOW, "")
PHOTO = Evidence("Photo of the parcel, from the customer", "weak", "https://shop.example/uploads/81.jpg")
CRM = Evidence("CRM did not answer", "unavailable")


def approved(*people: Any, comment: str = "", minutes: int = 2) -> tuple[Decision, ...]:
    """Return approvals, each a little later than the one before."""
    return tuple(
        Decision(person, "approve", comment, NOW + timedelta(minutes=minutes + n), 1, counts=frozenset({0}))
        for n, person in enumerate(people)
    )


def denied(comment: str) -> tuple[Decision, ...]:
    """Return a denial."""
    return (Decision(BOB, "deny", comment, NOW + timedelta(minutes=4), 1, counts=frozenset({0})),)


def plain_case() -> HoldRecord:
    """Return the plain case: three short values and a little context."""
    return refund(history=(LOOKUP,), evidence=(*refund().evidence, PHOTO))


def full_case() -> HoldRecord:
    """Return a hold with everything that a card can show."""
    return refund(
        decisive=("args.order_id", "args.amount", "args.reason"),
        arguments=refund().arguments
        | {"reason": SIXTY, "to": ["a@shop.example", "b@shop.example"], "body": "Dear customer, " * 40},
        on_behalf_of=Principal("person", "U0CAROL"),
        requirements=(WITHOUT_CAROL,),
        target="https://api.payments.example",
        evidence=(*refund().evidence, PHOTO, CRM, Evidence("Third refund this year", "strong")),
        history=(LOOKUP, OLD),
        denied=(OLD,),
        similar=(replace(OLD, action_id="d" * 16, state=State.PENDING, reason="", by="", ended_at=None),),
        note="The customer is very upset, please be quick.",
    )


def long_values() -> HoldRecord:
    """Return a hold with three decisive values of sixty characters."""
    return refund(
        arguments={"subject": SIXTY, "recipient": SIXTY[::-1], "body": SIXTY.upper()},
        decisive=("args.subject", "args.recipient", "args.body"),
        described=f"Send “{SIXTY}” to the customer",
        target="https://api.mail.example",
        on_behalf_of=Principal("person", "U0CAROL"),
        requirements=(WITHOUT_CAROL,),
    )


def unknown_case() -> HoldRecord:
    """Return a hold whose rule could not be decided."""
    missing = "args.amount is text, so it cannot be compared: give amount as a number"
    return refund(
        arguments={**refund().arguments, "amount": "14,000"},
        described="Refund 14,000 EUR on ORD-1",
        rulings=(
            Ruling(
                "refunds/over-250",
                "require_approval",
                f"Could not be decided: {missing}. If it applies: Refund above the delegated limit.",
                "refunds.yml:9",
                (missing,),
            ),
        ),
    )


def budget_case() -> HoldRecord:
    """Return a hold by a budget that lets more calls pass."""
    state = replace(MONEY, headroom=3)
    reason = numbers("refunds/money", state)
    return refund(
        rulings=(Ruling("refunds/money", "require_approval", reason, "refunds.yml:20", budget=state),)
    )


def quorum_case() -> HoldRecord:
    """Return a hold that needs two people and has one."""
    return refund(
        requirements=(replace(FINANCE, quorum=2),), decisions=approved(ALICE, comment="Claim seen.")
    )


def two_needs() -> HoldRecord:
    """Return a hold that two groups must approve, of which one has."""
    return refund(requirements=(FINANCE, LEGAL), decisions=approved(ALICE))


def editable_case() -> HoldRecord:
    """Return a hold whose amount and reason may be changed."""
    return refund(editable=("args.amount", "args.reason"))


def edited_case() -> HoldRecord:
    """Return a hold that somebody has changed, so that an approval is void."""
    change = Change("args.amount", {"$decimal": "900.00"}, {"$decimal": "400.00"})
    edit = Edit(2, BOB, NOW + timedelta(minutes=3), (change,), (ALICE,))
    return refund(
        version=2, edits=(edit,), decisions=approved(BOB), requirements=(replace(FINANCE, quorum=2),)
    )


def burst() -> Burst:
    """Return a burst of refunds."""
    pending = tuple(
        BurstHold(
            f"{n}" * 16,
            "payments.issue_refund",
            f"Refund {n}00.00 EUR on ORD-{n}",
            {"order_id": f"ORD-{n}", "amount": n * 100, "currency": "EUR"},
            (),
            replace(refund().effect, amount="args.amount", currency="args.currency"),
            NOW + timedelta(hours=4),
            True,
            f"nonce{n}",
        )
        for n in range(1, 9)
    )
    whom = Principal("person", "U0CAROL")
    return Burst(
        id="b" * 16, store="s" * 16, session="conversation-4711", agent="support", on_behalf_of=whom,
        channel="C0APPROVALS", ts="1.1", opened_at=NOW, closed_at=None, count=5,
        window=timedelta(minutes=10), pending=pending, ended={State.DENIED: 1}, frozen=False,
    )  # fmt: skip


def undeclared_case() -> HoldRecord:
    """Return a hold of a tool that nobody described."""
    return refund(
        name="crm.merge_contacts",
        described="crm.merge_contacts",
        arguments={"keep": "cus_81", "drop": "cus_82", "confirmed": True},
        decisive=(),
        effect=ResolvedEffect("write", False, True, guessed=True),
        rulings=(Ruling("refunds/default", "require_approval", "No rule covers this action."),),
        on_behalf_of=None,
    )


def long_case() -> HoldRecord:
    """Return a hold whose decisive value no card can show."""
    return refund(
        name="shell.run",
        described="shell.run",
        arguments={
            "command": "echo ok" + " " * 5000 + "; rm -rf /",
            "hosts": [f"web-{n}" for n in range(300)],
        },
        decisive=("args.command", "args.hosts"),
        effect=ResolvedEffect("destructive", False, False),
        view_required=True,
    )


FROZEN = (
    Freeze("session", "conversation-4712", "T0LOCAL/U0BOB", "It repeats itself.", NOW),
    Freeze("agent", "billing", "ops", "", NOW),
)
SPENT = (
    Spent("refunds/money", "support", MONEY, Decimal("0.96"), "require_approval", ()),
    Spent(
        "refunds/mails",
        "",
        replace(
            MONEY,
            kind="calls",
            per="",
            limits={"*": Decimal(50)},
            charged={"": Decimal(43)},
            waiting={},
            adds={},
        ),
        Decimal("0.86"),
        "block",
        (),
    ),
)


def home_page() -> HomePage:
    """Return a home tab with something in every part."""
    answered = (
        Answered(OLD, denied(OLD.reason)[0]),
        Answered(replace(LOOKUP, held=True, described="Refund 300.00 EUR on ORD-3"), approved(BOB)[0]),
    )
    mine = (plain_case(), long_case(), CASES["approved"](), quorum_case())
    return HomePage(mine, (two_needs(),), answered, SPENT, FROZEN, ids=frozenset({"U0ALICE"}))


RAN = {"decisions": approved(ALICE, comment="Damage claim verified."), "result": '{"refund": "RF-1"}'}
CASES: dict[str, Callable[[], HoldRecord]] = {
    "pending": plain_case,
    "pending-full": full_case,
    "pending-long-values": long_values,
    "pending-unknown": unknown_case,
    "pending-budget": budget_case,
    "pending-quorum": quorum_case,
    "pending-two-needs": two_needs,
    "pending-editable": editable_case,
    "pending-edited": edited_case,
    "pending-undeclared": undeclared_case,
    "pending-too-long": long_case,
    "pending-in-burst": lambda: replace(plain_case(), in_burst=True),
    "approved": lambda: refund(
        state=State.APPROVED, decisions=approved(ALICE), use_by=NOW + timedelta(minutes=30)
    ),
    "running": lambda: refund(state=State.RUNNING, decisions=approved(ALICE)),
    "ran": lambda: ended(State.SUCCEEDED, "ran", **RAN),
    "failed": lambda: ended(State.FAILED, "failed", decisions=approved(ALICE), end_reason="ValueError: no"),
    "denied": lambda: ended(
        State.DENIED, "denied", decisions=denied("Not enough evidence: no damage claim on file.")
    ),
    "expired": lambda: ended(State.EXPIRED, "expired_unanswered"),
    "expired-unused": lambda: ended(State.EXPIRED, "expired_unused", decisions=approved(ALICE)),
    "in-doubt": lambda: ended(State.IN_DOUBT, "in_doubt", decisions=approved(ALICE)),
    "cancelled": lambda: ended(State.CANCELLED, "session_ended"),
    "undelivered": lambda: ended(State.UNDELIVERED, "not_delivered_in_time"),
    "blocked": lambda: ended(
        State.BLOCKED, "frozen", decisions=approved(ALICE), end_reason="Everything is frozen: drill."
    ),
}
"""Every stored card, by the name of its snapshot."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One stored view.

    Attributes:
        kind: ``message``, ``modal`` or ``home``.
        payload: ``blocks`` and ``text`` of a message, or the view.
    """

    kind: str
    payload: dict[str, Any]


def origin(record: HoldRecord, page: int = 0) -> Origin:
    """Return where a modal about a record was opened from."""
    return Origin(Reference.of(record), "C0APPROVALS", "1.2", page)


def card_scene(record: HoldRecord, place: Place = LOCAL) -> Scene:
    """Return a record's card."""
    return Scene("message", {"blocks": card(record, place), "text": card_text(record)})


def _message(blocks: list[dict[str, Any]]) -> Scene:
    return Scene("message", {"blocks": blocks, "text": "The gate answers."})


def _staged(record: HoldRecord) -> HoldRecord:
    """Return a hold whose channels were replaced."""
    return replace(record, requirements=tuple(replace(each, staging=True) for each in record.requirements))


def scenes() -> dict[str, Scene]:
    """Return every stored view by its name."""
    made = {f"card-{name}": card_scene(case()) for name, case in CASES.items()}
    made |= _modals()
    made["card-staging"] = card_scene(_staged(plain_case()), Place())
    made["card-burst"] = Scene(
        "message", {"blocks": burst_views.card(burst()), "text": burst_views.card_text(burst())}
    )
    reminder, text = nudge.reminder(plain_case(), FINANCE.approvers)
    made["reminder"] = Scene("message", {"blocks": reminder, "text": text})
    made["home"] = Scene("home", home(home_page(), local=True))
    made["home-empty"] = Scene("home", home(HomePage()))
    made["home-refused"] = Scene("home", home(HomePage(refusal="Guests cannot answer.")))
    made["command-help"] = _message(help_blocks())
    made["command-holds"] = _message(
        list_blocks([plain_case(), CASES["approved"]()], [quorum_case()], FROZEN)
    )
    made["command-budgets"] = _message(budget_blocks(SPENT))
    made["command-budgets-none"] = _message(budget_blocks([]))
    made["command-holds-none"] = _message(list_blocks([]))
    made["command-show"] = _message(show_blocks(plain_case(), Place(local=True)))
    return made


def _modals() -> dict[str, Scene]:
    plain, comment = plain_case(), replace(FINANCE, comment_required=frozenset({"approve", "deny"}))
    asked: Requirement = replace(FINANCE, deny_reasons=("Ask the customer first", "Wrong account"))
    views = {
        "deny": deny_form(plain, origin(plain)),
        "deny-own-reasons": deny_form(refund(requirements=(asked,)), origin(plain)),
        "stop": deny_form(CASES["approved"](), origin(plain)),
        "approve-comment": approve_form(plain, origin(plain)),
        "approve-comment-required": approve_form(refund(requirements=(comment,)), origin(plain)),
        "approve-more": approve_form(budget_case(), origin(plain), more=3),
        "everything": everything(full_case(), origin(full_case())),
        "everything-long": everything(long_case(), origin(long_case())),
        "everything-file": everything(plain, origin(plain), replace(paged(plain), large=True), told=STANDS),
        "everything-ran": everything(CASES["ran"](), origin(plain)),
        "edit": edit_form(editable_case(), origin(plain), FIELDS),
        "burst-deny": burst_views.deny_form(burst()),
        "burst-freeze": burst_views.freeze_form(burst()),
        "doubt-ran": doubt.form(CASES["in-doubt"](), origin(plain), ran=True),
        "doubt-not-run": doubt.form(CASES["in-doubt"](), origin(plain), ran=False),
        "recording": recording(),
        "told": told("Not recorded", "You are not among the approvers of this hold."),
    }
    return {f"modal-{name}": Scene("modal", view) for name, view in views.items()}
