"""Which run the windows of budgets are reckoned back from."""

from __future__ import annotations

import random

import pytest

from gate.verbs.forgetting import last_of_yesterday
from tests.kit import act, service

DAY = 86_400_000_000


@pytest.mark.parametrize("seed", range(30))
def test_the_newest_run_that_is_a_day_old_is_found_among_any(seed: int) -> None:
    """Whatever numbers are missing and however many runs bear one time, and none where all are newer."""
    chance = random.Random(seed)
    times = sorted(chance.choices(range(3 * DAY // 2), k=chance.randrange(1, 40)))
    numbers = sorted(chance.sample(range(5, 200), len(times)))
    gate = service()
    action = gate.submit(act(), wait=False).record.id
    with gate.store.transaction() as tx:
        tx.run("DELETE FROM ledger")
        for n, at in zip(numbers, times, strict=True):
            tx.insert("ledger", n=n, action=action, at=at, arguments="{}", hidden="{}", facts="{}", told="{}")
    with gate.store.reader() as reader:
        for us in (DAY - 1, DAY, DAY + times[0], 5 * DAY // 4, 5 * DAY):
            assert last_of_yesterday(reader, us) == max((at for at in times if at <= us - DAY), default=0)
