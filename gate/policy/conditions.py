"""Turn a written ``when`` into one function from a call to true, false or unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gate.policy.parsing import Group, Leaf, Node, Parser
from gate.policy.places import Loc
from gate.policy.reading import NO_SUCH, Reader, Subject, label, reader
from gate.policy.sieve import Need, need_of
from gate.policy.source import Document
from gate.policy.truth import Truth, Unknown, all_of, conjunction, disjunction, negate

Condition = Callable[[Subject], Truth]
Blind = Callable[[tuple[str, ...]], Unknown | None]


@dataclass(frozen=True, slots=True)
class Compiled:
    """A condition that is ready to be asked.

    Attributes:
        holds: The condition itself.
        reads: Paths it reads, operands included, in order.
        first: Path and constants of the clause that is asked first, without which it is false; None for any
            other.
    """

    holds: Condition
    reads: tuple[tuple[str, ...], ...]
    first: tuple[tuple[str, ...], Mapping[str, Any]] | None = None

    @property
    def need(self) -> Need | None:
        """Return what its first clause needs of a plain value; without that it is false. None for nothing."""
        return None if self.first is None else need_of(*self.first)


def compile_condition(raw: Any, document: Document, loc: Loc) -> Compiled | None:
    """Compile a ``when``.

    Args:
        raw: The written value.
        document: Where it stands; everything wrong is added to its problems.
        loc: Way to it.

    Returns:
        The condition, or None where something is wrong with it.
    """
    before = len(document.problems)
    node = Parser(document).mapping(raw, loc)
    if len(document.problems) > before or node is None:
        return None
    return Compiled(condition_of(node, negated=False), tuple(dict.fromkeys(_reads(node))), _first(node))


def condition_of(node: Node, *, negated: bool, blind: Blind | None = None) -> Condition:
    """Build the function of a node; negation is taken down to the paths first.

    Args:
        node: The node.
        negated: Whether a ``not`` stands around it.
        blind: Gives what is unknown of what is read at a path, whatever stands there, or None.
    """
    if isinstance(node, Leaf):
        lost = _lost(node, blind) if blind else None
        return _build_leaf(node, negated=negated) if lost is None else lambda subject: lost
    if node.word == "not":
        return condition_of(node.parts[0], negated=not negated, blind=blind)
    parts = tuple(condition_of(part, negated=negated, blind=blind) for part in node.parts)
    return conjunction(parts) if (node.word == "all") is not negated else disjunction(parts)


def _first(node: Node) -> tuple[tuple[str, ...], Mapping[str, Any]] | None:
    """Return the clause that is asked first; only where the condition is false without it."""
    while isinstance(node, Group) and (node.word == "all" or (node.word == "any" and len(node.parts) == 1)):
        node = node.parts[0]
    return (node.keys, node.constants) if isinstance(node, Leaf) and node.constants else None


def _lost(leaf: Leaf, blind: Blind) -> Unknown | None:
    found = (blind(keys) for keys in (leaf.keys, *(operand.keys for operand in leaf.operands)))
    return next((unknown for unknown in found if unknown is not None), None)


def _build_leaf(leaf: Leaf, *, negated: bool) -> Condition:
    read, tests = reader(leaf.keys), leaf.checks
    operands = tuple(operand.read for operand in leaf.operands)
    read_keys = tuple(
        keys for keys in (leaf.keys, *(each.keys for each in leaf.operands)) if keys[0] == "args"
    )

    def holds(subject: Subject) -> Truth:
        value = read(subject)
        if value is NO_SUCH or (operands and _some_no_such(operands, subject)):
            return False
        answer = (
            tests[0](value, subject) if len(tests) == 1 else all_of(test(value, subject) for test in tests)
        )
        answer = negate(answer) if negated else answer
        if answer is True and read_keys and subject.action.parameters is None:
            return _sure(read_keys, subject)
        return answer

    return holds


def _sure(read_keys: tuple[tuple[str, ...], ...], subject: Subject) -> Truth:
    """Return true, or unknown where it holds only because of an argument that the tool may not even take.

    A tool without that argument makes the condition false; a dry run, which does not know the tool, must not
    be looser than the tool's own calls.
    """
    names = tuple(dict.fromkeys(label(keys[:2]) for keys in read_keys if subject.untold(keys)))
    return Unknown(tuple(map(_untold, names))) if names else True


def _untold(name: str) -> str:
    return f"{name} was not given, and whether the tool takes {name} is not known: list its params"


def _some_no_such(operands: tuple[Reader, ...], subject: Subject) -> bool:
    return any(read(subject) is NO_SUCH for read in operands)


def _reads(node: Node) -> list[tuple[str, ...]]:
    if isinstance(node, Leaf):
        return [node.keys, *(operand.keys for operand in node.operands)]
    return [keys for part in node.parts for keys in _reads(part)]
