"""What each key of a policy file means, in one sentence: for editors and for the reference."""

from __future__ import annotations

from collections.abc import Mapping

_ASKING: Mapping[str, str] = {
    "channel": "Slack channel that gets the card: C…, or a name of this file.",
    "approvers": "Who may answer: users (U…), user groups (S…), {members_of: C…}, or names of this file.",
    "quorum": "How many different people must approve. Default 1.",
    "distinct": "Whether who approves here counts in no other requirement of the call. Default false.",
    "expires_in": "How long people have to answer, 5s to 7d. Default 4h.",
    "use_within": "How long after the last approval the call may still start. Default expires_in.",
    "deliver_within": "How long Slack may take to accept the card. Default 10m.",
    "comment": "Which answers need a comment. Default: a denial does.",
    "deny_reasons": "Quick reasons offered on denial, in the place of the built-in ones.",
    "tell_agent": "What the agent is told of who answered. Default: nobody's name.",
    "on_behalf_of_may_approve": "Whether the person the agent acts for may approve. Default false.",
    "remind_before": "How long before the end people still needed are reminded, such as [1h, 15m]; [] never.",
    "hand_over": "Who may answer as well once nobody has for a while: {after, approvers}, or none.",
    "on_caller_gone": "Whether a hold is kept or cancelled when its caller is gone. Default keep.",
    "ask_again_after": "How long an identical repeat gets the old outcome without a card. Default 60s.",
}

DESCRIPTIONS: Mapping[str, Mapping[str, str]] = {
    "PolicyHead": {
        "version": "Version of the language: 1.",
        "name": "Name of this file in rule ids. Default: the file name without its ending.",
        "applies_to": "Globs of the actions that this file covers. Default: every action.",
        "resolve": "strictest: block over require_approval over allow. first_match: the first that applies.",
        "default": "What happens where no rule applies. by_risk lets reads run and holds the rest.",
        "names": "Names for Slack ids, to be written wherever an id may stand.",
        "operators": "Who lifts freezes in Slack, and answers for allowed calls in doubt. In one file.",
        "limits": "How much may wait for people; over it a call is blocked. In one file of a set.",
        "approvals": "What holds for everything in this file that can require approval.",
        "actions": "What tools do, by action name or glob.",
        "redact": "Paths that are never shown or stored, in every action of the set.",
        "show": "Paths that are shown although their name looks secret, in the actions this file covers.",
        "rules": "Rules, each with what it is about, when it applies and what it answers.",
        "budgets": "Limits over what calls add up to within a window.",
    },
    "CommentKeys": {
        "approve": "Whether an approval needs a comment. Default optional.",
        "deny": "Whether a denial needs a comment. Default required.",
    },
    "HandOverKeys": {
        "after": "How long after people were asked.",
        "approvers": "Who may answer from then on as well.",
    },
    "TellKeys": {"approver": "nobody: the agent reads 'a person'. name: it reads their name."},
    "ApprovalKeys": _ASKING,
    "RuleKeys": {
        **_ASKING,
        "id": "Name of the rule, unique among the rules and budgets of its file.",
        "match": "Globs of the actions it is about. Default: every action the file covers.",
        "when": "When it applies: conditions by path. Default: always.",
        "then": "What it answers.",
        "reason": "Why, for approvers and agents. Required unless it allows.",
        "editable": "Paths of arguments that approvers may change before they approve. Default: none.",
    },
    "BudgetKeys": {
        **_ASKING,
        "id": "Name of the budget, unique among the rules and budgets of its file.",
        "match": "Globs of the actions that count. Default: every action the file covers.",
        "when": "Which calls count: conditions by path. Default: all of them.",
        "sum": "What is added up: effect.amount, effect.count, args.… or facts.…. Default: the calls.",
        "limit": "The most within the window; for effect.amount by currency. Above it the budget answers.",
        "per": "Whose it is: session, agent, on_behalf_of, everything, or a path such as args.customer.",
        "window": "For how long a call counts, such as 24h; it rolls.",
        "reads": "Whether declared reads count too. Default false.",
        "then": "What it answers above its limit. Default require_approval.",
        "reason": "Why, for approvers and agents. Default: its numbers.",
        "headroom": "How many more calls its approvers may let pass with one press. Default: none.",
    },
    "AskKeys": {
        "count": "How many holds of one session.",
        "window": "Within which time.",
    },
    "BurstKeys": {
        "count": "How many holds of one session; 0 never makes a burst.",
        "window": "Within which time. Default 10m.",
    },
    "LimitKeys": {
        "pending_per_session": "Pending holds of one session. Default 20.",
        "pending_per_agent": "Pending holds of one agent. Default 100.",
        "asks_per_session": "How many holds one session may ask for within which time. Default 60 in 1h.",
        "burst": "Above how many holds of one session in which time one card lists them. Default 5 in 10m.",
    },
    "ActionKeys": {
        "risk": "What it does at worst: read, write or destructive. Undeclared it is guessed from the name.",
        "reversible": "Whether it can be undone. Default false, true for a declared read.",
        "outbound": "Whether it leaves the company. Default true, false for a declared read.",
        "amount": "Path of the amount it moves, such as args.amount; none where it moves none.",
        "currency": "Path of the currency, such as args.currency, or its code where there is only one.",
        "unit": "minor where the amount is in cents. Default major.",
        "count": "Path of how many things it touches: a number, or a list. Default one.",
        "describe": "The sentence people read, with a path in braces for a value, such as {args.amount}.",
        "decisive": "Paths that people see uncut before they approve.",
        "params": "Names of all its parameters, [] for none; a condition on any other is false.",
        "redact": "Paths of this action that are never shown or stored.",
        "show": "Paths of this action that are shown although their name looks secret.",
    },
}
"""One sentence for each key, by the model it stands in."""
