"""Times are exact microseconds that never go back; ids are random names that people can read out."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.clock import EPOCH, FakeClock, SystemClock, from_us, to_us
from gate.ids import ALPHABET, new_id, new_nonce, short_code


@given(st.integers(-(10**14), 10**17))
def test_microseconds_come_back_exactly(microseconds: int) -> None:
    """A time stored as microseconds is the same time when it is read."""
    assert to_us(from_us(microseconds)) == microseconds


def test_times_are_instants() -> None:
    """The zone a time is written in does not matter; a time without one is refused."""
    berlin = datetime(1970, 1, 1, 1, tzinfo=timezone(timedelta(hours=1)))
    assert to_us(berlin) == to_us(EPOCH) == 0
    with pytest.raises(ValueError, match="zone"):
        to_us(datetime(2026, 1, 1))


def test_process_time_begins_at_the_wall_and_never_goes_back() -> None:
    """Process time starts with the wall clock, is UTC, and only goes forward."""
    before = datetime.now(UTC)
    clock = SystemClock()
    told = [clock.now() for _ in range(100)]
    assert before - timedelta(microseconds=1) <= told[0]
    assert told == sorted(told)
    assert told[0].tzinfo is UTC


def test_a_fake_clock_moves_only_by_hand() -> None:
    """A fake clock stands still, moves by spans or seconds, and never back."""
    clock = FakeClock()
    start = clock.now()
    assert clock.now() == start
    clock.advance(1.5)
    assert clock.advance(timedelta(minutes=1)) == start + timedelta(seconds=61.5)
    with pytest.raises(ValueError, match="never goes back"):
        clock.advance(-1)


def test_ids_are_random_names_without_lookalikes() -> None:
    """Ids and nonces are 16 characters of Crockford's base32, all different."""
    made = [new_id() for _ in range(500)] + [new_nonce() for _ in range(500)]
    assert len(set(made)) == 1000
    assert all(re.fullmatch(f"[{ALPHABET}]{{16}}", each) for each in made)
    assert set("".join(made)) == set(ALPHABET)
    assert not set("ilou") & set(ALPHABET)


def test_codes_are_four_digits_of_their_nonce() -> None:
    """The code people type is four digits, the same for the same version and spread over versions."""
    assert short_code("abc") == short_code("abc")
    codes = {short_code(new_nonce()) for _ in range(300)}
    assert all(re.fullmatch(r"\d{4}", code) for code in codes)
    assert len(codes) > 250


def test_a_later_version_has_another_code() -> None:
    """However often a hold is changed, no code of an earlier version is one of a later one."""
    had: dict[str, str] = {}
    while len(had) < 9_900:
        nonce = new_nonce()
        had.setdefault(short_code(nonce), nonce)
    assert short_code(new_nonce(had.values())) not in had
