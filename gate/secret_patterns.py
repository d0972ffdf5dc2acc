"""The shapes of secrets: a pattern for candidates of each kind, and which part of one is the secret."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from gate.secret_checks import iban_end, is_basic, is_bearer, is_card, is_keylike, is_ssn
from gate.secret_names import is_secret_name

LONGEST = 16 * 1024
"""Longest secret in characters, a key in many lines; what is longer carries something else."""

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
        core: RE2 pattern of what stands in every candidate and is found in a long text without counting; None
            where that is the pattern itself.
        before: RE2 pattern of what stands before the core, 60 characters at most; it may allow more than the
            pattern does. None where the core comes first.
        apart: Whether the core may reach far over candidates of other kinds, so that it is looked for alone.
        reach: How far before the end of a run of letters, digits, ``_`` and ``-`` the core of a candidate
            begins at most, in characters; 0 for no bound.
    """

    kind: str
    pattern: str
    part: Callable[[str], Part | None]
    skips: bool = False
    core: str | None = None
    before: str | None = None
    apart: bool = False
    reach: int = 0


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


_SEPARATORS = str.maketrans("", "", " .-")


def _card(text: str) -> Part | None:
    return _whole(text) if is_card(text.translate(_SEPARATORS)) else None


def _iban(text: str) -> Part | None:
    end = iban_end(text)
    return (0, end) if end else None


def _ssn(text: str) -> Part | None:
    return _whole(text) if is_ssn(text) else None


def _login(text: str) -> Part | None:
    """Return the password of ``scheme://user:password@``."""
    start = text.index(":", text.index("://") + 3) + 1
    return start, len(text) - 1


_ASSIGNMENT = re.compile(r"""([A-Za-z0-9_-]+)["']?[\t\n\f\r ]{0,3}[:=][\t\n\f\r ]{0,3}["']?""")
_DIGIT = re.compile("[0-9]")
_LITERAL = re.compile(r"(?:\d+\.\d+|[Tt]rue|[Ff]alse|[Nn]one|null)")


def _assigned(text: str) -> Part | None:
    """Return the value that is assigned to a secret's name; what is plainly a word or code stays readable."""
    found = _ASSIGNMENT.match(text)
    if found is None or not is_secret_name(found[1]):
        return None
    value = text[found.end() :].rstrip(".,")
    if len(value) > 256 or not _DIGIT.search(value) or _LITERAL.fullmatch(value):
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
_SPACE = r"[\t\n\f\r ]"
"""What RE2 calls space; ``re`` counts one more."""
_GIVEN = rf"[\"']?{_SPACE}{{0,3}}[:=]{_SPACE}{{0,3}}[\"']?"
_ASSIGNING = (
    rf"[A-Za-z0-9_-]{{0,40}}(?i:{_NAMES})[A-Za-z0-9_-]{{0,40}}{_GIVEN}"
    r"[A-Za-z0-9!#%^*_+=.,/@~-]{4,256}"
)
_ASSIGNING_CORE = rf"(?i:{_NAMES})[A-Za-z0-9_-]*{_GIVEN}[A-Za-z0-9!#%^*_+=.,/@~-]{{4}}"
_CARDS = (
    r"[2-6][0-9]{12,18}\b",
    r"[2-6][0-9]{3}(?:[ .-][0-9]{4}){3}(?:[ .-][0-9]{1,3})?\b",
    r"[2-6][0-9]{3}[ .-][0-9]{6}[ .-][0-9]{4,5}\b",
)
"""Cards begin with these digits; times in milliseconds and most long identifiers do not."""

SHAPES = (
    Shape("private key", _PEM, _whole, core="PRIVATE KEY", before=r"-----BEGIN [A-Z0-9 ]{0,30}"),
    Shape(
        "JWT", r"\beyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*){2,4}", _jwt, skips=True,
        core=r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*\.", apart=True,
    ),
    Shape("API key", rf"\b(?:{'|'.join(_KEYS)})", _key, skips=True),
    Shape("token", rf"\b(?:{'|'.join(_TOKENS)})", _key, skips=True),
    Shape("webhook", r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/+_-]{20,}", _key),
    Shape("bearer token", rf"\b(?i:bearer){_SPACE}{{1,4}}[A-Za-z0-9._~+/=-]{{8,}}", _after_space(is_bearer)),
    Shape("password", rf"\b(?i:basic){_SPACE}{{1,4}}[A-Za-z0-9+/]{{8,}}={{0,2}}", _after_space(is_basic)),
    Shape(
        "password",
        r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\t\n\f\r /?#@:\"'<>]{0,256}:[^\t\n\f\r /?#\"'<>]{1,256}@",
        _login,
        core=r"://[^\t\n\f\r /?#@:\"'<>]*:[^\t\n\f\r /?#\"'<>]+@", before=r"[A-Za-z0-9+.-]{1,31}",
    ),
    Shape("card number", rf"\b(?:{'|'.join(_CARDS)})", _card),
    Shape(
        "IBAN", r"\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,40}", _iban,
        core=r"\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11}",
    ),
    Shape("social security number", r"\b[0-9]{3}-[0-9]{2}-[0-9]{4}\b", _ssn),
    Shape(
        "secret", _ASSIGNING, _assigned, core=_ASSIGNING_CORE, before=r"[A-Za-z0-9_-]{0,40}",
        apart=True, reach=max(map(len, _NAMES.split("|"))) + 40,
    ),
)  # fmt: skip
