"""What the agent reads: one table from outcome code to sentence, and how the sentence is put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gate.model import Decision

_ANSWER = (
    "This is an answer, not an error: do not repeat the call and do not look for another way to do the same."
)
_LATER = (
    "This is an answer, not an error: do not repeat the call by yourself and do not look for another way;"
    " tell the person you work for."
)
_NOTHING = "Nothing ran."
_UNKNOWN = "It may have taken effect, and nobody knows: do not repeat it and do not look for another way;"
_ASK = "Reason:"
_HELD = "It was held because:"
_SAID = ""
_LOCAL = "The answer came from a local workspace, not from Slack."
LOCAL_TEAM = "T0LOCAL"
NEVER_STARTED = "never started"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One row of the table.

    Attributes:
        happened: What happened and by whom; ``{tool}``, ``{who}``, ``{Who}`` and ``{error}`` are filled in.
        ran: Whether anything ran.
        close: What to do next.
        again: Whether the agent may make the call again, for the docs.
        why: Words that introduce the reason; empty where the sentence says it already.
    """

    happened: str
    ran: str
    close: str
    again: str
    why: str = _ASK


SENTENCES: dict[str, Sentence] = {
    "blocked": Sentence("The policy blocked {tool}.", _NOTHING, _ANSWER, "no"),
    "frozen": Sentence(
        "A person has frozen this work, so {tool} was blocked.",
        _NOTHING,
        _LATER,
        "after the freeze is lifted",
    ),
    "too_many_pending": Sentence(
        "The policy blocked {tool} because too many calls already wait for people.",
        _NOTHING,
        _LATER,
        "after earlier calls were answered",
    ),
    "no_policy": Sentence("No policy covers {tool}, so it was blocked.", _NOTHING, _ANSWER, "no"),
    "denied": Sentence("{Who} denied {tool}.", _NOTHING, _ANSWER, "no, unless the case has changed", _HELD),
    "expired_unanswered": Sentence(
        "{tool} needed a person's approval, and nobody answered in time.",
        _NOTHING,
        _LATER,
        "if a person asks for it",
        _SAID,
    ),
    "expired_unused": Sentence(
        "{Who} approved {tool}, but it was not started in time, so the approval has ended.",
        _NOTHING,
        _LATER,
        "if a person asks for it",
        _SAID,
    ),
    "cancelled_by_operator": Sentence("A person cancelled {tool} before it ran.", _NOTHING, _ANSWER, "no"),
    "session_ended": Sentence(
        "{tool} was cancelled because its session was ended.", _NOTHING, _ANSWER, "in a new session", _SAID
    ),
    "caller_gone": Sentence(
        "{tool} was cancelled because nobody waited for it any more.",
        _NOTHING,
        _LATER,
        "if a person asks for it",
        _SAID,
    ),
    "key_renewed": Sentence(
        "{tool} was cancelled because the store's key was renewed.",
        _NOTHING,
        _LATER,
        "if a person asks for it",
        _SAID,
    ),
    "store_adopted": Sentence(
        "{tool} was cancelled because the store was restored from a copy.",
        _NOTHING,
        _LATER,
        "if a person asks for it",
        _SAID,
    ),
    "not_delivered_in_time": Sentence(
        "{tool} needs a person's approval, but nobody could be asked in time.",
        _NOTHING,
        _LATER,
        "if a person asks for it",
        _SAID,
    ),
    "delivery_failed": Sentence(
        "{tool} needs a person's approval, but asking for it failed.",
        _NOTHING,
        _LATER,
        "if a person asks for it",
    ),
    "nobody_can_approve": Sentence(
        "{tool} needs a person's approval, but there is nobody who could give it.", _NOTHING, _LATER, "no"
    ),
    "cannot_tell_who_asked": Sentence(
        "{tool} needs a person's approval, but the gate cannot tell who asked for it.",
        _NOTHING,
        _LATER,
        "no",
    ),
    "too_large_to_show": Sentence(
        "{tool} needs a person's approval, but it is too large to be shown to anybody.",
        _NOTHING,
        _LATER,
        "as smaller calls",
    ),
    "pending": Sentence(
        "{tool} waits for a person's approval.",
        "Nothing has run yet.",
        "This is not an error: go on with other work and do not look for another way;"
        " the same call made later goes on with the same wait.",
        "yes: the same call goes on with the same wait",
        _HELD,
    ),
    "in_doubt": Sentence(
        "{tool} was started and its end was never reported.", _UNKNOWN, "tell a person.", "no: a person looks"
    ),
    "interrupted": Sentence(
        "{tool} was interrupted while it ran.", _UNKNOWN, "tell a person.", "no: a person looks"
    ),
    "failed": Sentence(
        "{tool} ran and raised {error}.",
        "It may have taken effect.",
        "Do not repeat it before a person has looked.",
        "after a person has looked",
        _SAID,
    ),
    "result_not_kept": Sentence(
        "{tool} ran once and ended, and its result was not kept.",
        "It has taken effect.",
        "This is not an error: do not repeat it.",
        "no: it already ran",
        _SAID,
    ),
    "ran": Sentence("{tool} ran.", "", "", "yes: as a new call"),
}
"""Outcome code to what the agent reads about it."""

