"""Import Phrony policies: a deny wins in any order, and of several approvals the strictest counts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gate.errors import PolicyError, Problem
from gate.model import Answer
from gate.policy.folder import ENDINGS
from gate.policy.importers.draft import Draft, DraftRule, Ids, People
from gate.policy.importers.phrony_conditions import Conditions, Tree, joined
from gate.policy.importers.phrony_timeouts import only_role, timeout
from gate.policy.importers.reading import Place, documents, raise_problems, read_file
from gate.policy.importers.writing import write
from gate.policy.paths import did_you_mean
from gate.policy.source import Document
from gate.values import is_action_name, quoted

_ANSWERS: Mapping[str, Answer] = {
    "deny": "block",
    "block": "block",
    "require_approval": "require_approval",
    "escalate": "require_approval",
    "allow": "allow",
}
_SPEC = ("description", "scope", "allow", "action", "conditions", "decision")
_DECISION = (
    *("type", "authority_ref", "approvals_required", "reason", "on_reject", "on_modify"),
    *("comprehension_required", "timeout", "runtime"),
)
_AGENT_KEYS = ("kind", "metadata.name", "spec.tools", "spec.default_policies")
_ALLOWED_IN = ("queue", "target", "value", "name", "id", "currency")


def import_files(paths: Sequence[Path], people: People) -> str:
    """Import policy documents, and what agents among them say of the tools a policy is attached to.

    Args:
        paths: Files, or folders whose ``*.yaml`` and ``*.yml`` are read, folders in them too; capitals
            of an ending do not count.
        people: Who approves, and where.

    Returns:
        A policy text that loads.

    Raises:
        PolicyError: Something cannot be read or carried over; with every place.
    """
    files = [file for path in paths for file in _files(path)]
    return import_texts({str(file): read_file(file) for file in files}, people)


def import_texts(texts: Mapping[str, str], people: People) -> str:
    """Import the texts of files, by file name; see ``import_files``."""
    sources = [document for file, text in texts.items() for document in documents(text, file)]
    draft = _Importer(sources, people).draft()
    raise_problems(sources)
    return write(draft)


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = [each for each in sorted(_below(path)) if each.name.lower().endswith(ENDINGS)]
    if not found:
        raise PolicyError([Problem(str(path), 0, 0, "", "the folder holds no *.yaml file")])
    return found


def _below(folder: Path) -> Iterator[Path]:
    """Yield every file of a folder and of the folders in it; a folder that cannot be read is an error."""
    for top, folders, names in os.walk(folder, onerror=_unlisted):
        for name in folders:
            if (linked := Path(top, name)).is_symlink():
                said = "is a link to a folder, which is not followed: name the folder too, or take it away"
                raise PolicyError([Problem(str(linked), 0, 0, "", said)])
        yield from (Path(top, name) for name in names)


def _unlisted(error: OSError) -> None:
    raise PolicyError([Problem(str(error.filename), 0, 0, "", f"cannot be read: {error.strerror}")]) from None


@dataclass(slots=True)
class _Policy:
    """One policy document.

    Attributes:
        place: Its top.
        name: Its name.
        tools: Tools it is attached to.
        everywhere: Whether an agent attaches it to all of its calls.
    """

    place: Place
    name: str
    tools: list[str] = field(default_factory=list)
    everywhere: bool = False

    @property
    def label(self) -> str:
        """Return how people call it."""
        namespace = self.place.under("metadata").raw.get("namespace")
        return f"{namespace}.{self.name}" if isinstance(namespace, str) else self.name

    def answers_to(self, ref: str) -> bool:
        """Tell whether a reference names this document: by its id or by its file."""
        file = Path(self.place.document.file)
        return ref in (self.label, self.name) or (
            "." in ref and Path(ref).name == file.name and Path(ref).suffix in (".yml", ".yaml")
        )


class _Importer:
    """Read all documents into one draft."""

    def __init__(self, sources: Sequence[Document], people: People) -> None:
        tops = [Place(document) for document in sources if document.ok]
        self.left_out: list[str] = []
        self.sources = sources
        self.people = people
        self.ids = Ids()
        self.policies = [policy for top in tops if self._kind(top) == "Policy" for policy in _named(top)]
        self.agents = [top for top in tops if top.raw.get("kind") == "Agent"]

    def draft(self) -> Draft:
        self._check_sources()
        self._attach()
        draft = Draft(
            "phrony",
            ", ".join(dict.fromkeys(Path(each.file).name for each in self.sources)) or "Phrony",
            ("strictest", "as in Phrony: a deny wins, in any order"),
            ("allow", "as in Phrony: what no policy stops runs; by_risk would hold writes"),
            self.people,
        )
        draft.rules = [rule for policy in self.policies for rule in self._rules(policy)]
        draft.notes = self._notes(draft)
        return draft

    def _kind(self, top: Place) -> str:
        """Return the kind of a document; of those that are no policy, keep only what concerns policies."""
        kind = top.raw.get("kind")
        near = did_you_mean(kind, ("Policy", "Agent")) if isinstance(kind, str) else " "
        if kind in ("Policy", "Agent") or near:
            if kind not in ("Policy", "Agent"):
                top.bad(f"{quoted(kind)} is not a kind: write Policy or Agent{near.rstrip()}", "kind")
            ours: tuple[str, ...] = _AGENT_KEYS if kind == "Agent" else ("",)
        else:
            ours = ()
            self.left_out.append(f"{Path(top.document.file).name}: a {quoted(kind)} is no policy")
        problems = top.document.problems
        problems[:] = [each for each in problems if each.where.startswith(ours)]
        return str(kind)

    def _check_sources(self) -> None:
        seen: dict[str, str] = {}
        for policy in self.policies:
            first = seen.setdefault(policy.label, policy.place.document.place(policy.place.loc))
            if first != policy.place.document.place(policy.place.loc):
                said = f"{quoted(policy.name)} is used twice, first in {first}"
                policy.place.under("metadata").bad(said, "name")
        if not self.policies and self.sources and not any(each.problems for each in self.sources):
            self.sources[0].add((), "holds no document of kind Policy")

    def _attach(self) -> None:
        for agent in self.agents:
            spec = agent.under("spec")
            spec.no_slip("tools", "default_policies")
            for tool in spec.each("tools"):
                tool.no_slip("ref", "policies")
                ref = tool.text("ref").split("@")[0]
                for policy in self._named_in(tool, "policies"):
                    policy.tools.append(ref)
            for policy in self._named_in(spec, "default_policies"):
                policy.everywhere = True

    def _named_in(self, place: Place, name: str) -> list[_Policy]:
        refs = place.raw.get(name) or []
        if not isinstance(refs, list):
            place.bad("must be a list of policies", name)
            return []
        found = []
        for index, ref in enumerate(refs):
            said = ref.get("ref", ref.get("id")) if isinstance(ref, Mapping) else ref
            named = [each for each in self.policies if isinstance(said, str) and each.answers_to(said)]
            if not named:
                place.bad(f"{quoted(said)} is not among the files: name its file too", name, index)
            found += named
        return found

    def _rules(self, policy: _Policy) -> Iterable[DraftRule]:
        spec = policy.place.under("spec")
        spec.only(*_SPEC)
        decision = spec.under("decision")
        decision.only(*_DECISION)
        answer, conditions = self._answer(spec, decision), Conditions()
        tree: Tree = conditions.read(spec.under("conditions")) if spec.raw.get("conditions") else True
        globs = self._globs(policy, spec)
        if not answer or tree is False:
            self._leave_out(policy, conditions)
            return
        if answer == "allow":
            allowed = self._allow_list(spec)
            if not allowed:
                self.left_out.append(f"{policy.label}: it allows, and allowing never overrules there")
                return
            answer, tree = "block", joined("all", [tree, _not_allowed(allowed)])
            conditions.notes.append(
                f"Phrony checks the first of {', '.join(_ALLOWED_IN)} that a call has; here each that it has "
                "must be allowed. A tool that has none of them is not checked: write a rule for it."
            )
        for glob in globs:
            yield self._rule(policy, answer, glob, tree, conditions)

    def _leave_out(self, policy: _Policy, conditions: Conditions) -> None:
        if conditions.notes:
            self.left_out.append(f"{policy.label}: it is only about what happens after a call was sent")

    def _rule(
        self, policy: _Policy, answer: Answer, glob: str, tree: Tree, conditions: Conditions
    ) -> DraftRule:
        spec = policy.place.under("spec")
        decision = spec.under("decision")
        said = decision.text("reason")
        rule = DraftRule(
            self.ids.take(policy.name),
            glob,
            answer,
            f"Imported from {policy.label}{f' - {said}' if said else ''}",
            tree if isinstance(tree, Mapping) else None,
            notes=list(dict.fromkeys(conditions.notes)),
        )
        if answer == "require_approval":
            self._approval(rule, decision)
        if glob == "*":
            rule.notes.append(_about_all(tree, spec))
        for key in ("authority_ref", "on_modify", "comprehension_required", "runtime"):
            if decision.raw.get(key) and not (key == "runtime" and only_role(decision)):
                rule.notes.append(f"Not carried over: {key} {quoted(decision.raw[key])}.")
        if decision.text("on_reject") not in ("", "return_to_agent"):
            rule.notes.append("A denial goes back to the agent, which may go on.")
        return rule

    def _answer(self, spec: Place, decision: Place) -> Answer | None:
        if decision.raw:
            holder, name = decision, "type"
        elif spec.raw.get("allow") is not None and spec.raw.get("action") is None:
            return "allow"
        else:
            holder, name = (spec, "action") if spec.raw.get("action") is not None else (spec, "decision")
        if name == "decision":
            spec.bad("must be written: without it Phrony passes the document over", "decision")
            return None
        word = holder.raw.get(name)
        if isinstance(word, str) and "require" in word.lower() and "approval" in word.lower():
            return "require_approval"
        return _ANSWERS.get(holder.word(name, _ANSWERS))

    def _approval(self, rule: DraftRule, decision: Place) -> None:
        number = decision.raw.get("approvals_required", 1)
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= 20:
            decision.bad("must be a whole number from 0 to 20", "approvals_required")
        elif not self.people.can_reach(number):
            decision.bad(f"asks for {number} people, and --approvers names fewer", "approvals_required")
        elif number > 1:
            rule.keys["quorum"] = number
        timeout(rule, decision, self.people)

    def _globs(self, policy: _Policy, spec: Place) -> list[str]:
        scope = spec.text("scope")
        if scope.startswith("tool:"):
            tool = scope.removeprefix("tool:").strip()
            if not is_action_name(tool):
                spec.bad(f"{quoted(tool)} is not namespace.tool, without a version", "scope")
            return [tool]
        if scope not in ("", "agent"):
            spec.bad(f"{quoted(scope)} is no scope: write agent, or tool:namespace.name", "scope")
        wrong = [tool for tool in policy.tools if not is_action_name(tool)]
        if wrong:
            policy.place.bad(f"is attached to {quoted(wrong[0])}, which is not namespace.tool")
        return ["*"] if scope == "agent" or policy.everywhere or not policy.tools else sorted({*policy.tools})

    def _allow_list(self, spec: Place) -> list[str]:
        values = spec.raw.get("allow")
        if values is None:
            return []
        if not isinstance(values, list) or not values or not all(isinstance(each, str) for each in values):
            spec.bad("must be a list of texts, with at least one", "allow")
            return []
        return [each.strip() for each in values]

    def _notes(self, draft: Draft) -> list[str]:
        notes = [
            "Stricter than there: an argument that is missing or of another type, a number written as text "
            "included, cannot be decided, and then hold and block rules apply.",
            "A limit compares the bare number. Declare amount and currency under actions, and compare "
            "effect.amount, to limit each currency.",
        ]
        if any(policy.tools and not policy.everywhere for policy in self.policies):
            notes.append("A policy attached to a tool concerns that tool only; there it concerns all.")
        return [*notes, *(f"Not carried over: {each}." for each in self.left_out)]


def _about_all(tree: Tree, spec: Place) -> str:
    if tree is True and not spec.text("scope"):
        return "It concerns every call. Phrony passes over a policy that has neither scope nor conditions."
    return "It concerns every call, as there. Where you mean some tools only, name them in match."


def _not_allowed(allowed: list[str]) -> Tree:
    each = [{f"args.{name}": {"not_in": allowed, "optional": True}} for name in _ALLOWED_IN]
    none = {"all": [{f"args.{name}": {"exists": False}} for name in _ALLOWED_IN]}
    return {"any": [*each, none]}


def _named(top: Place) -> list[_Policy]:
    top.only("apiVersion", "kind", "metadata", "spec")
    name = top.under("metadata").text("name", required=True)
    return [_Policy(top, name)] if name else []
