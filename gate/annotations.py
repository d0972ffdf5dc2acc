"""Ask a tool's own annotations whether it takes arguments that people changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import Parameter
from typing import Any

from gate.binding import Binding, hints_of
from gate.editing import value_at
from gate.forks import whole
from gate.shapes import copy_model
from gate.values import parse_path


def refusal(binding: Binding, arguments: Mapping[str, Any], paths: Iterable[str]) -> str:
    """Return why a tool does not take changed arguments; empty where it does.

    What an annotation says of a whole parameter counts, and what a model says of its field. A parameter
    without annotation, or with one that nothing can be asked, takes everything.

    Args:
        binding: The tool.
        arguments: The changed arguments by parameter name.
        paths: Paths of the values that were changed.
    """
    hints = hints_of(binding.function)
    for path in paths:
        _, name, *rest = parse_path(path)
        why = _refused_by(_hint(binding, hints, name), arguments[name]) or _in_model(arguments[name], rest)
        if why:
            return f"{path}: {why}"
    return ""


def _hint(binding: Binding, hints: Mapping[str, Any], name: str) -> Any:
    parameters = binding.signature.parameters
    known = parameters.get(name)
    if known is None:
        free = next((each for each in parameters.values() if each.kind is Parameter.VAR_KEYWORD), None)
        return hints.get(free.name) if free else None
    hint = hints.get(name)
    return list[hint] if hint is not None and known.kind is Parameter.VAR_POSITIONAL else hint  # type: ignore[valid-type]


def _refused_by(hint: Any, value: Any) -> str:
    if hint is None:
        return ""
    from pydantic import TypeAdapter

    try:
        with whole():
            adapter = TypeAdapter(hint)
    except Exception:  # annotations are anybody's code; one that nothing can be asked says nothing
        return ""
    return _why(lambda: adapter.validate_python(value))


def _in_model(value: Any, keys: list[str]) -> str:
    """Return why a model on the way to a changed value does not take it; it is not asked by itself."""
    for place, key in enumerate(keys):
        model = value_at(value, tuple(keys[:place]))
        validator = getattr(type(model), "__pydantic_validator__", None)
        if validator is not None and hasattr(type(model), "model_fields"):
            made = copy_model(model, lambda each: dict(each) if type(each) is dict else each)
            new = value_at(model, (key,))
            why = _why(lambda v=validator, m=made, k=key, n=new: v.validate_assignment(m, k, n))
            if why:
                return why
    return ""


def _why(ask: Any) -> str:
    """Return why something is refused; validators are anybody's code, and whatever they raise refuses."""
    from pydantic import ValidationError

    try:
        ask()
    except ValidationError as error:
        return str(error.errors(include_url=False, include_input=False)[0]["msg"])
    except Exception as error:
        return type(error).__name__
    return ""
