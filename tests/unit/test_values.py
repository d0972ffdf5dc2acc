"""Durations, globs, paths, folded text, exact numbers and money."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from gate.folding import fold, plain_text
from gate.values import (
    Glob,
    Money,
    currency_code,
    decimal_of,
    format_duration,
    format_number,
    format_path,
    is_action_name,
    limit_for,
    parse_duration,
    parse_path,
)


@pytest.mark.parametrize(
    ("text", "seconds"), [("20s", 20), ("10m", 600), ("4h", 14400), ("7d", 604800), ("0s", 0)]
)
def test_durations_are_read_and_written_back(text: str, seconds: int) -> None:
    """A number and a unit make a duration, and it is written the same way again."""
    assert parse_duration(text) == timedelta(seconds=seconds)
    assert format_duration(parse_duration(text)) == text


@pytest.mark.parametrize(
    "text", ["", "4", "h", "4 h", "-4h", "1.5h", "4H", "4h30m", "4w", "9999999999s", "４h"]
)
def test_other_texts_are_no_durations(text: str) -> None:
    """Anything else is refused with the form to write."""
    with pytest.raises(ValueError, match="is not a duration"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("stripe.create_refund", "Stripe.Create_Refund", True),
        ("stripe.*", "stripe.a.b", True),
        ("stripe.*", "stripes.a", False),
        ("*.delete_*", "stripe.delete_customer", True),
        ("*.delete_*", "delete_customer", False),
        ("*", "a.b", True),
        ("a*b", "ab", True),
        ("a*ba", "aba", True),
        ("ab*ba", "aba", False),
        ("*a*a*", "a.b", False),
        ("*a*a*", "a.a", True),
    ],
)
def test_a_glob_matches_the_whole_name_ignoring_case(pattern: str, name: str, fits: bool) -> None:
    """``*`` is any run of characters, dots included; the whole name must fit."""
    assert Glob(pattern).matches(name) is fits


@pytest.mark.parametrize("pattern", ["", "a b", "a?b", "[ab]", "ä.*", "a.b\n", "x" * 201])
def test_other_characters_are_no_glob(pattern: str) -> None:
    """Nothing but the characters of names and ``*`` may stand in a glob."""
    with pytest.raises(ValueError, match="is not a glob"):
        Glob(pattern)


def test_the_exact_name_is_the_most_specific_then_the_longest_glob() -> None:
    """Specificity is exactness first, then the number of literal characters."""
    globs = [Glob("*"), Glob("stripe.*"), Glob("a.b"), Glob("*.create_refund*")]
    assert max(globs, key=lambda glob: glob.specificity).pattern == "a.b"
    assert max(globs[:2] + globs[3:], key=lambda glob: glob.specificity).pattern == "*.create_refund*"


@pytest.mark.parametrize(
    ("one", "two", "together"),
    [
        ("a*", "*b", True),
        ("a*", "b*", False),
        ("a.b", "a.*", True),
        ("*x*", "*y*", True),
        ("a.b", "A.B", True),
    ],
)
def test_globs_overlap_where_one_name_fits_both(one: str, two: str, together: bool) -> None:
    """Overlap is decided from the patterns alone, in both directions."""
    assert Glob(one).overlaps(Glob(two)) is together
    assert Glob(two).overlaps(Glob(one)) is together


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("args.amount", ("args", "amount")),
        ('args["a.b"].c', ("args", "a.b", "c")),
        ("session.id", ("session", "id")),
        ("args.0", ("args", "0")),
        (r'args["\""]', ("args", '"')),
    ],
)
def test_paths_are_split_and_joined(text: str, keys: tuple[str, ...]) -> None:
    """A path is read into its keys and written back to the same keys."""
    assert parse_path(text) == keys
    assert parse_path(format_path(keys)) == keys


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "args.",
        ".args",
        "args..a",
        "a b",
        'args["a',
        "args[0]",
        'args."a"',
        "ärgs",
        r'args["\ud800"]',
    ],
)
def test_other_texts_are_no_paths(text: str) -> None:
    """A path that could be read in two ways, or in none, is refused."""
    with pytest.raises(ValueError, match="is not a path"):
        parse_path(text)


@pytest.mark.parametrize(
    "text",
    [
        "Duplicate",
        " duplicate ",
        "dup\u200blicate",
        "ｄuplicate",
        "duplicate\ufe0f",
        "DUPLICATE\u00a0",
        "dupl\u00adicate",
    ],
)
def test_what_reads_the_same_folds_the_same(text: str) -> None:
    """Case, surrounding space, compatibility form and invisible characters do not count."""
    assert fold(text) == "duplicate"


def test_other_text_stays_other_text() -> None:
    """Folding takes nothing else away, and ``plain_text`` keeps case."""
    assert fold("dup licate") != fold("duplicate")
    assert plain_text(" A\u200bB ") == "AB"


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0.1, Decimal("0.1")),
        (10**40, Decimal(10**40)),
        (Decimal("1.50"), Decimal("1.5")),
        (True, None),
        ("1", None),
        (float("nan"), None),
        (float("inf"), None),
        (Decimal("NaN"), None),
        (None, None),
    ],
)
def test_numbers_are_exact_and_nothing_else_is_one(value: object, number: Decimal | None) -> None:
    """A float is what its shortest form spells; bools, texts, NaN and infinities are no numbers."""
    assert decimal_of(value) == number


def test_huge_ints_stay_exact() -> None:
    """Two ints that differ in the last of many digits differ as decimals."""
    assert decimal_of(10**50 + 1) != decimal_of(10**50)


def test_numbers_are_written_for_people() -> None:
    """Thousands are separated, trailing zeros go, exponents do not appear."""
    assert format_number(Decimal("14000.00")) == "14,000"
    assert format_number(Decimal("0.010")) == "0.01"
    assert str(Money(Decimal("1E+3"), "EUR")) == "1,000 EUR"
    assert str(Money(Decimal("5"), None)) == "5"


@pytest.mark.parametrize(
    ("value", "code"),
    [(" eur ", "EUR"), ("EUR", "EUR"), ("EU", None), ("EUR\u200b", None), (978, None), ("ＥＵＲ", None)],
)
def test_currency_codes_are_trimmed_and_read_in_any_case(value: object, code: str | None) -> None:
    """Three ASCII letters make a code; anything else is unreadable."""
    assert currency_code(value) == code


def test_a_currency_without_a_limit_falls_under_the_star() -> None:
    """The own entry counts first, then ``*``, then nothing."""
    limits = {"EUR": Decimal(250), "*": Decimal(100)}
    assert limit_for(limits, "EUR") == 250
    assert limit_for(limits, "USD") == 100
    assert limit_for(limits, None) == 100
    assert limit_for({"EUR": Decimal(250)}, "USD") is None


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("stripe.create_refund", True),
        ("a.b.c-d", True),
        ("plain", False),
        ("a..b", False),
        ("a.b\n", False),
        ("ä.b", False),
        (5, False),
    ],
)
def test_an_action_name_is_namespace_dot_tool(name: object, good: bool) -> None:
    """ASCII letters, digits, ``_`` and ``-``, at least one dot."""
    assert is_action_name(name) is good
