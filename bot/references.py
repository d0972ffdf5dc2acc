"""What buttons, modals and commands carry: which store, which hold, which version of it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from gate.ids import short_code
from gate.model import HoldRecord

_REFERENCE = re.compile(r"1:([A-Za-z0-9_-]{1,60}):([A-Za-z0-9_-]{1,40}):([A-Za-z0-9_-]{1,60})")


@dataclass(frozen=True, slots=True)
class Reference:
    """Name one version of one hold of one store; not a credential.

    Attributes:
        store: Store id.
        hold: Hold id.
        nonce: Random mark of the version.
    """

    store: str
    hold: str
    nonce: str

    def __str__(self) -> str:
        return f"1:{self.store}:{self.hold}:{self.nonce}"

    @classmethod
    def of(cls, record: HoldRecord) -> Reference:
        """Return the reference to the record's current version."""
        return cls(record.store, record.id, record.nonce)

    @classmethod
    def parse(cls, text: str) -> Reference:
        """Read a reference.

        Raises:
            ValueError: It is not one that this version writes.
        """
        match = _REFERENCE.fullmatch(text)
        if match is None:
            raise ValueError("not a reference of this version")
        return cls(*match.groups())


@dataclass(frozen=True, slots=True)
class Origin:
    """What a modal remembers: its hold, and the message it was opened from.

    Attributes:
        reference: The version it is about.
        channel: Channel of the card; empty when opened by a command.
        ts: Timestamp of the card; empty when opened by a command.
        page: Page shown, from 0.
        via: ``card``, ``home`` or ``command``.
    """

    reference: Reference
    channel: str = ""
    ts: str = ""
    page: int = 0
    via: str = "card"

    def dump(self) -> str:
        """Write it as a modal's private_metadata."""
        return json.dumps([str(self.reference), self.channel, self.ts, self.page, self.via])

    @classmethod
    def load(cls, text: str) -> Origin:
        """Read private_metadata.

        Raises:
            ValueError: It is not what ``dump`` writes.
        """
        match read_metadata(text):
            case [str(reference), str(channel), str(ts), int(page), str(via)]:
                return cls(Reference.parse(reference), channel, ts, page, via)
        raise ValueError("not an origin of this version")


def read_metadata(text: str) -> object:
    """Return what a form's private_metadata holds; None where it is nested deeper than any form writes it.

    Raises:
        ValueError: It is no JSON.
    """
    try:
        return json.loads(text)
    except RecursionError:
        return None


def code_of(record: HoldRecord) -> str:
    """Return the four digits by which a typed approval names the version that was read."""
    return short_code(record.nonce)
