"""Find secrets in texts by their shape, and hide only what matches: a command beside a key stays readable.

One linear pass of RE2 finds candidates; check digits and the like tell which of them are meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import re2  # type: ignore[import-untyped]

from gate.secret_checks import iban_end, is_basic, is_bearer, is_card, is_keylike, is_random, is_ssn
from gate.secret_names import is_secret_name

SHORTEST = 8
"""Shortest text that can hold a secret by shape."""

LONGEST = 16 * 1024
"""Longest secret in characters, a key in many lines; what is longer carries something else."""

_TELLING = 12
"""Shortest span of which first and last characters are told; of a shorter one they would tell too much."""

Part = tuple[int, int]
"""Where in a candidate the secret itself begins and ends."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of secret.

    Attributes:
        kind: What people call it.
        pattern: RE2 pattern of its candidates.
        part: Gives the secret within a candidate; None where the candidate is none.
        skips: Whether nothing else can begin inside a candidate that is none.
    """

    kind: str
    pattern: str
    part: Callable[[str], Part | None]
    skips: bool = False


def _whole(text: str) -> Part:
    return 0, len(text)


def _key(text: str) -> Part | None:
    return _whole(text) if is_keylike(text) else None


def _jwt(text: str) -> Part | None:
    return _whole(text) if len(text) <= LONGEST else None


def _after_space(check: Callable[[str], bool]) -> Callable[[str], Part | None]:
    def part(text: str) -> Part | None:
        value = text.split(maxsplit=1)[1]
        return (len(text) - len(value), len(text)) if check(value) else None

    return part


def _card(text: str) -> Part | None:
    return _whole(text) if is_card("".join(each for each in text if each.isdigit())) else None


def _iban(text: str) -> Part | None:
    end = iban_end(text)
    return (0, end) if end else None


def _ssn(text: str) -> Part | None:
    return _whole(text) if is_ssn(text) else None


def _login(text: str) -> Part | None:
    """Return the password of ``scheme://user:password@``."""
    start = text.index(":", text.index("://") + 3) + 1
    return start, len(text) - 1


_ASSIGNMENT = re.compile(r"""([A-Za-z0-9_-]+)["']?\s{0,3}[:=]\s{0,3}["']?""")
_LITERAL = re.compile(r"(?:\d+\.\d+|[Tt]rue|[Ff]alse|[Nn]one|null)")


def _assigned(text: str) -> Part | None:
    """Return the value that is assigned to a secret's name; what is plainly a word or code stays readable."""
    found = _ASSIGNMENT.match(text)
    if found is None or not is_secret_name(found[1]):
        return None
    value = text[found.end() :].rstrip(".,")
    if not any(each.isdigit() for each in value) or len(value) > 256 or _LITERAL.fullmatch(value):
        return None
    return found.end(), found.end() + len(value)


