"""The verbs of the gate, each one transaction on the store, under the policy in force at that moment."""

from __future__ import annotations

from gate.service.admins import AdminVerbs
from gate.service.closing import ClosingVerbs
from gate.service.editors import EditVerbs
from gate.service.keepers import KeepVerbs
from gate.service.operators import OperatorVerbs
from gate.service.outbox import OutboxVerbs
from gate.service.overview import OverviewVerbs
from gate.service.people import PeopleVerbs

__all__ = ["Service"]


class Service(
    ClosingVerbs, PeopleVerbs, EditVerbs, OperatorVerbs, OverviewVerbs, OutboxVerbs, AdminVerbs, KeepVerbs
):
    """Do what the gate can do: one verb, one transaction.

    Args:
        db: The store's file, or ``:memory:``.
        policy: Policy to bring into force at start; None uses what the store has.
        clock: Where the time comes from; default is process time.
        durability: ``normal`` lets a crash of the machine lose records of allowed calls; ``full`` none.
        kind: What this process is: ``agent``, ``bot`` or ``cli``.
        made_by: ``gate``, or ``test`` for a store that only tests may use.
        channel: Channel that replaces every channel of the policy; None for none.
        allow_local: Whether a workspace that is not Slack may be talked to.
        create: Whether an empty place becomes a new store.
        renew_key: Whether a new key replaces a lost one.
        allow_older: Whether a store may be opened that lacks records which were published.
        by: Who starts it, for the log.

    Raises:
        StoreError: The store cannot be opened.
        PolicyError: There is no policy, or it does not load.
    """
