"""What the agent reads: one table from outcome code to sentence, and how the sentence is put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gate.model import Annotation, Decision, Person

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
    "edit_not_taken": Sentence(
        "A person changed {tool} and approved it so, but the tool does not take it.",
        _NOTHING,
        _LATER,
        "if a person asks for it",
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
    annotation: Annotation | None = None,
    edits: Sequence[str] = (),
    editors: Sequence[Person] = (),
) -> str:
    """Put together what the agent reads; comments stand in it word for word.

    Args:
        code: Outcome code; one that the table lacks is an error of the gate.
        tool: Action name.
        reason: Why; empty for none.
        decisions: Decisions on the call.
        named: Whether the agent may be told the names of approvers.
        error: What a failed run raised.
        annotation: What a person says became of a call in doubt; None for nothing.
        edits: What people changed in the call.
        editors: Who changed it.

    Raises:
        KeyError: The table has no such code.
    """
    row = _NEVER_STARTED if code == "failed" and error == NEVER_STARTED else SENTENCES[code]
    subject = who(decisions, "deny" if code == "denied" else "approve", named=named)
    happened = row.happened.format(
        tool=tool or "the call", who=subject, Who=_upper(subject), error=error or "an error"
    )
    parts = [_upper(happened), _ended(f"{row.why} {reason}") if reason and row.why else ""]
    parts += [_edited(edits, editors, named)] if code in _TELL_EDITS else []
    parts += [_said(decision, named) for decision in decisions if decision.comment]
    end = (
        [row.ran, row.close] if annotation is None else [*_looked(annotation, named), *_AFTER[annotation.ran]]
    )
    people = [*(each.person for each in decisions), *([annotation.person] if annotation else [])]
    return " ".join(part for part in [*parts, _where(people), *end] if part)


_AFTER = {
    True: ("It has taken effect, as far as that person knows.", "Do not repeat it."),
    False: (
        "Nothing ran, as far as that person knows.",
        "It is not run again by itself: if it is still needed, make it as a new call, which is judged anew.",
    ),
}
"""What to do once a person has said whether a call in doubt ran."""


def _looked(annotation: Annotation, named: bool) -> list[str]:
    """Return what a person says of a call in doubt, and how they know."""
    name = annotation.person.name or annotation.person.user
    who, what = name if named else "A person", "ran" if annotation.ran else "did not run"
    said = f"{who} has looked and says that it {what}"
    return [_ended(f'{said}, with the comment: "{annotation.comment}"' if annotation.comment else said)]


def ran_sentence(
    tool: str,
    decisions: Sequence[Decision],
    *,
    named: bool,
    edits: Sequence[str] = (),
    editors: Sequence[Person] = (),
) -> str:
    """Put together what the agent reads about a call that ran."""
    if not decisions:
        return f"{_upper(tool)} ran."
    subject = _upper(who(decisions, "approve", named=named))
    comments = [_said(decision, named) for decision in decisions if decision.comment]
    people = [each.person for each in decisions]
    changed = _edited(edits, editors, named)
    parts = [f"{subject} approved {tool}, and it ran once.", changed, *comments, _where(people)]
    return " ".join(part for part in parts if part)


_TELL_EDITS = frozenset(
    {"pending", "in_doubt", "interrupted", "failed", "result_not_kept", "edit_not_taken", "expired_unused"}
)
"""Codes of calls that may run, or may have run, with what people changed."""


def _edited(edits: Sequence[str], editors: Sequence[Person], named: bool) -> str:
    """Say who changed what, so that nobody takes the call for the one that was asked for."""
    if not edits:
        return ""
    people = list(dict.fromkeys(editors))
    names = " and ".join(person.name or person.user for person in people)
    subject = names if named and names else f"{len(people)} people" if len(people) > 1 else "a person"
    return _ended(f"{_upper(subject)} changed the call before it was approved: {' and '.join(edits)}")


def _where(people: Sequence[Person]) -> str:
    return _LOCAL if any(each.team == LOCAL_TEAM for each in people) else ""


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
