"""The words that values are made of."""

from __future__ import annotations

from typing import Literal

Risk = Literal["read", "write", "destructive"]
Weight = Literal["strong", "weak", "unavailable"]
Said = Literal["approve", "deny"]
Answer = Literal["allow", "require_approval", "block"]