_PEM = r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
_KEYS = (
    r"sk-[A-Za-z0-9_-]{20,}",
    r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}",
    r"whsec_[A-Za-z0-9+/=]{20,}",
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    r"AIza[A-Za-z0-9_-]{35}",
    r"GOCSPX-[A-Za-z0-9_-]{20,}",
    r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    r"SK[0-9a-f]{32}\b",
    r"key-[0-9a-f]{32}\b",
    r"[0-9a-f]{32}-us[0-9]{1,2}\b",
    r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}\b",
    r"(?:gsk|lin_api|lin_oauth|ntn)_[A-Za-z0-9]{32,}",
    r"secret_[A-Za-z0-9]{40,}",
    r"(?:xai|pplx)-[A-Za-z0-9]{40,}",
    r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}\b",
    r"NRAK-[A-Z0-9]{27}\b",
    r"AGE-SECRET-KEY-1[A-Z0-9]{58}\b",
    r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,}",
)
_TOKENS = (
    r"gh[pousr]_[A-Za-z0-9]{36,}",
    r"github_pat_[A-Za-z0-9_]{22,}",
    r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[A-Za-z0-9_.-]{20,}",
    r"xox[abeoprs]-[A-Za-z0-9-]{10,}",
    r"xoxe\.xox[bp]-[A-Za-z0-9-]{10,}",
    r"xapp-[0-9]-[A-Za-z0-9-]{10,}",
    r"ya29\.[A-Za-z0-9_-]{20,}",
    r"1//0[A-Za-z0-9_-]{30,}",
    r"(?:npm|hf|r8)_[A-Za-z0-9]{30,}",
    r"pypi-[A-Za-z0-9_-]{50,}",
    r"rubygems_[0-9a-f]{48}\b",
    r"do[opr]_v1_[0-9a-f]{64}\b",
    r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b",
    r"[0-9]{8,10}:[A-Za-z0-9_-]{35}\b",
    r"[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}\b",
    r"figd_[A-Za-z0-9_-]{40,}",
    r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b",
    r"ATATT3[A-Za-z0-9_=-]{50,}",
    r"dapi[0-9a-f]{32}\b",
    r"gl(?:sa|c)_[A-Za-z0-9+/=_]{32,}",
    r"hvs\.[A-Za-z0-9_-]{24,}",
    r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,}",
    r"sntr[yu]s_[A-Za-z0-9+/=_]{40,}",
    r"dckr_pat_[A-Za-z0-9_-]{27,}",
    r"sbp_[0-9a-f]{40}\b",
)
_NAMES = "passw|passp|passc|pwd|secret|token|key|auth|credential|cookie|otp|pin|cvv|cvc|mnemonic|jwt"
_ASSIGNING = (
    rf"[A-Za-z0-9_-]{{0,40}}(?i:{_NAMES})[A-Za-z0-9_-]{{0,40}}[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"']?"
    r"[A-Za-z0-9!#%^*_+=.,/@~-]{4,256}"
)
_CARDS = (
    r"[0-9]{13,19}\b",
    r"[0-9]{4}(?:[ .-][0-9]{4}){3}(?:[ .-][0-9]{1,3})?\b",
    r"[0-9]{4}[ .-][0-9]{6}[ .-][0-9]{4,5}\b",
)

