"""The gate's own rules: what blocks or holds a call though no rule of a policy does."""

from __future__ import annotations

from collections.abc import Sequence

PREFIX = "gate/"
FREEZE = f"{PREFIX}freeze"
NO_POLICY = f"{PREFIX}no_policy"
BAD_NAME = f"{PREFIX}bad_name"
TOO_MANY = f"{PREFIX}too_many_pending"
TOO_LATE = f"{PREFIX}too_late"
"""Stops what was allowed and is begun when too much has changed since."""
OPERATORS = f"{PREFIX}operators"
"""Stands in the place of a rule where the policy's operators are asked about an allowed call in doubt."""

_CODES = {FREEZE: "frozen", NO_POLICY: "no_policy", TOO_MANY: "too_many_pending"}


def blocked_code(rules: Sequence[str]) -> str:
    """Return the outcome code of a call that these rules block; the first of them decides."""
    return _CODES.get(rules[0], "blocked") if rules else "blocked"
