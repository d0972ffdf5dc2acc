"""The page about what a call costs names what is measured."""

from __future__ import annotations

from bench import targets
from bench.targets import Target
from tests.docs.docs_kit import page

TARGETS = [each for each in vars(targets).values() if isinstance(each, Target)]


def _line(target: Target) -> str:
    bound = f"{target.bound:,g}" if target.bound >= 1000 else f"{target.bound:g}"
    sign = "≥" if target.least else "≤"
    return f"| {target.name} | {f'{sign} {bound} {target.unit}'.rstrip()} |"


def test_every_target_stands_in_the_page() -> None:
    """The table has each target with its bound, in the order of the suite, and no other."""
    table = page("performance.md").partition("| what | target |\n|---|---|\n")[2]
    assert table.partition("\n\n")[0].splitlines() == [_line(each) for each in TARGETS]
