"""How words are read: nothing that is typed twice is dropped, and a wrong word finds the right one."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

import click


class Whole(click.IntRange):
    """A whole number within bounds, called so where it is none."""

    name = "whole number"


ELSEWHERE = {
    "help": "--help",
    "version": "--version",
    "bot": "'gate-bot', a command of its own",
    "approve": "in Slack: only people approve, never a command",
    "deny": "in Slack, or 'holds cancel' to take a call back",
    "reject": "in Slack, or 'holds cancel' to take a call back",
}
"""Words that name no command anywhere, and where what they ask for is."""

MEANT = {
    "log": "audit list", "logs": "audit list", "history": "audit list", "events": "audit list",
    "pending": "holds list", "queue": "holds list", "ls": "holds list",
    "validate": "policy lint", "rules": "policy show", "stop": "freeze", "halt": "freeze",
    "resume": "unfreeze", "metrics": "stats", "dashboard": "stats",
}  # fmt: skip
"""Other words for what a command does, and that command."""

_NEAR = 0.75
"""So alike a misspelt word is to the word of a command that was meant, from 0 to 1."""


class Verb(click.Command):
    """A command that takes each option once, unless the option takes several values."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words after the command.

        Raises:
            UsageError: An option with one value is given twice, or there are words too many.
        """
        if not ctx.resilient_parsing:
            self._check_once(ctx, list(args))
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            instead = self._instead(error.message)
            if not instead:
                raise
            raise click.UsageError(f"{error.message}{instead}", ctx) from None

    def _check_once(self, ctx: click.Context, words: list[str]) -> None:
        """Refuse what would be passed over: of two values only the last would count."""
        _, _, order = self.make_parser(ctx).parse_args(args=words)
        first: dict[str | None, click.Option] = {}
        for option in order:
            if not isinstance(option, click.Option) or option.multiple:
                continue
            other = first.get(option.name)
            first[option.name] = option
            if other is not None and other is not option:
                raise click.UsageError(f"Give one of {other.opts[0]} and {option.opts[0]}.", ctx)
            if other is option and not option.is_flag:
                raise click.UsageError(f"{option.opts[0]} is given twice, and only one can count.", ctx)

    def _instead(self, message: str) -> str:
        """Return a hint where a path was written bare and the command takes it after ``--policy``."""
        bare = message.startswith("Got unexpected extra argument")
        takes = any("--policy" in each.opts for each in self.params)
        return ": a policy is named with --policy PATH." if bare and takes else ""


class Verbs(click.Group):
    """A group that names the command which was meant, wherever it stands."""

    command_class = Verb

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first word names.

        Raises:
            UsageError: There is none.
        """
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            elsewhere = found_elsewhere(ctx, args[0])
            if not elsewhere or args[0].startswith("-"):
                raise
            raise click.UsageError(f"No such command {args[0]!r}: {elsewhere}", error.ctx) from None


def found_elsewhere(ctx: click.Context, word: str) -> str:
    """Return where what a wrong word asks for is; empty where nobody knows."""
    top = ctx.find_root()
    if word in ELSEWHERE:
        meant = ELSEWHERE[word]
        return f"it is {f'{top.command_path} {meant!s}' if meant.startswith('-') else meant}."
    paths = list(_paths(top.command))
    named = _named(top, [path for path in paths if path[-1] == word or " ".join(path) == MEANT.get(word)])
    if named:
        return f"it is {named}."
    here = tuple(ctx.command_path.removeprefix(top.command_path).split())
    near = _near(word, [path for path in paths if path[:-1] == here]) or _near(word, paths)
    return f"did you mean {_named(top, near)}?" if near else ""


def _near(word: str, paths: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the commands whose word was most likely meant."""
    known = sorted({path[-1] for path in paths})
    likest = difflib.get_close_matches(word.lower(), known, n=2, cutoff=_NEAR)
    return [path for each in likest for path in paths if path[-1] == each]


def _named(top: click.Context, paths: Sequence[Sequence[str]]) -> str:
    return " or ".join(f"'{top.command_path} {' '.join(path)}'" for path in paths)


def _paths(command: click.Command, before: Sequence[str] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of every command, groups among them."""
    for name, each in getattr(command, "commands", {}).items():
        yield (*before, name)
        yield from _paths(each, (*before, name))