_NEVER_STARTED = Sentence(
    "{tool} was about to run, but its caller was gone.", _NOTHING, _LATER, "if a person asks for it", _SAID
)


def who(decisions: Sequence[Decision], said: str, *, named: bool) -> str:
    """Return who answered so: "a person", "2 people", or their names where the policy tells them.

    Args:
        decisions: All decisions on the call.
        said: ``approve`` or ``deny``.
        named: Whether the agent may be told names.
    """
    people = [decision.person for decision in decisions if decision.said == said]
    if named and people:
        return " and ".join(person.name or person.user for person in people)
    return f"{len(people)} people" if len(people) > 1 else "a person"


def sentence(
    code: str,
    tool: str,
    *,
    reason: str = "",
    decisions: Sequence[Decision] = (),
    named: bool = False,
    error: str = "",
) -> str:
    """Put together what the agent reads; comments stand in it word for word.

    Args:
        code: Outcome code; one that the table lacks is an error of the gate.
        tool: Action name.
        reason: Why; empty for none.
        decisions: Decisions on the call.
        named: Whether the agent may be told the names of approvers.
        error: What a failed run raised.

    Raises:
        KeyError: The table has no such code.
    """
    row = _NEVER_STARTED if code == "failed" and error == NEVER_STARTED else SENTENCES[code]
    subject = who(decisions, "deny" if code == "denied" else "approve", named=named)
    happened = row.happened.format(
        tool=tool or "the call", who=subject, Who=_upper(subject), error=error or "an error"
    )
    parts = [_upper(happened), _ended(f"{row.why} {reason}") if reason and row.why else ""]
    parts += [_said(decision, named) for decision in decisions if decision.comment]
    return " ".join(part for part in [*parts, _where(decisions), row.ran, row.close] if part)


def ran_sentence(tool: str, decisions: Sequence[Decision], *, named: bool) -> str:
    """Put together what the agent reads about a call that ran."""
    if not decisions:
        return f"{_upper(tool)} ran."
    subject = _upper(who(decisions, "approve", named=named))
    comments = [_said(decision, named) for decision in decisions if decision.comment]
    parts = [f"{subject} approved {tool}, and it ran once.", *comments, _where(decisions)]
    return " ".join(part for part in parts if part)


def _where(decisions: Sequence[Decision]) -> str:
    return _LOCAL if any(each.person.team == LOCAL_TEAM for each in decisions) else ""


def _said(decision: Decision, named: bool) -> str:
    subject = _upper(who([decision], decision.said, named=named))
    verb = "approved" if decision.said == "approve" else "denied"
    return _ended(f'{subject} {verb} with the comment: "{decision.comment}"')


def _ended(text: str) -> str:
    """Put a full stop where a reason or comment has none, so that what follows is no part of it."""
    return text if text.rstrip('"').endswith((".", "!", "?", "…")) else f"{text}."


def _upper(text: str) -> str:
    """Begin with a capital, but leave a tool's name as it is written."""
    return text if "." in text.split(" ", 1)[0].rstrip(".") else text[:1].upper() + text[1:]
