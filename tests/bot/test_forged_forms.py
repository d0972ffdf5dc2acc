"""Forms that nobody was shown, sent by anybody: nothing is changed, denied or frozen; all are answered."""

from __future__ import annotations

import json
from typing import Any

from bot import names
from bot.references import Origin, Reference
from bot.views import modals
from gate.lifecycle import State
from gate.model import HoldRecord
from tests.bot.bot_fixtures import CHANNEL, Office, office_of
from tests.bot.presses import refusals
from tests.bot.test_burst_cards import FAST
from tests.bot.test_handlers_edits import EDITABLE, REFUND

__all__ = ["office_of"]

CHEAP = {"values": {"edit:args.amount": {names.FIELD: {"type": "number_input", "value": "1"}}}}
UNASKED = {
    "values": {"edit:args.order_id": {names.FIELD: {"value": "ORD-9"}}, "edit:x": {names.FIELD: {"value": 1}}}
}
REASON = {"values": {modals.COMMENT_BLOCK: {names.COMMENT: {"value": "Because."}}}}
BROKEN: list[Any] = [None, [1], {"values": [1]}, {"values": {"edit:args.amount": "x"}}, UNASKED]
NOBODIES: dict[str, dict[str, Any]] = {
    "U0CAROL": {}, "U0GUEST": {}, "U0GATEBOT": {}, "": {}, "U0ALICE": {"function_data": {"x": 1}},
}  # fmt: skip


def _send(
    office: Office,
    meta: str,
    form: str,
    state: Any,
    user: str = "U0ALICE",
    team: str = "T0LOCAL",
    **more: Any,
) -> Any:
    """Send a form, and return what the bot answers."""
    trigger = office.control.mint(user="U0ALICE", channel=CHANNEL, ts="1.1")["trigger_id"]
    view = {"id": "V1", "type": "modal", "callback_id": form, "private_metadata": meta, "blocks": []}
    answer = office.control.forge(
        {
            "type": "view_submission",
            "team": {"id": "T0LOCAL"},
            "user": {"id": user, "team_id": team},
            "api_app_id": "A0GATE",
            "trigger_id": trigger,
            "view": view if state is None else view | {"state": state},
        }
        | more
    )
    assert answer["acked"]
    return answer["body"]


def _meta(record: HoldRecord, **changes: str) -> str:
    named = {"store": record.store, "hold": record.id, "nonce": record.nonce} | changes
    return Origin(Reference(**named), CHANNEL, "1.1").dump()


def test_no_forged_edit_changes_anything(office_of: Any) -> None:
    """Broken state, paths that may not be changed, other holds, stores and versions, and other people."""
    office = office_of(EDITABLE)
    office.open()
    one, other = office.hold(**REFUND), office.hold(session="s2", **(REFUND | {"order_id": "ORD-2"}))
    for state in BROKEN:
        assert "errors" in _send(office, _meta(one), names.EDIT_FORM, state)
    for meta in ("", "null", _meta(one, nonce=other.nonce), _meta(one, store="x"), _meta(one, hold="x" * 16)):
        assert "Not recorded" in str(_send(office, meta, names.EDIT_FORM, CHEAP))
    for user, more in NOBODIES.items():
        assert "Not recorded" in str(_send(office, _meta(one), names.EDIT_FORM, CHEAP, user, **more))
    assert "Not recorded" in str(_send(office, _meta(one), names.EDIT_FORM, CHEAP, team="T0OTHER"))
    for each in (one, other):
        now = office.agent.hold(each.id)
        assert (now.state, now.version, now.decisions) == (State.PENDING, 1, ())
    assert {"changed", "guest", "bot", "not_eligible", "stranger", "other_store"} <= set(
        refusals(office, one)
    )


def test_no_forged_form_freezes_denies_or_says_what_ran(office_of: Any) -> None:
    """Strangers, guests, apps and people of other workspaces do nothing to a burst, and none to a hold."""
    office = office_of(FAST.replace("[U0CAROL]", "[U0BOB]"))
    office.open()
    held = [office.hold(order_id=f"ORD-{n}", amount=n + 400, currency="EUR") for n in range(3)]
    with office.agent.store.reader() as reader:
        (row,) = reader.all("SELECT id FROM bursts")
    burst = _meta(held[0], hold=row["id"], nonce="burst")
    marks = json.dumps([burst, "".join(each.nonce[:6] for each in held)])
    people = [*NOBODIES.items(), ("U0ALICE", {"team": "T0OTHER"})]
    for user, more in people:
        for form, meta in ((names.FREEZE_FORM, burst), (names.DENY_ALL_FORM, marks)):
            assert "Not " in str(_send(office, meta, form, REASON, user, **more)["view"]["title"])
        for form in (names.RAN_FORM, names.NOT_RUN_FORM):
            assert "Not recorded" in str(_send(office, _meta(held[0]), form, REASON, user, **more))
    assert office.agent.freezes() == []
    for each in held:
        now = office.agent.hold(each.id)
        assert (now.state, now.decisions, now.annotation) == (State.PENDING, (), None)
    assert "3 calls are denied" in str(_send(office, marks, names.DENY_ALL_FORM, REASON))


def test_a_form_of_no_version_answers_nothing(office_of: Any) -> None:
    """Whatever it is called, it is neither an approval nor a denial, and whoever sent it is told so."""
    office = office_of(EDITABLE)
    office.open()
    hold = office.hold(**REFUND)
    for form in ("gate:form:later", names.NOTHING, "deny", ""):
        said = str(_send(office, _meta(hold), form, REASON))
        assert "means nothing to this version of the gate; nothing was recorded" in said, form
    assert office.agent.hold(hold.id).decisions == ()