SHAPES = (
    Shape("private key", _PEM, _whole),
    Shape("JWT", r"\beyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*){2,4}", _jwt, skips=True),
    Shape("API key", rf"\b(?:{'|'.join(_KEYS)})", _key, skips=True),
    Shape("token", rf"\b(?:{'|'.join(_TOKENS)})", _key, skips=True),
    Shape("webhook", r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/+_-]{20,}", _key),
    Shape("bearer token", r"\b(?i:bearer)\s{1,4}[A-Za-z0-9._~+/=-]{8,}", _after_space(is_bearer)),
    Shape("password", r"\b(?i:basic)\s{1,4}[A-Za-z0-9+/]{8,}={0,2}", _after_space(is_basic)),
    Shape("password", r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s/?#@:\"'<>]{0,256}:[^\s/?#\"'<>]{1,256}@", _login),
    Shape("card number", rf"\b(?:{'|'.join(_CARDS)})", _card),
    Shape("IBAN", r"\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,40}", _iban),
    Shape("social security number", r"\b[0-9]{3}-[0-9]{2}-[0-9]{4}\b", _ssn),
    Shape("secret", _ASSIGNING, _assigned),
)


def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return re2.compile(pattern.encode(), options)


_ANY = _compiled("|".join(f"(?:{each.pattern})" for each in SHAPES))
_EACH = tuple((re.compile(each.pattern, re.ASCII), each) for each in SHAPES)
"""The same patterns, for candidates alone: those are short, and RE2's way there and back is not."""
_CLUE = re.compile(r"[0-9]|://|(?i:bearer|basic)|PRIVATE KEY|eyJ|hooks\.slack")
"""What every text with a secret has somewhere."""

_MARK = re.compile(r"\(hidden [A-Za-z ]{3,22}, \d{1,9} characters(?:, ..…..)?\)", re.DOTALL)


def mark(kind: str, secret: str) -> str:
    """Return what stands for a hidden span: its kind, its length, its first and last two characters."""
    told = f", {secret[:2]}…{secret[-2:]}" if len(secret) >= _TELLING else ""
    return f"(hidden {kind}, {len(secret)} characters{told})"


def is_mark(value: object) -> bool:
    """Tell whether a value is what stands for a secret hidden by its shape, and nothing beside it."""
    return isinstance(value, str) and _MARK.fullmatch(value) is not None


def has_mark(value: object) -> bool:
    """Tell whether a part of a value stands for a secret that was hidden by its shape."""
    return isinstance(value, str) and "(hidden " in value and _MARK.search(value) is not None


def unmarked(text: str) -> str:
    """Return a text without what stands for secrets in it."""
    return _MARK.sub("", text) if "(hidden " in text else text


def hide_shapes(text: str) -> tuple[str, list[str]]:
    """Return a text without the secrets that their shape tells, and those secrets.

    Args:
        text: Anything; all but the spans themselves stays as it is.
    """
    if len(text) < SHORTEST or _CLUE.search(text) is None:
        return text, []
    data = text.encode("utf-8", "surrogatepass")
    parts: list[str] = []
    secrets: list[str] = []
    done = 0
    for kind, start, end in _spans(data):
        secret = data[start:end].decode("ascii")
        parts += [data[done:start].decode("utf-8", "surrogatepass"), mark(kind, secret)]
        secrets.append(secret)
        done = end
    if not secrets:
        return _hide_random(text)
    return "".join([*parts, data[done:].decode("utf-8", "surrogatepass")]), secrets


def _hide_random(text: str) -> tuple[str, list[str]]:
    """Hide a text that is nothing but one random word; within a longer text that may be what would run."""
    return (mark("random text", text), [text]) if _WORD.fullmatch(text) and is_random(text) else (text, [])


_WORD = re.compile(r"[A-Za-z0-9+/_=~.-]{1,256}")


_WINDOW = 4096
_OVERLAP = 640
"""More bytes than any candidate needs before it is one."""


def _spans(data: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield kind and place of every secret, in order, none inside another."""
    at = 0
    while (found := _candidate(data, at)) is not None:
        kind, at, until = _judge(data, *found)
        if kind:
            yield kind, at, until
            at = until


def _candidate(data: bytes, at: int) -> tuple[int, int] | None:
    """Return where the next candidate begins and ends.

    RE2 is given a copy of what it searches, so a long text is searched window by window.
    """
    while at < len(data):
        start, end = _within(data, at, _WINDOW)
        last = at + _WINDOW >= len(data)
        if start < 0:
            if last:
                return None
            at = max(at + 1, data.rfind(b" ", at, at + _WINDOW - _OVERLAP), at + _WINDOW - 2 * _OVERLAP)
        elif last or end < at + _WINDOW:
            return start, end
        elif start == at or start < at + _WINDOW - _OVERLAP:
            return _within(data, start, LONGEST + _OVERLAP)
        else:
            at = start
    return None


def _within(data: bytes, at: int, size: int) -> tuple[int, int]:
    """Return the first candidate from a place on, or -1; the byte before tells where words begin."""
    base = max(at - 1, 0)
    found = _ANY.search(data[base : at + size], at - base)
    return (base + found.start(), base + found.end()) if found else (-1, -1)


def _judge(data: bytes, start: int, end: int) -> tuple[str, int, int]:
    """Return kind, beginning and end of a candidate's secret, or where to look on where there is none."""
    on = _FIRST.match(data, start, end)
    after = start + 1 if on is None else on.end()
    piece = data[start:end].decode("latin-1")
    for pattern, shape in _EACH:
        found = pattern.match(piece)
        if found is None:
            continue
        part = shape.part(found[0])
        if part is not None:
            return shape.kind, start + part[0], _key_end(data, start + part[1])
        after = max(after, end) if shape.skips else after
    return "", after, after


_FIRST = re.compile(rb"[A-Za-z0-9_]+")
_HEAD_END = b"PRIVATE KEY-----"
_KEY_LINES = re.compile(
    rb"(?:(?:\\[nr]|\s)*+(?:Proc-Type|DEK-Info|Comment|Version): [A-Za-z0-9,. -]{1,60}+)*+"
    rb"(?:(?:\\[nr]|\s)*+[A-Za-z0-9+/=]{40,80}+)*+(?:(?:\\[nr]|\s)*+[A-Za-z0-9+/=]{1,80}+(?=(?:\\[nr]|\s)*+(?:-----END|[\"'`]|$)))?+"
    rb"(?:(?:\\[nr]|\s)*+-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?"
)


def _key_end(data: bytes, end: int) -> int:
    """Return where a secret ends: a private key behind its lines, which are read here."""
    if not data.endswith((_HEAD_END, b"PRIVATE KEY BLOCK-----"), 0, end):
        return end
    found = _KEY_LINES.match(data, end, end + LONGEST)
    return found.end() if found else end
