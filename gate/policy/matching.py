"""The operators ``regex`` and ``glob``: whole texts against a pattern, as written and as people read them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import re2  # type: ignore[import-untyped]

from gate.folding import is_settled, plain_text
from gate.policy.operators import Test, nearly, of_text, other_kind
from gate.policy.patterns import Pair, Wildcard
from gate.policy.texts import CONTROLS, Texts, is_simple
from gate.policy.truth import Truth, Unknown

_PATTERN_PARTS = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\\.|\[:[^\]]*:\]|[^\]\\])*\]|.", re.DOTALL)
"""What a pattern is made of: quoted text, escapes, classes, and single characters."""
_CASE_SWITCH = re.compile(r"\(\?\w*-")
"""Where a pattern may switch case on again."""
_BREAKS = re.compile("[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""Line breaks that ``.`` takes in RE2, which knows one."""
_ANY = "(?s:.*)"
Exact = Callable[[str], bool | None]
"""Tells whether a text fits as it is written; None where nobody can tell."""
_NO_CONTROL = r"[^\x00-\x1f\x7f-\x9f\x{2028}\x{2029}]*"


def _options(*, ignore_case: bool = False) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    options.never_capture = True  # to tell what each group took, all of the pattern is walked per character
    return options


def compile_regex(pattern: str, *, ignore_case: bool = False) -> Any:
    """Compile an RE2 pattern.

    Raises:
        ValueError: RE2 does not take it; linear time has no back-references and no look-around.
    """
    try:
        return re2.compile(pattern, _options(ignore_case=ignore_case))
    except re2.error as error:
        said = error.args[0] if error.args else "not understood"
        text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise ValueError(f"is not a regular expression of RE2: {text}") from None


def matches_regex(pattern: str, *, ignore_case: bool = False) -> Test:
    """Return the test ``regex``: the whole value, linear time.

    Where it hangs on whether ``.`` takes a line break of any sort, as in ``glob``, it is unknown.
    """
    exact = _fits_in_lines(compile_regex(pattern, ignore_case=ignore_case))
    loose, folded = compile_regex(f"(?s){pattern}", ignore_case=True), _with_folds(pattern)
    if folded != pattern:
        return of_text(_matches(exact, loose, compile_regex(f"(?s){folded}", ignore_case=True)))
    slow, both = _matches(exact, loose, loose), Pair("(?i)" * ignore_case + pattern, "(?i)" + pattern)
    one_case = _CASE_SWITCH.search(pattern) is None

    def compare(value: Any, name: str) -> Truth:
        if not isinstance(value, str) or value != value.strip():
            return slow(value, name)
        if not (value.isprintable() and is_settled(value)):
            return slow(value, name)
        found = both.match(value)
        if found is None or found[0] != found[1] or not _same_folded(value, found[1], both):
            return slow(value, name)
        return found[0]

    in_lines = Pair("(?i)" * ignore_case + pattern, "(?is)" + pattern)
    at_once = _in_three_readings(in_lines, slow, one_case=one_case)

    def texts(many: Texts, name: str) -> list[Truth]:
        if many.controls and _BREAKS.search("".join(many.written)):
            return [slow(each, name) for each in many.written]
        return at_once(many, name)

    return of_text(compare, texts)


def _fits(pattern: Any) -> Exact:
    return lambda text: pattern.fullmatch(text) is not None


def _fits_in_lines(pattern: Any) -> Exact:
    """Return what is None where it hangs on which characters break a line."""

    def fits(text: str) -> bool | None:
        found = pattern.fullmatch(text) is not None
        if _BREAKS.search(text) is None:
            return found
        return found if (pattern.fullmatch(_BREAKS.sub("\n", text)) is not None) is found else None

    return fits


def _in_three_readings(
    both: Pair, slow: Callable[[Any, str], Truth], *, one_case: bool
) -> Callable[[Texts, str], list[Truth]]:
    """Return what says of many texts what ``slow`` says of each.

    Args:
        both: The pattern as written, and as it is for texts as people read them, without case as well.
        slow: The comparison.
        one_case: Whether the second pattern ignores case all through.
    """

    def texts(many: Texts, name: str) -> list[Truth]:
        written = both.column(many.written)
        read = _again(both, many.plain, many.written, written)
        caseless = read if one_case and many.simple else _again(both, many.caseless, many.plain, read)
        return [
            slow(value, name)
            if one is None or two is None or three is None
            else (one[0] if one[0] == two[1] == three[1] else _unclear(value, name))
            for value, one, two, three in zip(many.written, written, read, caseless, strict=True)
        ]

    return texts


