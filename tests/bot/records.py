"""Hold records for the tests of views, plain and hostile."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from gate.lifecycle import State
from gate.model import (
    Approver,
    Decision,
    Evidence,
    HoldRecord,
    PastCall,
    Person,
    Principal,
    Requirement,
    ResolvedEffect,
    Ruling,
)

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ALICE = Person("T0LOCAL", "U0ALICE", "Alice")
BOB = Person("T0LOCAL", "U0BOB", "Bob")

FINANCE = Requirement(
    rules=("refunds/over-250",),
    approvers=(Approver("group", "S0FINANCE"), Approver("user", "U0CAROL")),
    quorum=1,
    channels=("C0APPROVALS",),
)

REFUND = HoldRecord(
    id="0123456789abcdef",
    store="fedcba9876543210",
    version=1,
    nonce="nonce00000000000",
    state=State.PENDING,
    code="",
    name="payments.issue_refund",
    described="Refund 400.00 EUR on ORD-1",
    arguments={
        "order_id": "ORD-1",
        "amount": {"$decimal": "400.00"},
        "currency": "EUR",
        "reason": "arrived damaged",
    },
    decisive=("args.order_id", "args.amount", "args.currency"),
    hidden=(),
    not_shown=("ctx",),
    agent="support",
    session="conversation-4711",
    on_behalf_of=Principal("outside", "customer cus_81"),
    asked_by=None,
    target=None,
    note=None,
    effect=ResolvedEffect(
        risk="write",
        reversible=False,
        outbound=True,
        describe="Refund {args.amount} {args.currency} on {args.order_id}",
    ),
    rulings=(
        Ruling("refunds/over-250", "require_approval", "Refund above the delegated limit.", "refunds.yml:9"),
    ),
    requirements=(FINANCE,),
    decisions=(),
    evidence=(Evidence("Order delivered 2026-02-20", "strong", "https://shop.example/orders/1"),),
    history=(),
    identical=None,
    created_at=NOW,
    expires_at=NOW + timedelta(hours=4),
    deliver_by=NOW + timedelta(minutes=10),
    use_by=None,
    ended_at=None,
    end_reason="",
    result=None,
    cards=(),
    waiting=True,
    revision="r1",
)


def refund(**changes: Any) -> HoldRecord:
    """Return the plain record with changes."""
    return replace(REFUND, **changes)


def ended(state: State, code: str, **changes: Any) -> HoldRecord:
    """Return the plain record as it ended."""
    return refund(**({"state": state, "code": code, "ended_at": NOW + timedelta(minutes=5)} | changes))


NASTY = (
    "<!channel> <@U0ALICE> <https://evil.example|look>",
    "`*bold*` _it_ ~no~ ```code```",
    ":white_check_mark: approved",
    "\u202eEUR 004\u202c",
    "zero\u200bwidth\u2060and\ufeff",
    "line one\nApprove by <@U0BOB>\nline three",
    "tag\U000e0041\U000e0042",
    "\ud800lone",
    "&lt;!here&gt; @here #general",
    "😀" * 50,
    "p\u0430yp\u0430l.example, \uff21pprove",
    "a" + " " * 300 + "; rm -rf /",
)

texts = st.one_of(
    st.sampled_from(NASTY),
    st.text(max_size=40),
    st.text(alphabet=st.characters(codec=None, categories=None), max_size=20),
    st.builds(lambda piece, times: piece * times, st.sampled_from(NASTY), st.integers(1, 400)),
)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), texts)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5), st.dictionaries(st.text(max_size=12), inner, max_size=5)
    ),
    max_leaves=12,
)
MARK = "QZX"
"""Stands in every hostile text, so that a test can find where text of others went."""

decisions = st.builds(
    Decision,
    person=st.sampled_from([ALICE, BOB, Person("T0OTHER", "<!here>", "*x*")]),
    said=st.sampled_from(["approve", "deny"]),
    comment=texts,
    at=st.just(NOW),
    version=st.just(1),
    counts=st.sampled_from([frozenset(), frozenset({0}), frozenset({0, 1})]),
)
past_calls = st.builds(
    PastCall,
    action_id=st.sampled_from(["a" * 16, "b" * 16]),
    name=st.just("orders.lookup"),
    described=texts,
    state=st.sampled_from(list(State)),
    at=st.just(NOW),
    reason=texts,
    held=st.booleans(),
    by=st.sampled_from(["", "U0BOB", "<!here>"]),
    ended_at=st.sampled_from([None, NOW]),
)


@st.composite
def hostile(draw: st.DrawFn) -> HoldRecord:
    """Draw a record whose every text may be an attack."""
    arguments = draw(st.dictionaries(texts.map(lambda text: text[:50]), values, max_size=30))
    paths = ("args.amount", *(f"args.{name}" for name in ("a", "b", "order_id")))
    state = draw(st.sampled_from(list(State)))
    return refund(
        state=state,
        code="",
        described=draw(texts) or "x",
        arguments=arguments,
        decisive=draw(st.sampled_from([(), paths])),
        hidden=draw(st.sampled_from([(), ("args.amount",)])),
        not_shown=tuple(draw(st.lists(texts, max_size=3))),
        agent=draw(texts),
        session=draw(texts),
        on_behalf_of=draw(
            st.one_of(
                st.none(),
                st.builds(Principal, kind=st.sampled_from(["person", "email", "outside"]), id=texts),
            )
        ),
        target=draw(st.one_of(st.none(), texts)),
        note=draw(st.one_of(st.none(), texts)),
        rulings=tuple(
            draw(
                st.lists(
                    st.builds(
                        Ruling,
                        rule=st.just("a/b"),
                        answer=st.just("require_approval"),
                        reason=texts,
                        missing=st.lists(texts, max_size=3).map(tuple),
                    ),
                    max_size=6,
                )
            )
        ),
        requirements=(
            replace(FINANCE, deny_reasons=tuple(draw(st.lists(texts, max_size=3)))),
            replace(
                FINANCE, approvers=tuple(Approver("user", f"U{n:08d}") for n in range(40)), distinct=True
            ),
        ),
        decisions=tuple(draw(st.lists(decisions, max_size=8))),
        evidence=tuple(
            draw(
                st.lists(
                    st.builds(
                        Evidence,
                        text=texts,
                        weight=st.sampled_from(["strong", "weak", "unavailable"]),
                        url=st.one_of(
                            st.none(), texts, st.just("https://a.example/x"), st.just("javascript:1")
                        ),
                    ),
                    max_size=6,
                )
            )
        ),
        history=tuple(draw(st.lists(past_calls, max_size=4))),
        identical=draw(st.one_of(st.none(), past_calls)),
        denied=tuple(draw(st.lists(past_calls, max_size=2))),
        similar=tuple(draw(st.lists(past_calls, max_size=2))),
        use_by=NOW + timedelta(hours=1) if state is State.APPROVED else None,
        ended_at=NOW,
        end_reason=draw(texts),
        result=draw(st.one_of(st.none(), texts)),
    )
