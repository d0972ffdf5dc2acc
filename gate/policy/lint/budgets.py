"""Budgets that nothing is charged to, or that leave out tools that move money."""

from __future__ import annotations

from collections.abc import Iterator

from gate.policy.checks import AMOUNT
from gate.policy.effects import reads_like_amount
from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View, Written
from gate.values import parse_path

_NOT_PATHS = ("session", "agent", "on_behalf_of", "everything")


def find(view: View) -> Iterator[Finding]:
    """Yield budgets that no known action feeds, and money that a budget does not count."""
    for budget in view.budgets:
        names = view.of_rule(budget)
        if names and not any(_feeds(view, budget, name) for name in names):
            yield _unfed(view, budget)
        yield from _not_covered(view, budget, names)
        yield from _bare_sum(view, budget, names)


def _feeds(view: View, budget: Written, name: str) -> bool:
    if view.known(name).effect.declared_read and not budget.raw.get("reads"):
        return False
    return _has_key(view, budget, name) and _has_sum(view, budget, name)


def _has_sum(view: View, budget: Written, name: str) -> bool:
    """Tell whether a tool may have what the budget sums up."""
    path = budget.raw.get("sum")
    if path is None or path == "effect.count":
        return True
    keys = parse_path(path)
    if keys != AMOUNT:
        return keys[0] != "args" or view.takes(name, keys[1]) is not False
    known = view.known(name)
    return known.amount is not None or (not known.moves_none and _amount_like(view, name))


def _amount_like(view: View, name: str) -> bool:
    tool, params = view.tools.get(name), view.known(name).params
    takes = params if tool is None else tool.parameters.names
    return takes is None or any(map(reads_like_amount, takes))


def _has_key(view: View, budget: Written, name: str) -> bool:
    per = budget.raw.get("per")
    keys = parse_path(per) if isinstance(per, str) and per not in _NOT_PATHS else ()
    return not keys or keys[0] != "args" or view.takes(name, keys[1]) is not False


def _unfed(view: View, budget: Written) -> Finding:
    return view.finding(
        budget.file,
        budget.loc,
        "unfed_budget",
        what=f"no known action adds anything to {budget.id}",
        why="A budget that nothing is charged to never trips, whatever runs.",
        write="a match, sum and per that some tool has, or reads: true where reads are meant",
    )


def _bare_sum(view: View, budget: Written, names: list[str]) -> Iterator[Finding]:
    """Find budgets that add up amounts of different currencies as if they were one."""
    keys = parse_path(budget.raw.get("sum", "calls"))
    known = {name: view.known(name) for name in names}
    tools = [name for name, each in known.items() if each.amount == keys and each.currency is not None]
    if tools:
        yield view.finding(
            budget.file,
            (*budget.loc, "sum"),
            "bare_amount",
            what=f"{budget.id} adds up {budget.raw['sum']} of {', '.join(tools[:3])} in any currency",
            why="100 JPY and 100 KWD count as much; the call says its currency.",
            write="sum: effect.amount, with a limit for each currency you mean",
        )


def _not_covered(view: View, budget: Written, names: list[str]) -> Iterator[Finding]:
    """Find tools that move money and have no parameter that the budget counts by."""
    missing = [
        name for name in names if view.known(name).amount is not None and not _has_key(view, budget, name)
    ]
    if missing:
        yield view.finding(
            budget.file,
            (*budget.loc, "per"),
            "not_counted",
            what=f"{budget.id} counts per {budget.raw['per']}, which {', '.join(missing[:3])} does not take",
            why="A tool without that parameter is not counted, and it moves money.",
            write="a second budget for it, such as per: agent",
        )
