"""Post again what is gone: cards that somebody deleted, and a local workspace, which the store outlives."""

from __future__ import annotations

from gate.lifecycle import State
from gate.verbs import bursts
from gate.verbs.turn import Turn, action_row
from gate.verbs.workspace import LOCAL_TEAM

_SHOWN = (
    "SELECT c.action FROM cards c JOIN actions a ON a.id = c.action WHERE a.state IN ('pending', 'approved') "
    "OR (a.state = 'in_doubt' AND EXISTS (SELECT 1 FROM doubts d WHERE d.action = a.id))"
)
"""What people could still answer on a card that is known."""


def cards(turn: Turn) -> int:
    """Have every open card of a local workspace that is gone posted once more; a card of Slack never.

    Deadlines stay as they are: people had seen the card.

    Args:
        turn: The open turn.

    Returns:
        How many messages are posted again, besides those about bursts.
    """
    bound = turn.tx.one("SELECT value FROM meta WHERE key = 'workspace_team'")
    if bound is None or bound["value"] != LOCAL_TEAM:
        return 0
    again = turn.tx.run(
        "UPDATE notices SET done_at = NULL, due_at = ?, leased_until = 0, attempts = 0, version = "  # noqa: S608
        "coalesce((SELECT h.version FROM holds h WHERE h.action = notices.action), version) "
        f"WHERE kind IN ('card', 'doubt') AND done_at IS NOT NULL AND action IN ({_SHOWN})",
        (turn.us,),
    )
    turn.tx.run(f"DELETE FROM cards WHERE action IN ({_SHOWN})")  # noqa: S608 - constant
    bursts.post_again(turn)
    return again


def deleted(turn: Turn, action_id: str, channel: str, ts: str) -> bool:
    """Have a pending hold asked about anew where its card in a channel was deleted; deadlines stay.

    Args:
        turn: The open turn.
        action_id: The hold.
        channel: Where the card stood.
        ts: Which message it was.

    Returns:
        Whether a card is posted again: not for a hold that is over, nor beside another card of it there.
    """
    row = action_row(turn.tx, action_id)
    if row["state"] != State.PENDING:
        return False
    known = (action_id, channel, ts)
    gone = turn.tx.run("DELETE FROM cards WHERE action = ? AND channel = ? AND ts = ?", known)
    if not gone or turn.tx.one("SELECT 1 FROM cards WHERE action = ? AND channel = ?", known[:2]):
        return False
    turn.notify("card", row, channel=channel)
    return True
