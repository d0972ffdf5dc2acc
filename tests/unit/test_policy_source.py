"""Strict YAML: what two parsers could read in two ways, and what is not used, is an error with a place."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from gate.policy.source import MAX_BYTES, Document, read_bytes, read_text

AMBIGUOUS = """yes Yes NO on off y N 017 0o17 08 00 1_000 1_0.5 12:30 1:30.5 010:20 2026-11-20
2026-11-20T10:00:00Z 1e3 1.0e3 0b1 -0x1F 0x_1 <<"""


def _messages(document: Document) -> str:
    return "\n".join(map(str, document.problems))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("null", None),
        ("12", 12),
        ("-0", 0),
        ("0x1F", 31),
        ("250.01", Decimal("250.01")),
        (".5", Decimal("0.5")),
        ("1.5e+3", Decimal(1500)),
        ("4h", "4h"),
        ("1.2.3", "1.2.3"),
        ("nobody", "nobody"),
        ('"yes"', "yes"),
        ("'017'", "017"),
        ('"1_000"', "1_000"),
    ],
)
def test_plain_scalars_that_both_versions_read_alike_are_taken(text: str, value: Any) -> None:
    """Numbers are exact, quoted text is text."""
    document = read_text(f"a: {text}", "p.yml")
    assert document.problems == []
    assert document.value == {"a": value}
    assert type(document.value["a"]) is type(value)


def test_a_long_number_keeps_all_its_digits() -> None:
    """Digits beyond those of a float are not lost."""
    document = read_text("a: 0.1000000000000000000000000000000001", "p.yml")
    assert str(document.value["a"]) == "0.1000000000000000000000000000000001"


@pytest.mark.parametrize(
    "text",
    [
        "1.0e+9999999",
        "1.0e-9999999",
        "1.0e+99999999999999999999",
        "9" * 1001,
        "0x" + "f" * 1000,
        "." + "1" * 1000,
    ],
    ids=lambda text: text[:12],
)
def test_a_number_that_nobody_could_write_out_is_an_error(text: str) -> None:
    """At its place, wherever it stands: no comparison, digest or message has to write it out."""
    assert f"p.yml:2:4: a: {json.dumps(text[:40])[:-1]}" in _messages(read_text(f"\na: {text}", "p.yml"))
    assert "is too long or too large" in _messages(read_text(f"a: {{b: [{text}]}}", "p.yml"))
    assert read_text(f'a: "{text}"', "p.yml").problems == []
    assert read_text(f"a: {'9' * 1000}", "p.yml").value == {"a": int("9" * 1000)}


@pytest.mark.parametrize(
    "text",
    AMBIGUOUS.split(),
)
def test_plain_scalars_that_the_versions_read_differently_are_errors(text: str) -> None:
    """As a value and as a key: the message says to quote it, at its place."""
    document = read_text(f"a:\n  - {text}\n", "p.yml")
    assert _messages(document).startswith(
        f'p.yml:2:5: a[0]: "{text}" means different things in YAML 1.1 and 1.2: quote it'
    )
    assert "quote it" in _messages(read_text(f"{text}: 1", "p.yml"))
    assert read_text(f'a: "{text}"', "p.yml").problems == []


@pytest.mark.parametrize("text", ["match: *.delete_*", "match: *", "match: [*.x]", "match: *name", "{a: *}"])
def test_an_unquoted_star_says_quote_it(text: str) -> None:
    """What looks like an alias is most often a glob that nobody quoted."""
    document = read_text(text, "p.yml")
    assert f"p.yml:1:{text.index('*') + 1}: " in _messages(document)
    assert 'quote it ("*…")' in _messages(document)


def test_anchors_are_errors() -> None:
    """Anchors are not used, so that no value stands in two places."""
    assert 'quote it ("&…")' in _messages(read_text("a: &x {b: 1}", "p.yml"))


@pytest.mark.parametrize(
    "text", ["a: !!str 1", "a: !mine {b: 1}", "a: ! x", "!!map {a: 1}", "a: !!python/object:os.system x"]
)
def test_explicit_tags_are_errors(text: str) -> None:
    """No tag chooses how a value is read."""
    assert "explicit tags" in _messages(read_text(text, "p.yml"))


def test_several_documents_are_an_error() -> None:
    """The second document is named; it is not passed over."""
    document = read_text("a: 1\n---\nb: 2\n", "p.yml")
    assert str(document.problems[0]).startswith("p.yml:2:1: a second document")
    assert not document.ok


def test_duplicate_keys_are_errors_at_the_second() -> None:
    """Both places are named."""
    document = read_text("a:\n  b: 1\n  c: 2\n  b: 3\n", "p.yml")
    assert _messages(document) == 'p.yml:4:3: a: "b" is written twice, first in line 2'


@pytest.mark.parametrize(
    "text", ["1: a", "true: a", "~: a", "? [x]\n: a", "? {x: 1}\n: a", "1.5: a", "? \n: a"]
)
def test_keys_that_are_no_text_are_errors(text: str) -> None:
    """Unhashable keys do not crash and other keys are not turned into text."""
    assert "a key is a text: quote it" in _messages(read_text(text, "p.yml"))


def test_everything_wrong_is_said_at_once() -> None:
    """Three errors in one text are three problems, each at its place."""
    document = read_text("a: yes\nb: !!int 5\nb: 017\n", "p.yml")
    assert [(each.line, each.column) for each in document.problems] == [(1, 4), (2, 4), (3, 1), (3, 4)]


def test_bytes_that_are_not_utf8_are_an_error_with_their_place() -> None:
    """The line and column of the first bad byte are named."""
    document = read_bytes("a: 1\nb: ä".encode("latin-1"), "p.yml")
    assert _messages(document) == "p.yml:2:4: byte 9 is not UTF-8: save the file as UTF-8"
    assert "not UTF-8" in _messages(read_bytes("a: 1".encode("utf-16"), "p.yml"))


def test_a_byte_order_mark_at_the_start_is_passed_over() -> None:
    """Editors on Windows write one."""
    document = read_bytes(b"\xef\xbb\xbfa: yes", "p.yml")
    assert [(each.line, each.column) for each in document.problems] == [(1, 4)]


@pytest.mark.parametrize("char", ["\x85", "\u2028", "\u2029"])
def test_no_rule_hides_in_what_people_see_as_a_comment(char: str) -> None:
    """These end a line in YAML 1.1 and in no editor; written as an escape they are text."""
    hidden = read_text(f"a: 1 # a note{char}default: allow", "p.yml")
    assert f"p.yml:1:14: the character U+{ord(char):04X} may not stand in YAML" in _messages(hidden)
    assert read_text(f'a: "\\u{ord(char):04x}"', "p.yml").value == {"a": char}


@pytest.mark.parametrize("text", ["a: \x00", "a: x\x07", "a: \x1b[0m", "a: \ud800"])
def test_characters_that_yaml_forbids_are_named(text: str) -> None:
    """The code of the character and its place are said."""
    assert f"U+{ord(text[3] if text[3] != 'x' else text[4]):04X} may not stand in YAML" in _messages(
        read_text(text, "p.yml")
    )


def test_a_file_that_is_too_large_is_refused_before_it_is_parsed() -> None:
    """The limit is a clear error."""
    document = read_bytes(b"#" * (MAX_BYTES + 1), "p.yml")
    assert "is larger than 1,000,000 bytes" in _messages(document)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "{a: " * 100_000, "\n".join(f"{' ' * depth}a:" for depth in range(500))]
)
def test_deep_nesting_is_refused_without_recursion(text: str) -> None:
    """A clear error instead of an exhausted stack."""
    document = read_text(text, "p.yml")
    assert "more than 64 levels deep" in _messages(document)
    assert not document.ok


def test_very_many_values_are_refused() -> None:
    """A flat flood ends too."""
    assert "more than 100,000 values" in _messages(read_text("[" + "1," * 150_000 + "1]", "p.yml"))


@pytest.mark.parametrize(
    ("text", "line"), [("a: [1", 1), ("a: b: c", 1), ("a:\n\t- b", 2), ("a: @x", 1), ('a: "x', 1)]
)
def test_broken_yaml_is_one_problem_with_a_place(text: str, line: int) -> None:
    """A syntax error names a line at or after the fault."""
    document = read_text(text, "p.yml")
    assert "is not YAML" in _messages(document)
    assert document.problems[0].line >= line
    assert not document.ok


@pytest.mark.parametrize("text", ["", "# nothing\n", "\ufeff"])
def test_an_empty_text_is_an_error(text: str) -> None:
    """Nothing is not a policy."""
    assert _messages(read_text(text, "p.yml")) == "p.yml: is empty"
