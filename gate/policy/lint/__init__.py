"""Find what loads and yet does most likely not do what its writer means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from gate.policy.lint import (
    amounts,
    asking,
    budgets,
    currencies,
    domains,
    editing,
    facts,
    guesses,
    hidden,
    left_out,
    matching,
    names,
    order,
    people,
    signs,
    trust,
    twins,
    winning,
)
from gate.policy.lint.finding import Finding
from gate.policy.lint.view import KnownTool, Seen, View
from gate.policy.policyset import PolicySet

__all__ = ["Finding", "KnownTool", "Seen", "findings"]

_KINDS: tuple[Callable[[View], Iterator[Finding]], ...] = tuple(
    kind.find
    for kind in (
        order, winning, twins, left_out, names, matching, amounts, currencies, guesses, facts, domains,
        budgets, people, hidden, editing, asking, trust, signs,
    )
)  # fmt: skip


def findings(
    policy: PolicySet,
    tools: Iterable[KnownTool] = (),
    seen: Seen | None = None,
    places: Iterable[str] = (),
) -> tuple[Finding, ...]:
    """Return everything the lint finds in a set that loads, files and lines in order.

    Args:
        policy: The set.
        tools: The known tools; what needs them is looked for only where there are some.
        seen: What the log has seen; None where no store is at hand.
        places: Where both are from, in words, for those who miss a tool there.
    """
    view = View(policy, {tool.name: tool for tool in tools}, seen, tuple(places))
    found = dict.fromkeys(finding for kind in _KINDS for finding in kind(view))
    return tuple(sorted(found, key=lambda each: (each.file, each.line, each.column, each.code)))
