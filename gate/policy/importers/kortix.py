"""Import the policies of a Kortix manifest: first match, project rules before those of connectors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gate.errors import PolicyError, Problem
from gate.model import Answer
from gate.policy.importers import patterns
from gate.policy.importers.draft import Draft, DraftRule, Ids, People, duration_of, fitting
from gate.policy.importers.kortix_conditions import condition
from gate.policy.importers.reading import Place, raise_problems, read_file
from gate.policy.importers.writing import write
from gate.policy.paths import did_you_mean
from gate.policy.source import Document, read_text
from gate.values import Glob, quoted

ANSWERS: Mapping[str, tuple[Answer, str]] = {
    "always_run": ("allow", "run"),
    "require_approval": ("require_approval", "hold"),
    "block": ("block", "block"),
}
_REGEX = re.compile(r"/(.+)/([a-z]*)")
MODES = {"risk": "by_risk", "allow_all": "allow"}
_SLUG = re.compile(r"[A-Za-z0-9_.-]+")
_CONNECTOR_KEYS = ("slug", "policies", "sensitive")
_RULE_KEYS = ("match", "action", "position", "conditions")
_OURS = ("policy", "policies", "approvals", "connectors", "default_mode", "project", "connector", "sensitive")
_OTHERS = (
    *("kortix_version", "version", "name", "description", "default_agent", "agents", "runtime", "runtimes"),
    *("env", "opencode", "sandbox", "triggers", "channels", "secrets", "skills", "goals", "spaces"),
    *("subprojects", "imports", "volumes", "apps"),
)


def import_file(path: Path, people: People) -> str:
    """Import a manifest.

    Args:
        path: ``kortix.yaml``, or the same as JSON.
        people: Who approves, and where.

    Returns:
        A policy text that loads.

    Raises:
        PolicyError: It cannot be read, or holds something that cannot be carried over; with every place.
    """
    if path.suffix == ".toml":
        said = "TOML manifests are not read: write the same as YAML, which Kortix reads too"
        raise PolicyError([Problem(str(path), 0, 0, "", said)])
    return import_text(read_file(path), str(path), people)


def import_text(text: str, file: str, people: People) -> str:
    """Import the text of a manifest; see ``import_file``."""
    document = read_text(text, file)
    document.problems[:] = [each for each in document.problems if _concerns_us(each)]
    draft = _Importer(document, people).draft() if document.ok else None
    raise_problems([document])
    assert draft is not None  # a document that is not ok has a problem
    return write(draft)


def _concerns_us(problem: Problem) -> bool:
    root = problem.where.split(".")[0].split("[")[0]
    return root not in _OTHERS


@dataclass(frozen=True, slots=True)
class _Scope:
    """Where rules stand, and which calls they are about.

    Attributes:
        label: How people call it.
        slug: Connector whose calls they are about; empty for all, None for those of any connector.
    """

    label: str
    slug: str | None = ""


class _Importer:
    """Read one manifest into a draft."""

    def __init__(self, document: Document, people: People) -> None:
        self.top = Place(document)
        self.file = Path(document.file).name
        self.people = people
        self.ids = Ids()

    def draft(self) -> Draft:
        if not isinstance(self.top.document.value, Mapping):
            self.top.document.add((), "must be a mapping with policies")
        self._check_keys()
        mode, why = self._default()
        draft = Draft(
            "kortix",
            self.file,
            ("first_match", "as in Kortix: the first rule that applies decides"),
            (mode, why),
            self.people,
        )
        self._approvals(draft)
        rules = [rule for rule in self._all_rules() if rule is not None]
        draft.rules = list(_guarded(rules, self.ids))
        draft.notes += self._notes(draft)
        return draft

    def _check_keys(self) -> None:
        for name in self.top.raw:
            near = did_you_mean(name, (*_OURS, *_OTHERS))
            if name not in _OURS and name not in _OTHERS and near:
                self.top.bad(f"{quoted(name)} is not known here{near}", name, key=True)
        self.top.under("policy").only("default_mode", "approvals")
        if self.top.raw and not any(name in self.top.raw for name in _OURS):
            self.top.bad("holds no policies: name the manifest, kortix.yaml")

        if self.top.raw.get("imports"):
            self.top.bad(
                "names other files, whose connectors have policies too: write them into this one", "imports"
            )

    def _default(self) -> tuple[str, str]:
        holder = self.top if "default_mode" in self.top.raw else self.top.under("policy")
        mode = holder.word("default_mode", MODES, "unset")
        if mode == "unset":
            return "by_risk", "unset there, where everything then runs; here writes are held"
        why = "what no rule names runs" if mode == "allow_all" else "reads run, writes wait"
        return MODES.get(mode, "by_risk"), f"as there: {why}"

    def _approvals(self, draft: Draft) -> None:
        for place in (self.top.under("approvals"), self.top.under("policy").under("approvals")):
            place.only("ttl")
            if place.raw.get("ttl") is None:
                continue
            try:
                draft.expires_in, note = fitting(duration_of(place.raw["ttl"]))
            except ValueError as error:
                place.bad(str(error), "ttl")
            else:
                draft.notes += [note] if note else []

    def _all_rules(self) -> list[DraftRule | None]:
        rules = self._rules(self.top, "policies", _Scope("policies"))
        if isinstance(self.top.raw.get("project"), list):
            rules += self._rules(self.top, "project", _Scope("project"))
        rules += self._rules(self.top, "connector", _Scope("connector", None))
        for place in self.top.each("connectors"):
            rules += self._connector(place)
        if self._is_sensitive(self.top):
            rules.append(self._sensitive("", "sensitive"))
        return rules

    def _connector(self, place: Place) -> list[DraftRule | None]:
        place.no_slip(*_CONNECTOR_KEYS)
        slug = place.text("slug", required=True)
        if not slug:
            return []
        if not _SLUG.fullmatch(slug):
            place.bad(f"{quoted(slug)} is no slug: write letters, digits, _, - and dots", "slug")
            return []
        rules = self._rules(place, "policies", _Scope(f"connector {slug}, policies", slug))
        if self._is_sensitive(place):
            rules.append(self._sensitive(slug, f"connector {slug}, sensitive"))
        return rules

    def _is_sensitive(self, place: Place) -> bool:
        said = place.raw.get("sensitive")
        if said is not None and not isinstance(said, bool):
            place.bad("must be true or false", "sensitive")
        return said is True

    def _sensitive(self, slug: str, label: str) -> DraftRule:
        match = f"{slug}.*" if slug else "*"
        reason = f"Imported from {self.file}, {label}: reads wait too."
        return DraftRule(self.ids.take(f"hold-{slug or 'all'}-sensitive"), match, "require_approval", reason)

    def _rules(self, place: Place, name: str, scope: _Scope) -> list[DraftRule | None]:
        entries = list(enumerate(place.each(name)))
        entries.sort(key=lambda entry: _position(entry[1]))
        return [self._rule(entry, f"{scope.label}[{index}]", scope) for index, entry in entries]

    def _rule(self, place: Place, label: str, scope: _Scope) -> DraftRule | None:
        place.only(*_RULE_KEYS)
        match, word = place.text("match", required=True), place.word("action", ANSWERS)
        if not match or not word:
            return None
        answer, verb = ANSWERS[word]
        try:
            glob, when = _names(match, scope.slug)
            Glob(glob)
        except ValueError as error:
            said = str(error)
            place.bad(said if said.startswith('"') else f"{quoted(match)} {said}", "match")
            return None
        when = {**when, **condition(place, restrictive=answer != "allow")}
        reason = "" if answer == "allow" else f"Imported from {self.file}, {label} {match}."
        rule = DraftRule(self.ids.take(f"{verb}-{_word_for(glob)}"), glob, answer, reason, when or None)
        if scope.slug == "" and "." not in match and "*" not in match and not _is_regex(match):
            rule.notes.append("It names no connector, so it matches nothing, here as there.")
        return rule

    def _notes(self, draft: Draft) -> list[str]:
        notes = []
        if draft.default[0] == "by_risk":
            notes.append(
                "Kortix knows which tools read: declare it under actions, or it is guessed from their names."
            )
        if any(rule.when for rule in draft.rules):
            notes.append(
                "Stricter than there: a text that differs only in case or space, an argument that is missing "
                "or of another type, and a list whose elements disagree cannot be decided. Then run rules do "
                "not apply, and hold and block rules do."
            )
        if self.top.raw.get("agents"):
            notes.append(
                "Looser than there: which connectors each of the agents may use is not carried over; give "
                "each agent only its tools, or write rules with a condition on agent."
            )
        ours = (*_OURS, "agents", "imports")
        others = [name for name in self.top.raw if name not in ours and not name.endswith("version")]
        if others:
            notes.append(f"Not carried over, since they do not say which calls may run: {', '.join(others)}.")
        return notes


def _word_for(glob: str) -> str:
    return glob.replace("*", "").strip("._-") or "all"


def _position(place: Place) -> int:
    value = place.raw.get("position", 0)
    if isinstance(value, bool) or not isinstance(value, int):
        place.bad("must be a whole number", "position")
        return 0
    return value


def _is_regex(match: str) -> bool:
    return _REGEX.fullmatch(match) is not None


def regex_body(match: str) -> str | None:
    """Return the expression of ``/…/`` or ``/…/i``, or None where a pattern is no regex.

    Raises:
        ValueError: It has flags that are not known here.
    """
    found = _REGEX.fullmatch(match)
    if found is None:
        return None
    if found[2] not in ("", "i"):
        raise ValueError(f"has the flags {quoted(found[2])}: only i is carried over")
    return found[1]


def _names(match: str, slug: str | None) -> tuple[str, dict[str, Any]]:
    """Return the glob of the action names a pattern is about, and a condition on the name beside it."""
    body = regex_body(match)
    if body is not None:
        return _names_by_regex(body, slug)
    if slug is None:
        parts = [part.replace(".", r"\.") for part in match.split("*")]
        return f"*.{match}", {"action": {"regex": r"[^.]+\." + ".*".join(parts)}}
    return f"{slug}.{match}" if slug else match, {}


def _names_by_regex(body: str, slug: str | None) -> tuple[str, dict[str, Any]]:
    if slug == "":
        return "*", {"action": {"regex": patterns.whole(body, anything=".*")}}
    before = r"[^.]+\." if slug is None else slug + r"\."
    pattern = patterns.after(before, body, anything=".*")
    return "*" if slug is None else f"{slug}.*", {"action": {"regex": pattern}}


def _guarded(rules: list[DraftRule], ids: Ids) -> list[DraftRule]:
    """Put before each run rule what stricter rules below it say of the calls that both are about.

    In the first-match order such a rule would never be asked about them. A rule below that is about every
    call of the run rule stays below: there the run rule is the exception.
    """
    found: list[DraftRule] = []
    for index, rule in enumerate(rules):
        if rule.then == "allow" and rule.when is None:
            found += [_before(rule, each, ids) for each in rules[index + 1 :] if _is_shadowed(each, rule)]
        found.append(rule)
    return found


def _is_shadowed(rule: DraftRule, run: DraftRule) -> bool:
    if rule.then == "allow" or "action" in (rule.when or {}):
        return False
    return may_share_names(rule.match, run.match) and not Glob(rule.match).matches(run.match)


def may_share_names(one: str, two: str) -> bool:
    """Tell whether some name that people would write fits both globs.

    In ``get_*`` the star is taken to stay within its part of the name; alone between dots it stands for any
    number of parts.
    """
    if "." not in one or "." not in two:
        return Glob(one).overlaps(Glob(two))
    return _meet(tuple(one.split(".")), tuple(two.split(".")))


def _meet(one: tuple[str, ...], two: tuple[str, ...]) -> bool:
    if not one or not two:
        return one == two
    if two[0].strip("*") == "":
        one, two = two, one
    if one[0].strip("*") == "":
        both = two[0].strip("*") == ""
        return _meet(one[1:], two[1:]) or _meet(one, two[1:]) or (both and _meet(one[1:], two))
    return Glob(one[0]).overlaps(Glob(two[0])) and _meet(one[1:], two[1:])


def _before(run: DraftRule, rule: DraftRule, ids: Ids) -> DraftRule:
    narrowed = {} if run.match == "*" else {"action": {"glob": run.match}}
    note = f"Stricter than there, where {run.match} lets these calls run before {rule.id} is asked."
    return DraftRule(
        ids.take(f"{rule.id}-first"),
        rule.match,
        rule.then,
        rule.reason,
        {**narrowed, **(rule.when or {})} or None,
        dict(rule.keys),
        [note],
    )