Both = list[tuple[bool, bool] | None]
"""What two patterns say of many texts."""


def _again(both: Pair, texts: list[str], before: list[str], known: Both) -> Both:
    """Return what two patterns say of texts, asking only of those that differ from what they were before."""
    if texts == before:
        return known
    asked = both.column([each for each, old in zip(texts, before, strict=True) if each != old])
    if len(asked) == len(texts):
        return asked
    left, each_one = iter(asked), zip(texts, before, known, strict=True)
    return [found if each == old else next(left) for each, old, found in each_one]


def _same_folded(value: str, seen: bool, both: Pair) -> bool:
    """Tell whether the second pattern says the same of a text without case; it may switch case on again."""
    folds = value.casefold()
    return folds == value or both.match(folds) in ((True, seen), (False, seen))


def _with_folds(pattern: str) -> str:
    """Let each letter that is several in the other case, such as ß, stand for those too; not in classes."""
    parts = _PATTERN_PARTS.findall(pattern)
    return "".join(f"(?:{each}|{re2.escape(each.casefold())})" if _grows(each) else each for each in parts)


def _grows(char: str) -> bool:
    return len(char) == 1 < len(char.casefold())


def matches_glob(pattern: str, *, ignore_case: bool = False) -> Test:
    """Return the test ``glob`` on values: ``*`` stands for no control characters and no line breaks."""
    plain = plain_text(pattern)
    written, read, caseless = (
        _glob_regex(pattern, _NO_CONTROL),
        _glob_regex(plain, _ANY),
        _glob_regex(plain.casefold(), _ANY),
    )
    exact, loose = (
        _fits(compile_regex(written, ignore_case=ignore_case)),
        compile_regex(read, ignore_case=True),
    )
    folded = loose if plain.isascii() else compile_regex(caseless, ignore_case=True)
    slow = _matches(exact, loose, folded)
    both = Pair("(?i)" * ignore_case + written, "(?i)" + read)
    by_pattern = _in_three_readings(both, slow, one_case=True) if is_simple(plain) else None
    if not pattern.isascii():
        return of_text(slow, by_pattern)
    fits, fits_loosely = Wildcard(pattern.lower() if ignore_case else pattern), Wildcard(plain.lower())

    written_plain = pattern == plain.lower()

    def compare(value: Any, name: str) -> Truth:
        if not isinstance(value, str) or not (value.isprintable() and is_settled(value)):
            return slow(value, name)
        read = value.strip()
        lower = read.lower()
        folds = lower if value.isascii() else read.casefold()
        if written_plain and lower == folds == value:
            return fits.match(value)
        seen = fits.match(value.lower() if ignore_case else value)
        alike_read = seen == fits_loosely.match(lower) and (
            lower == folds or seen == fits_loosely.match(folds)
        )
        return seen if alike_read else _unclear(value, name)

    def texts(many: Texts, name: str) -> list[Truth]:
        if many.controls or not (many.settled or (many.simple and not ignore_case)):
            return by_pattern(many, name) if by_pattern else [slow(each, name) for each in many.written]
        written = fits.column(list(map(str.lower, many.written)) if ignore_case else many.written)
        caseless = fits_loosely.column(many.caseless)
        read = caseless if many.simple else fits_loosely.column(list(map(str.lower, many.plain)))
        return [
            one if one == two == three else _unclear(value, name)
            for value, one, two, three in zip(many.written, written, read, caseless, strict=True)
        ]

    return of_text(compare, texts)


def _glob_regex(pattern: str, star: str) -> str:
    return star.join(map(re2.escape, pattern.split("*")))


def _matches(exact: Exact, loose: Any, folded: Any) -> Callable[[Any, str], Truth]:
    """Return a comparison that is sure only where the value as written and as read by people agree."""

    def compare(value: Any, name: str) -> Truth:
        if not isinstance(value, str):
            return other_kind(name, value, "text")
        seen, plain = exact(value), plain_text(value)
        folds = plain.casefold()
        same = folds == plain and folded is loose
        if seen == (loose.fullmatch(plain) is not None) and (
            same or seen == (folded.fullmatch(folds) is not None)
        ):
            return seen
        return _unclear(value, name)

    return compare


def _unclear(value: str, name: str) -> Unknown:
    if CONTROLS.search(value):
        return Unknown((f"{name} holds control characters or line breaks: leave them out",))
    return nearly(name)
