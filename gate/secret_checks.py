"""Tell numbers and texts that only look like secrets from those that are: check digits and randomness."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Iterable, Sequence

KEY_LIMIT = 256
"""Longest key or token, in characters; a longer text carries something else."""

LEAST_RANDOM = 40
"""Shortest text that is judged by its randomness alone, in characters."""

_IBAN_LENGTHS = {
    code: length
    for length, codes in {
        15: "NO", 16: "BE", 18: "DK FI FK FO GL NL SD", 19: "MK SI", 20: "AT BA EE KZ LT LU MN XK",
        21: "CH HR LI LV", 22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST", 26: "IS TR", 27: "BI DJ FR GR IT MC MR SM",
        28: "AL AZ BY CY DO GT HU LB NI PL SV", 29: "BR EG PS QA UA", 30: "JO KW MU YE", 31: "MT SC",
        32: "LC", 33: "RU",
    }.items()
    for code in codes.split()
}  # fmt: skip
_CARD_STARTS = ("4", "5", "6", *map(str, range(22, 28)), "300", "301", "302", "303", "304", "305")
_CARD_STARTS += ("34", "35", "36", "37", "38", "39")


_CARD_LENGTHS = range(13, 20)
_DIGITS = b"0123456789"
_ONCE, _TWICE = (
    bytes.maketrans(_DIGITS, bytes(range(10))),
    bytes.maketrans(_DIGITS, b"\0\2\4\6\x08\1\3\5\7\x09"),
)
"""Each digit, and each digit doubled with the digits of that added."""


def is_card(digits: str) -> bool:
    """Tell whether digits are a payment card's number: as many, a card's beginning, Luhn's check digit."""
    if len(digits) not in _CARD_LENGTHS or not digits.startswith(_CARD_STARTS):
        return False
    data = digits.encode()
    return sum(data[-1::-2].translate(_ONCE) + data[-2::-2].translate(_TWICE)) % 10 == 0


def cards(numbers: Iterable[str]) -> list[str]:
    """Return those of many texts of digits that ``is_card`` holds for."""
    alike: dict[int, list[str]] = {}
    for each in numbers:
        if len(each) in _CARD_LENGTHS and "2" <= each < "7" and each.startswith(_CARD_STARTS):
            alike.setdefault(len(each), []).append(each)
    return [
        each
        for some in alike.values()
        for each, total in zip(some, _luhn(some), strict=True)
        if total % 10 == 0
    ]


def _luhn(numbers: Sequence[str]) -> bytes:
    """Return Luhn's sum of each of many numbers of one length, added in one go: each sum fits into a byte."""
    digits, length = "".join(numbers).encode(), len(numbers[0])
    columns = (digits[at::length].translate(_ONCE if (length - at) % 2 else _TWICE) for at in range(length))
    return sum(int.from_bytes(each, "big") for each in columns).to_bytes(len(numbers), "big")


def iban_end(text: str) -> int:
    """Return where an IBAN ends that a text begins with, or 0 where there is none with right check digits.

    Args:
        text: Begins with a country's letters; single spaces between its characters are passed over.
    """
    wanted, found, end = _IBAN_LENGTHS.get(text[:2], 0), "", 0
    for end, each in enumerate(text, 1):  # noqa: B007 (the end is what is looked for)
        found += each.strip()
        if len(found) == wanted:
            break
    if not wanted or len(found) != wanted or text[end : end + 1].isalnum():
        return 0
    return end if int("".join(str(int(each, 36)) for each in found[4:] + found[:4])) % 97 == 1 else 0


def is_ssn(text: str) -> bool:
    """Tell whether ``AAA-GG-SSSS`` can be a social security number of the US."""
    area, group, serial = text.split("-")
    return area not in {"000", "666"} and area < "900" and group != "00" and serial != "0000"


def is_keylike(text: str) -> bool:
    """Tell whether what follows a key's prefix can be a key: letters and digits, and no longer than keys are.

    Words joined by dashes are something that people should read.
    """
    return len(text) <= KEY_LIMIT and bool(_LETTER.search(text)) and bool(_DIGIT.search(text))


def is_bearer(text: str) -> bool:
    """Tell whether what follows ``Bearer`` is more than a word of a sentence."""
    if len(text) > 16 * KEY_LIMIT:
        return False
    return len(text) >= 8 and (any(each.isdigit() for each in text) or not text.istitle())


def is_basic(text: str) -> bool:
    """Tell whether what follows ``Basic`` is a name and a password in base64."""
    if len(text) % 4 or len(text) > 4 * KEY_LIMIT:
        return False
    try:
        return b":" in base64.b64decode(text, validate=True)
    except ValueError:
        return False


def is_random(text: str) -> bool:
    """Tell whether a word is a password or key of no known kind: long, of all sorts, and without any pattern.

    Identifiers of hexadecimal digits, and data longer than a key, are not.
    """
    return is_mixed(text) and _bits_at_least(text, 4.3)


def is_mixed(text: str) -> bool:
    """Tell whether a text is as long as a key, and has small and capital letters and digits in it."""
    if not LEAST_RANDOM <= len(text) <= KEY_LIMIT // 2 or not text.isascii():
        return False
    return text.lower() != text and text.upper() != text and _DIGIT.search(text) is not None


def _bits_at_least(text: str, bits: float) -> bool:
    """Tell whether each character of a text tells so many bits, by how often each of them stands in it.

    Many different characters tell enough, however the others are spread: that spares the counting.
    """
    length, different = len(text), set(text)
    most_repeated = _TIMES_LOG[length - len(different) + 1]
    if math.log2(length) - most_repeated / length >= bits:
        return True
    repeated = sum(map(_TIMES_LOG.__getitem__, map(text.count, different)))
    return math.log2(length) - repeated / length >= bits


_TIMES_LOG = [0.0, *(n * math.log2(n) for n in range(1, KEY_LIMIT + 1))]
_LETTER, _DIGIT = re.compile("[A-Za-z]"), re.compile("[0-9]")
