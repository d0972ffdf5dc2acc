"""Post again what stood in a local workspace that is gone: the store outlives it, and each starts empty."""

from __future__ import annotations

from gate.verbs import bursts
from gate.verbs.turn import Turn
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
