"""The JSON Schema of policy files, for editors: generated from the models that read them.

It takes every file that loads. What only several keys together can say, loading says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import timedelta
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator
from pydantic.fields import FieldInfo

from gate.policy import schema
from gate.policy.currencies import CODES
from gate.policy.effects import RISKS
from gate.policy.keys import DESCRIPTIONS
from gate.policy.operators import COMPARISONS
from gate.policy.parsing import OPERATORS, PATTERNS
from gate.policy.reading import KNOWN_PATHS
from gate.policy.takes import OneOf, Span, Whole
from gate.values import format_path

Schema = dict[str, Any]

FILE_NAME = "policy.schema.json"
"""Name under which it is shipped and written."""

_MODELS: tuple[type[BaseModel], ...] = (
    schema.ApprovalKeys, schema.RuleKeys, schema.BudgetKeys, schema.ActionKeys, schema.LimitKeys,
    schema.AskKeys, schema.BurstKeys, schema.CommentKeys, schema.TellKeys, schema.HandOverKeys,
)  # fmt: skip
_TEXT: Schema = {"type": "string", "minLength": 1}
_GLOB: Schema = {"type": "string", "pattern": r"^[A-Za-z0-9_.*-]+$"}
_IDENTIFIER: Schema = {"type": "string", "pattern": "^[A-Za-z0-9_-]+$"}
_PATH: Schema = {"type": "string", "pattern": r"^args[.\[]"}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/definitions/{name}"}


def _list(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": items, "minItems": 1, **more}


def _object(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


_BY_FUNCTION: Mapping[str, Schema] = {
    "take_text": _TEXT,
    "take_identifier": _IDENTIFIER,
    "take_rule_id": _IDENTIFIER | {"not": {"const": "default"}},
    "take_globs": {"anyOf": [_GLOB, _list(_GLOB)]},
    "take_bool": {"type": "boolean"},
    "take_version": {"const": 1},
    "take_channel": _IDENTIFIER,
    "take_approvers": _list({"anyOf": [_IDENTIFIER, _ref("members_of")]}),
    "take_reasons": _list({"type": "string", "minLength": 1, "maxLength": 75}, maxItems=10, uniqueItems=True),
    "take_reminders": _list(
        {"type": "string", "pattern": "^[0-9]{1,9}[smhd]$", "examples": ["15m", "1h"]},
        minItems=0,
        maxItems=5,
        uniqueItems=True,
    ),
    "take_path": _PATH,
    "take_paths": _list(_PATH, minItems=0),
    "take_some_paths": _list(_PATH),
    "take_hand_over": {"anyOf": [{"const": "none"}, _ref("HandOverKeys")]},
    "take_names": _list(_TEXT, minItems=0),
    "take_amount": {"anyOf": [{"const": "none"}, _PATH]},
    "take_currency": {"anyOf": [{"enum": sorted(CODES)}, _PATH]},
    "take_template": _TEXT,
}
"""What each reading function takes."""

_BY_KEY: Mapping[str, Schema] = {
    "PolicyHead.names": _object({"type": "string", "pattern": "^[UWSCG][A-Z0-9]{2,30}$"}),
    "PolicyHead.limits": _ref("LimitKeys"),
    "PolicyHead.approvals": _ref("ApprovalKeys"),
    "PolicyHead.actions": _object(_ref("ActionKeys")),
    "PolicyHead.rules": {"type": "array", "items": _ref("RuleKeys")},
    "PolicyHead.budgets": {"type": "array", "items": _ref("BudgetKeys")},
    "RuleKeys.when": _ref("condition"),
    "BudgetKeys.when": _ref("condition"),
    "BudgetKeys.limit": {"anyOf": [{"type": "number", "minimum": 0}, _ref("money")]},
}
"""What stands behind keys that are read on their own."""


def policy_schema() -> Schema:
    """Return the JSON Schema of one policy file."""
    head = _model(schema.PolicyHead)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Policy of slack-approval-gate",
        **head,
        "definitions": {model.__name__: _model(model) for model in _MODELS} | _conditions(),
    }


def schema_text() -> str:
    """Return the schema as the text of its file."""
    return json.dumps(policy_schema(), indent=2, ensure_ascii=False) + "\n"


def _model(model: type[BaseModel]) -> Schema:
    described = DESCRIPTIONS[model.__name__]
    fields = model.model_fields
    found: Schema = {
        "type": "object",
        "description": (model.__doc__ or "").strip(),
        "properties": {
            key: {"description": described[key], **_key(model, key, field)} for key, field in fields.items()
        },
        "additionalProperties": False,
    }
    required = [key for key, field in fields.items() if field.is_required()]
    return found | ({"required": required} if required else {})


def _key(model: type[BaseModel], key: str, field: FieldInfo) -> Schema:
    named = _BY_KEY.get(f"{model.__name__}.{key}")
    if named is not None:
        return {"allOf": [named]} if "$ref" in named else named
    for part in (*field.metadata, *_parts(field.annotation)):
        if isinstance(part, BeforeValidator):
            return _shape(part.func)
        if isinstance(part, type) and issubclass(part, BaseModel):
            return {"allOf": [_ref(part.__name__)]}
    raise LookupError(f"{model.__name__}.{key} has no JSON Schema")


def _parts(annotation: Any) -> Iterator[Any]:
    """Yield everything an annotation is made of."""
    yield annotation
    if get_origin(annotation) in (Union, UnionType) or hasattr(annotation, "__metadata__"):
        for part in (*get_args(annotation), *getattr(annotation, "__metadata__", ())):
            yield from _parts(part)


def _shape(read: Any) -> Schema:
    if isinstance(read, OneOf):
        return {"enum": list(read.words)}
    if isinstance(read, Whole):
        return {"type": "integer", "minimum": read.low, "maximum": read.high}
    if isinstance(read, Span):
        return {"type": "string", "pattern": "^[0-9]{1,9}[smhd]$", "examples": _spans(read)}
    return _BY_FUNCTION[read.__name__]


def _spans(read: Span) -> list[str]:
    known = {"30s": 30, "10m": 600, "1h": 3600, "4h": 14400, "24h": 86400, "7d": 604800}
    return [text for text, s in known.items() if read.low <= timedelta(seconds=s) <= read.high]


def _conditions() -> Schema:
    """Return the definitions of conditions."""
    fixed = {format_path(keys): _ref("test") for keys in sorted(KNOWN_PATHS)}
    fixed["effect.risk"] = {"anyOf": [{"enum": list(RISKS)}, _ref("operators")]}
    groups = {word: _list(_ref("condition")) for word in ("all", "any")} | {"not": _ref("condition")}
    return {
        "members_of": {
            "type": "object",
            "properties": {"members_of": _IDENTIFIER},
            "required": ["members_of"],
            "additionalProperties": False,
        },
        "condition": {
            "type": "object",
            "description": "Paths and what must hold there; all of them must. all, any and not group them.",
            "minProperties": 1,
            "properties": groups | fixed,
            "patternProperties": {r"^(args|facts)[.\[]": _ref("test")},
            "additionalProperties": False,
        },
        "test": {"anyOf": [_ref("single"), _ref("operators")]},
        "single": {"type": ["string", "number", "boolean"]},
        "path": {
            "type": "object",
            "description": "Another value of the call, such as {path: facts.order_total}.",
            "properties": {"path": _TEXT},
            "required": ["path"],
            "additionalProperties": False,
        },
        "money": {
            "type": "object",
            "description": 'Numbers by currency; "*" is every other one.',
            "minProperties": 1,
            "patternProperties": {r"^([A-Z]{3}|\*)$": {"type": "number"}},
            "additionalProperties": False,
        },
        "operators": {
            "type": "object",
            "minProperties": 1,
            "properties": {word: _operator(word) for word in OPERATORS} | {"optional": {"type": "boolean"}},
            "additionalProperties": False,
        },
    }


def _operator(word: str) -> Schema:
    single, path, money = _ref("single"), _ref("path"), _ref("money")
    if word in PATTERNS:
        return _TEXT
    if word in ("in", "not_in"):
        return {"anyOf": [_list(single), path]}
    if word in ("eq", "ne"):
        return {"anyOf": [single, _list(single), path, money]}
    if word in ("contains", "exists"):
        return {"type": "boolean"} if word == "exists" else {"anyOf": [single, path]}
    if word == "length":
        size = {"anyOf": [{"type": "integer", "minimum": 0}, path]}
        bounds = {"type": "object", "minProperties": 1, "additionalProperties": False}
        return {"anyOf": [*size["anyOf"], bounds | {"properties": dict.fromkeys(COMPARISONS, size)}]}
    return {"anyOf": [{"type": "number"}, path, money]}
