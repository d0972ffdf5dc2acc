"""How many decimals each currency of ISO 4217 has, for amounts that are given in cents."""

from __future__ import annotations

import difflib
from decimal import Decimal

_TWO = (
    "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE "
    "CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD "
    "HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP "
    "MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD "
    "SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS "
    "VED VES WST XCD YER ZAR ZMW"
)
_NONE = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_THREE = "BHD IQD JOD KWD LYD OMR TND"
_FOUR = "CLF UYW"

DECIMALS: dict[str, int] = {
    code: decimals
    for decimals, codes in ((2, _TWO), (0, _NONE), (3, _THREE), (4, _FOUR))
    for code in codes.split()
}
"""Decimals by code."""

CODES = frozenset(DECIMALS) | frozenset(
    ["XAG", "XAU", "XBA", "XBB", "XBC", "XBD", "XDR", "XPD", "XPT", "XSU", "XUA"]
)
"""Every code of ISO 4217 that an amount can be in; of metals and drawing rights there are no cents."""


def like(code: str) -> str:
    """Return `` (did you mean …?)`` with the code that a wrong one is nearest to, or nothing."""
    near = difflib.get_close_matches(code.upper(), sorted(CODES), n=1, cutoff=0.6)
    return f" (did you mean {near[0]}?)" if near else ""


def from_minor(amount: Decimal, currency: str) -> Decimal | None:
    """Return an amount in major units, exactly; None where the currency's decimals are not known."""
    decimals = DECIMALS.get(currency)
    if decimals is None:
        return None
    sign, digits, exponent = amount.as_tuple()
    return Decimal((sign, digits, int(exponent) - decimals))
