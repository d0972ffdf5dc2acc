"""Bind a call to parameter names, and call the tool again with the approved arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from inspect import Parameter
from typing import Any, get_type_hints

from gate.errors import ActionError, GuardError
from gate.forks import whole
from gate.model import Parameters

_RECEIVERS = ("self", "cls")
_PLAIN = (str, int, float, bool, type(None))
_PLAIN_TYPES = frozenset({*_PLAIN, list, tuple, dict})
"""Of a receiver the exact types only: a class of tools may well be a kind of dict."""


@dataclass(frozen=True, slots=True)
class Bound:
    """One call, bound to names.

    Attributes:
        arguments: What is judged, by parameter name, defaults included; extra keywords stand beside.
        live: What is passed through unjudged, by parameter name.
    """

    arguments: dict[str, Any] = field(repr=False)
    live: dict[str, Any] = field(repr=False)


class Binding:
    """Know the parameters of one tool.

    Args:
        function: The tool.
        exclude: Names of parameters that host code fills in; ``self`` and ``cls`` always are.

    Raises:
        GuardError: An excluded name is no parameter, or the tool has no signature.
    """

    def __init__(self, function: Callable[..., Any], exclude: Sequence[str] = ()) -> None:
        self.function = function
        self.signature = _signature(function)
        self._kinds = {name: each.kind for name, each in self.signature.parameters.items()}
        self.receiver = next((name for name in self._kinds if name in _RECEIVERS), None)
        if self.receiver is not None and self.receiver != next(iter(self._kinds)):
            self.receiver = None
        self.excluded = _excluded(function, self.signature, tuple(exclude), self.receiver)
        kinds = set(self._kinds.values())
        simple = not self.excluded and kinds <= {Parameter.POSITIONAL_OR_KEYWORD}
        self._defaults = {p.name: p.default for p in self.signature.parameters.values()} if simple else None
        self._required = {name for name, each in (self._defaults or {}).items() if each is Parameter.empty}

    @cached_property
    def parameters(self) -> Parameters:
        """Return the names that are judged, and whether the tool takes free keywords."""
        names = {name for name, kind in self._kinds.items() if kind is not Parameter.VAR_KEYWORD}
        return Parameters(
            frozenset(names - set(self.excluded)), Parameter.VAR_KEYWORD in self._kinds.values()
        )

    @cached_property
    def not_shown(self) -> tuple[str, ...]:
        """Return the excluded names that people are told of."""
        return tuple(name for name in self.excluded if name != self.receiver)

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Bound:
        """Bind a call to names.

        Raises:
            TypeError: The call does not fit the signature; just as the tool itself would raise.
            ActionError: A live parameter holds a plain value, or an extra keyword bears a parameter's name.
        """
        simply = self._simply(args, kwargs)
        if simply is not None:
            return Bound(simply, {})
        bound = self.signature.bind(*args, **kwargs)
        given = set(bound.arguments)
        bound.apply_defaults()
        arguments: dict[str, Any] = {}
        live: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            self._place(name, value, arguments, live)
        for name in self.not_shown:
            self._check_live(name, live[name], given=name in given)
        if self.receiver is not None and type(live.get(self.receiver, self)) in _PLAIN_TYPES:
            self._check_live(self.receiver, live[self.receiver], given=True)
        return Bound(arguments, live)

    def _simply(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the arguments of a call that fits a tool of plain parameters alone; None for every other."""
        if self._defaults is None or len(args) > len(self._defaults):
            return None
        given = dict(zip(self._defaults, args, strict=False))
        arguments = {**self._defaults, **given, **kwargs}
        twice_or_unknown = len(arguments) > len(self._defaults) or not given.keys().isdisjoint(kwargs)
        missing = self._required - given.keys() - kwargs.keys()
        return None if twice_or_unknown or missing else arguments

    def unbind(
        self, arguments: Mapping[str, Any], live: Mapping[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """Return positional and keyword arguments that call the tool with these values."""
        if self._defaults is not None and arguments.keys() == self._defaults.keys():
            return [arguments[name] for name in self._defaults], {}
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        known = {**arguments, **live}
        for name, kind in self._kinds.items():
            if kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD):
                positional.append(known.pop(name))
            elif kind is Parameter.VAR_POSITIONAL:
                positional += known.pop(name)
            elif kind is Parameter.KEYWORD_ONLY:
                keywords[name] = known.pop(name)
        return positional, keywords | known

    def _place(self, name: str, value: Any, arguments: dict[str, Any], live: dict[str, Any]) -> None:
        if self._kinds[name] is Parameter.VAR_KEYWORD:
            if clash := self._kinds.keys() & value.keys():
                raise ActionError(
                    f"args.{min(clash)}: a keyword bears the name of another parameter. Nothing ran."
                )
            arguments.update(value)
        elif name in self.excluded:
            live[name] = value
        else:
            arguments[name] = list(value) if self._kinds[name] is Parameter.VAR_POSITIONAL else value

    def _check_live(self, name: str, value: Any, *, given: bool) -> None:
        if (given or value is not None) and is_plain(value):
            raise ActionError(
                f"{name}: this parameter is excluded from judging, so it must not hold a plain value"
                f" ({type(value).__name__}); pass the live object, or take it out of exclude. Nothing ran."
            )


def is_plain(value: object) -> bool:
    """Tell whether a value is plain JSON all the way down; one that contains itself may be."""
    seen: set[int] = set()
    left: list[Any] = [value]
    while left:
        each = left.pop()
        kind = type(each)
        if issubclass(kind, dict):  # what it holds, whatever its class makes of that
            if not all(issubclass(type(key), str) for key in dict.keys(each)):
                return False
            inner: Iterable[object] = dict.values(each)
        elif issubclass(kind, (list, tuple)):
            inner = list.__iter__(each) if issubclass(kind, list) else tuple.__iter__(each)
        elif issubclass(kind, _PLAIN):
            continue
        else:
            return False
        if id(each) not in seen:
            seen.add(id(each))
            left.extend(inner)
    return True


def json_schema(binding: Binding) -> dict[str, Any]:
    """Return the JSON Schema of a tool's judged arguments.

    A parameter without annotation, or with one that has no schema, accepts anything.

    Args:
        binding: The tool.
    """
    hints = hints_of(binding.function)
    judged = [each for name, each in binding.signature.parameters.items() if name in binding.parameters.names]
    return {
        "type": "object",
        "properties": {each.name: _schema_of(each, hints.get(each.name)) for each in judged},
        "required": [each.name for each in judged if _is_required(each)],
        "additionalProperties": binding.parameters.open,
    }


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise GuardError(
            f"{function!r} has no signature that could be read, so it cannot be guarded."
        ) from error


def _excluded(
    function: Callable[..., Any], signature: inspect.Signature, exclude: tuple[str, ...], receiver: str | None
) -> tuple[str, ...]:
    for name in exclude:
        found = signature.parameters.get(name)
        if found is None or found.kind in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL):
            raise GuardError(
                f"exclude={name!r}: {function.__qualname__} has no single parameter of that name;"
                f" it has {', '.join(signature.parameters) or 'none'}."
            )
    return tuple(dict.fromkeys([*([receiver] if receiver else []), *exclude]))


def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations of a tool by parameter; none where they cannot be read."""
    try:
        return get_type_hints(function, include_extras=True)
    except Exception:
        return {}


def _schema_of(parameter: Parameter, hint: Any) -> dict[str, Any]:
    from pydantic import TypeAdapter

    if hint is None:
        return {}
    kind = list[hint] if parameter.kind is Parameter.VAR_POSITIONAL else hint
    try:
        with whole():
            return TypeAdapter(kind).json_schema()
    except Exception:  # annotations are anybody's code: whatever they raise, they describe nothing
        return {}


def _is_required(parameter: Parameter) -> bool:
    return parameter.default is Parameter.empty and parameter.kind is not Parameter.VAR_POSITIONAL
