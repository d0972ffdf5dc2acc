"""How random a word looks is what its characters tell, however that is counted."""

from __future__ import annotations

import math
import string
from collections import Counter

from hypothesis import assume, given
from hypothesis import strategies as st

from gate.secret_checks import KEY_LIMIT, LEAST_RANDOM, is_card, is_random

_WORDS = st.integers(8, 62).flatmap(
    lambda many: st.text(
        (string.ascii_letters + string.digits)[-many:], min_size=LEAST_RANDOM, max_size=KEY_LIMIT // 2
    )
)


@given(_WORDS)
def test_a_word_is_random_by_the_entropy_of_its_characters(word: str) -> None:
    """Claim: what is spared in counting changes no answer."""
    assume(word.lower() != word != word.upper() and any(each.isdigit() for each in word))
    counts = Counter(word).values()
    bits = -sum(n / len(word) * math.log2(n / len(word)) for n in counts)
    assume(abs(bits - 4.3) > 1e-9)
    assert is_random(word) is (bits >= 4.3)


@given(st.text("0123456789", min_size=12, max_size=18).map(lambda text: "4" + text))
def test_a_card_is_told_by_the_check_digit_of_luhn(digits: str) -> None:
    """Claim: each second digit from the right counts twice, and its own digits are added."""
    doubled = [str(2 * int(each)) if place % 2 else each for place, each in enumerate(digits[::-1])]
    assert is_card(digits) is (sum(int(each) for each in "".join(doubled)) % 10 == 0)
