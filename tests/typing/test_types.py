"""The types that users see are exactly those of the design."""

from __future__ import annotations

from pathlib import Path

from mypy import api

USES = Path(__file__).with_name("uses.py")
PROJECT = USES.parents[2] / "pyproject.toml"


def test_every_use_has_its_exact_type() -> None:
    """Guarded tools, outcomes and the primitive keep their types under mypy strict, and misuse is found."""
    out, err, code = api.run(["--strict", "--config-file", str(PROJECT), str(USES)])
    assert (code, err) == (0, ""), out
