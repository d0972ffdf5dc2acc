"""What the home tab and the command show beside open holds."""

from __future__ import annotations

from gate.clock import to_us
from gate.model import Person
from gate.model.overview import Answered, Spent
from gate.service.road import Road
from gate.verbs import overview


class OverviewVerbs(Road):
    """Read what people look at between holds."""

    def answers_of(self, person: Person, limit: int = 5) -> list[Answered]:
        """Return somebody's newest answers, newest first."""
        with self.store.reader() as reader:
            return overview.answers(reader, person, limit)

    def budgets_spent(self) -> list[Spent]:
        """Return how far every budget in force is used by those it is counted for, the fullest first."""
        budgets = self.policy().budgets
        us = to_us(self.now())
        with self.store.reader() as reader:
            return overview.spent(reader, budgets, us)

    def marks(self) -> tuple[tuple[int, ...], int]:
        """Return numbers that change when a hold, a freeze or the policy does, and one for charges."""
        with self.store.reader() as reader:
            return overview.marks(reader)
