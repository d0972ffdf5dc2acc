"""What is imported is never looser than the system that it comes from, for any policy and call."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gate.errors import PolicyError
from gate.model import Action, Approver, Effect
from gate.policy.evaluate import evaluate
from gate.policy.importers import kortix, phrony
from gate.policy.importers.draft import People
from gate.policy.load import load_texts

PEOPLE = People("C0APPROVALS", (Approver("group", "S0FINANCE"),))
RANK = {"always_run": 0, "allow": 0, "require_approval": 1, "block": 2, "deny": 2}

NAMES = st.sampled_from(
    ["shop.get_item", "shop.delete_item", "shop.v1.delete_item", "mail.send", "MAIL.Send", "shop.list.all"]
)
TEXTS = st.sampled_from(
    [
        "ok",
        "OK",
        " ok",
        "ok\n",
        "a@x.test",
        "b@y.test, a@x.test",
        "A@X.TEST",
        "5",
        "true",
        "",
        "ok ok",
        "okay",
    ]
)
SCALARS = st.one_of(TEXTS, st.booleans(), st.sampled_from([0, 5, -5, 5.0, 5.5, 300]), st.none())
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=3), st.just({"x": "ok"}))
PLAIN = st.one_of(SCALARS, st.just({"x": "ok"}))
ARGUMENTS = st.dictionaries(st.sampled_from(["to", "amount", "deep"]), VALUES, max_size=3)

GLOBS = st.sampled_from(
    ["*", "shop.*", "*.delete_*", "shop.get_*", "mail.send", "*send*", "/delete/", "/^shop\\./", "/send$|^x/"]
)
MATCHES = st.sampled_from(
    [
        "ok",
        "*",
        "ok*",
        "*@x.test",
        "*@*",
        "5",
        "true",
        "/^ok$/",
        "/ok|x/",
        "/[a-z]+@x\\.test/",
        "/k $/",
        "/O/i",
    ]
)
CONDITIONS = st.fixed_dictionaries(
    {"arg": st.sampled_from(["to", "amount", "deep.x"]), "match": MATCHES},
    optional={"negate": st.booleans()},
)
RULES = st.fixed_dictionaries(
    {"match": GLOBS, "action": st.sampled_from(["always_run", "require_approval", "block"])},
    optional={"conditions": st.lists(CONDITIONS, max_size=2)},
)
MANIFESTS = st.fixed_dictionaries(
    {
        "policy": st.fixed_dictionaries({"default_mode": st.sampled_from(["risk", "allow_all"])}),
        "policies": st.lists(RULES, max_size=4),
    },
    optional={
        "connectors": st.lists(
            st.fixed_dictionaries(
                {"slug": st.just("shop"), "policies": st.lists(RULES, max_size=3), "sensitive": st.booleans()}
            ),
            max_size=1,
        )
    },
)


def fits(pattern: str, text: str) -> bool:
    """Match as Kortix does: a glob of the whole text or a search, both ignoring case."""
    found = re.fullmatch(r"/(.+)/([a-z]*)", pattern)
    if found:
        return re.search(found[1].replace("$", r"\Z"), text, re.IGNORECASE) is not None
    parts = [re.escape(part) for part in pattern.split("*")]
    return pattern == "*" or re.fullmatch(".*".join(parts), text, re.IGNORECASE) is not None


def value_fits(value: Any, pattern: str) -> bool:
    if isinstance(value, list):
        return bool(value) and all(value_fits(each, pattern) for each in value)
    if value is None or isinstance(value, dict):
        return False
    return fits(pattern, json.dumps(value).removesuffix(".0") if not isinstance(value, str) else value)


def holds(condition: dict[str, Any], arguments: Any) -> bool:
    value = arguments
    for step in condition["arg"].split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value_fits(value, condition["match"]) is not condition.get("negate", False)


def first(rules: list[dict[str, Any]], name: str, arguments: dict[str, Any]) -> str | None:
    for rule in rules:
        if fits(rule["match"], name) and all(holds(each, arguments) for each in rule.get("conditions", [])):
            return str(rule["action"])
    return None


def kortix_says(manifest: dict[str, Any], name: str, arguments: dict[str, Any], risk: str) -> str:
    found = first(manifest["policies"], name, arguments)
    for connector in manifest.get("connectors", []):
        slug, _, rest = name.partition(".")
        if found is None and slug.lower() == connector["slug"]:
            found = first(connector["policies"], rest, arguments)
            found = found or ("require_approval" if connector["sensitive"] else None)
    if found:
        return found
    runs = manifest["policy"]["default_mode"] == "allow_all" or risk == "read"
    return "always_run" if runs else "require_approval"


def imported_kortix(manifest: dict[str, Any], action: Action) -> tuple[str, str]:
    """Return what ours answers after an import, and the imported text."""
    try:
        text = kortix.import_text(json.dumps(manifest), "kortix.yaml", PEOPLE)
    except PolicyError as error:
        assume("elsewhere than at its ends" not in str(error))
        raise
    return evaluate(load_texts({"kortix.yml": text}), action).answer, text


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(["always_run", "require_approval", "block"]), CONDITIONS, VALUES)
def test_one_kortix_condition_is_never_looser(word: str, condition: dict[str, Any], value: Any) -> None:
    """A condition makes hold and block rules apply at least as widely as there, run rules at most."""
    condition, arguments = {**condition, "arg": "to"}, {"to": value}
    manifest = {
        "policy": {"default_mode": "risk" if word == "always_run" else "allow_all"},
        "policies": [{"match": "mail.send", "action": word, "conditions": [condition]}],
    }
    answer, text = imported_kortix(manifest, Action("mail.send", arguments, "a", "s"))
    assert RANK[answer] >= RANK[kortix_says(manifest, "mail.send", arguments, "write")], text


@settings(max_examples=200, deadline=None)
@given(MANIFESTS, NAMES, ARGUMENTS, st.sampled_from(["read", "write"]))
def test_a_kortix_import_is_never_looser(
    manifest: dict[str, Any], name: str, arguments: dict[str, Any], risk: Any
) -> None:
    """What Kortix holds or blocks, the imported policy holds or blocks too."""
    answer, text = imported_kortix(manifest, Action(name, arguments, "a", "s", effect=Effect(risk=risk)))
    assert RANK[answer] >= RANK[kortix_says(manifest, name, arguments, risk)], text


LEAVES = st.fixed_dictionaries(
    {
        "field": st.sampled_from(["to", "amount", " deep . x ", "phrony.dispatch.trigger"]),
        "op": st.sampled_from(["eq", "==", "neq", "gt", ">=", "lt", "lte", "in", "matches", " GT "]),
        "value": st.sampled_from(["ok", "5", "5.0", 5, 250, True, "^ok$", "k|x", "", None]),
    }
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"all": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"any": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"not": inner}),
    ),
    max_leaves=4,
)
POLICIES = st.lists(
    st.fixed_dictionaries(
        {
            "conditions": TREES,
            "decision": st.fixed_dictionaries(
                {"type": st.sampled_from(["deny", "require_approval", "escalate", "allow"])}
            ),
        },
        optional={"scope": st.sampled_from(["agent", "tool:mail.send"])},
    ),
    min_size=1,
    max_size=3,
)


def number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
        return None
    try:
        return float(str(value).strip())
    except ValueError:
        return None


def shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "<nil>" if value is None else str(value).removesuffix(".0").strip()


def equal(one: Any, two: Any) -> bool:
    first_, second = number(one), number(two)
    if first_ is not None and second is not None:
        return first_ == second
    return shown(one).casefold() == shown(two).casefold()


def leaf(node: dict[str, Any], arguments: dict[str, Any]) -> bool:
    if node["field"] == "phrony.dispatch.trigger":
        return False
    value: Any = arguments
    for step in node["field"].split("."):
        if not isinstance(value, dict) or step.strip() not in value:
            return False
        value = value[step.strip()]
    op, wanted = node["op"].strip().lower(), node["value"]
    if op in ("eq", "==", "neq"):
        return equal(value, wanted) is not (op == "neq")
    if op == "in":
        return isinstance(wanted, list) and any(equal(value, each) for each in wanted)
    if op == "matches":
        return isinstance(wanted, str) and re.search(wanted.replace("$", r"\Z"), shown(value)) is not None
    one, two = number(value), number(wanted)
    if one is None or two is None:
        return False
    return {"gt": one > two, ">=": one >= two, "lt": one < two, "lte": one <= two}[op]


def tree(node: dict[str, Any], arguments: dict[str, Any]) -> bool:
    if "all" in node:
        return all(tree(each, arguments) for each in node["all"])
    if "any" in node:
        return any(tree(each, arguments) for each in node["any"])
    return not tree(node["not"], arguments) if "not" in node else leaf(node, arguments)


def phrony_says(policies: list[dict[str, Any]], name: str, arguments: dict[str, Any]) -> str:
    found = "allow"
    for policy in policies:
        scope = policy.get("scope", "agent")
        if scope not in ("agent", f"tool:{name}") or not tree(policy["conditions"], arguments):
            continue
        kind = policy["decision"]["type"].replace("escalate", "require_approval")
        found = max(found, kind, key=RANK.__getitem__)
    return found


def imported_phrony(policies: list[dict[str, Any]], action: Action) -> tuple[str, str]:
    """Return what ours answers after an import, and the imported text."""
    written = [
        {"kind": "Policy", "metadata": {"name": f"p{index}"}, "spec": policy}
        for index, policy in enumerate(policies)
    ]
    try:
        text = phrony.import_texts({"p.yaml": "\n---\n".join(map(json.dumps, written))}, PEOPLE)
    except PolicyError as error:
        assume("must be" not in str(error))
        raise
    return evaluate(load_texts({"phrony.yml": text}), action).answer, text


@settings(max_examples=300, deadline=None)
@given(LEAVES, st.booleans(), VALUES)
def test_one_phrony_condition_is_never_looser(node: dict[str, Any], negated: bool, value: Any) -> None:
    """A condition, and its opposite, makes a deny apply at least as widely as there.

    All but the opposite and ``neq`` for lists: ours compares their elements, and the imported file says so.
    """
    assume(not (isinstance(value, list) and (negated or node["op"].strip().lower() == "neq")))
    node, arguments = {**node, "field": "amount"}, {"amount": value}
    policy = {
        "conditions": {"not": node} if negated else node,
        "decision": {"type": "deny"},
        "scope": "agent",
    }
    answer, text = imported_phrony([policy], Action("mail.send", arguments, "a", "s"))
    assert RANK[answer] >= RANK[phrony_says([policy], "mail.send", arguments)], text


@settings(max_examples=200, deadline=None)
@given(
    POLICIES,
    st.sampled_from(["mail.send", "shop.get_item"]),
    st.dictionaries(st.sampled_from(["to", "amount", "deep"]), PLAIN, max_size=3),
)
def test_a_phrony_import_is_never_looser(
    policies: list[dict[str, Any]], name: str, arguments: dict[str, Any]
) -> None:
    """What Phrony holds or denies, the imported policy holds or blocks too."""
    answer, text = imported_phrony(policies, Action(name, arguments, "a", "s"))
    assert RANK[answer] >= RANK[phrony_says(policies, name, arguments)], text
