"""The card of a burst: a session's waiting calls with totals, and the two answers that stop them all."""

from __future__ import annotations

import json
from datetime import timedelta

from bot import names
from bot.references import Origin, Reference, read_metadata
from bot.views import blocks, modals
from bot.views.sentence import described
from bot.views.text import (
    Block,
    Shown,
    apart,
    clip,
    fixed,
    lines,
    named,
    notification,
    one_line,
    rich_text,
)
from bot.views.totals import Totals, totals
from gate.lifecycle import State
from gate.model import Burst
from gate.values import format_duration, format_number

LISTED = 20
NONCE = "burst"
MARK = 6
"""Characters of a version's nonce by which the form remembers what it was about."""
SEEN = 400
"""How many calls one form is about at most: their marks fit into a modal's 3000 characters."""
KINDS = 6
"""How many different actions are counted by name."""

_ENDED = {
    State.APPROVED: "approved", State.RUNNING: "running", State.SUCCEEDED: "ran", State.FAILED: "failed",
    State.DENIED: "denied", State.EXPIRED: "expired", State.CANCELLED: "cancelled",
    State.BLOCKED: "blocked", State.UNDELIVERED: "undelivered", State.IN_DOUBT: "in doubt",
}  # fmt: skip


def reference(burst: Burst) -> Reference:
    """Return what the buttons of a burst carry."""
    return Reference(burst.store, burst.id, NONCE)


def card(burst: Burst) -> list[Block]:
    """Return the blocks of a burst's card as it stands, within Slack's limits whatever the arguments are."""
    if burst.closed_at is not None or not burst.pending:
        return [blocks.header(Shown(_title(burst))), _who(burst), blocks.say(_after(burst))]
    found = totals(burst.pending)
    return [
        blocks.header(Shown(_title(burst))),
        _who(burst),
        blocks.say(_why(burst)),
        blocks.facts(_fields(found, len(burst.pending))),
        _listing(burst),
        _buttons(burst),
        blocks.context(fixed(_terms(burst))),
    ]


def card_text(burst: Burst) -> str:
    """Return the notification line of a burst's card."""
    return notification(f"{_title(burst)} ({burst.agent})", 250)


def _title(burst: Burst) -> str:
    count = len(burst.pending)
    if burst.closed_at is not None or not count:
        return "A burst of calls is over"
    return f"{count} calls of one session wait" if count > 1 else "1 call of a burst still waits"


def _who(burst: Burst) -> Block:
    whom = burst.on_behalf_of
    asks = [rich_text(one_line(burst.agent), 150, bold=True), rich_text(Shown(" asks"))]
    if whom is not None and whom.kind == "person":
        asks += [rich_text(Shown(" for ")), named(whom.id)]
    elif whom is not None:
        asks.append(rich_text(Shown(f" for {apart(one_line(whom.id))}"), 200))
    return blocks.prose(*asks, rich_text(one_line(f", in session {burst.session}"), 200))


def _why(burst: Burst) -> str:
    frozen = "*This session is frozen*: its calls can be denied, not approved. " if burst.frozen else ""
    return (
        f"{frozen}*These came faster than people can read*: more than {burst.count} within "
        f"{_span(burst.window)}. Look at them together before you approve any."
    )


def _span(window: timedelta) -> str:
    """Write a window in whole units, as people say it."""
    spelled = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
    text = format_duration(window)
    return f"{text[:-1]} {spelled[text[-1]] if text[:-1] != '1' else spelled[text[-1]][:-1]}"


def _fields(found: Totals, count: int) -> list[tuple[Shown, Shown]]:
    by_name = [f"{number} × {name}" for name, number in found.names[:KINDS]]
    more = [f"and {len(found.names) - KINDS} other actions"] if len(found.names) > KINDS else []
    shown = [(Shown("Calls"), clip(one_line(", ".join([*by_name, *more])), 600))]
    if found.sums or found.unread:
        shown.append((Shown("Together"), one_line(_money(found))))
    if found.recipients or found.hidden:
        hidden = " and some that are hidden" if found.hidden else ""
        shown.append((Shown("Different recipients"), Shown(f"{found.recipients}{hidden}")))
    return shown


def _money(found: Totals) -> str:
    sums = [
        f"{format_number(amount)} {code or 'in no known currency'}" for code, amount in found.sums.items()
    ]
    lost = [f"{found.unread} that cannot be read"] if found.unread else []
    return " + ".join([*sums, *lost])


def _listing(burst: Burst) -> Block:
    items = [
        [rich_text(clip(described(each), 140), 140), rich_text(Shown(f" ({each.id[:6]})"), 12)]
        for each in burst.pending[:LISTED]
    ]
    more = len(burst.pending) - LISTED
    items += [[rich_text(Shown(f"and {more} more"), 40)]] if more > 0 else []
    return blocks.list_of([], items)


def _buttons(burst: Burst) -> Block:
    value = str(reference(burst))
    deny = blocks.button("Deny all…", names.DENY_ALL, value, style="danger")
    freeze = [] if burst.frozen else [blocks.button("Freeze this session…", names.FREEZE_SESSION, value)]
    return blocks.actions(deny, *freeze)


def _terms(burst: Burst) -> str:
    ended = f" Of this burst: {_tally(burst)}." if burst.ended else ""
    return f"Each has a card of its own here and is approved there, one by one.{ended}"


def _after(burst: Burst) -> str:
    return f"*None of its calls waits here any more.* {_tally(burst).capitalize() or 'Nothing is left'}."


def _tally(burst: Burst) -> str:
    return ", ".join(f"{count} {_ENDED[state]}" for state, count in burst.ended.items() if state in _ENDED)


def _origin(burst: Burst) -> Origin:
    return Origin(reference(burst), burst.channel, burst.ts)


def deny_form(burst: Burst) -> Block:
    """Return the modal that asks why all are denied; nothing is preselected.

    It is about the calls that wait when it is drawn; whatever comes later is not among them.
    """
    count = len(burst.pending)
    which = f"each of the {count}" if count <= SEEN else f"the oldest {SEEN} of the {count}"
    what = lines(
        one_line(f"Denies {which} calls of session {burst.session} that wait here now."),
        "",
        "Each is recorded by itself. Those that you may not decide are left and named.",
    )
    wanted = any(each.comment_to_deny for each in burst.pending)
    asked = modals.WANTED if wanted else "A reason, or your own words, if you like."
    content = [
        blocks.section(what, 900),
        *modals.reasons_input(modals.REASONS, asked),
        modals.comment_input(optional=True),
    ]
    form = modals.form_modal("Deny all", "Deny all", content, names.DENY_ALL_FORM, _origin(burst))
    marks = "".join(each.nonce[:MARK] for each in burst.pending[:SEEN])
    return form | {"private_metadata": json.dumps([form["private_metadata"], marks])}


def loaded(meta: str) -> tuple[Origin, frozenset[str]]:
    """Read what the form that denies all remembers: where it was opened, and the marks of its calls.

    Raises:
        ValueError: It is not what ``deny_form`` writes.
    """
    match read_metadata(meta):
        case [str(origin), str(marks)]:
            pieces = (marks[at : at + MARK] for at in range(0, len(marks), MARK))
            return Origin.load(origin), frozenset(pieces)
    raise ValueError("not a form of this version")


def freeze_form(burst: Burst) -> Block:
    """Return the modal that asks why the session is frozen."""
    what = lines(
        one_line(f"Nothing of session {burst.session} but declared reads runs until an operator lifts this."),
        "",
        "Calls that wait keep their deadlines: they can be denied, not approved.",
    )
    words = modals.comment_input(optional=True, hint="Why. The agent and everybody here reads it.")
    content = [blocks.section(what, 900), words]
    return modals.form_modal("Freeze this session", "Freeze", content, names.FREEZE_FORM, _origin(burst))
