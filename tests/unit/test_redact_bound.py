"""A call with more that looks like secrets than can be told apart is hidden where it may hold one."""

from __future__ import annotations

import pytest

from gate.errors import ActionError
from gate.recorded import facts_text
from gate.redact import (
    MOST_HIDDEN,
    error_text,
    has_secret,
    hide,
    is_hidden,
    keeps_secret,
    redact,
    redact_text,
)
from gate.results import kept_result
from gate.secret_search import MOST
from gate.secret_shapes import UNTOLD, hide_shapes, unmarked
from gate.verbs.look import hides_decisive

PASSWORDS = [f"password=hunter{number}" for number in range(MOST + 5)]


def test_as_many_secrets_as_the_bound_are_hidden_one_by_one() -> None:
    """At the bound every secret loses its span alone, and every one of them is known by its text."""
    found = redact({"v": PASSWORDS[:MOST]})
    assert not any(UNTOLD in text for text in found.arguments["v"])
    assert len(found.secrets) == MOST


def test_beyond_the_bound_whatever_may_hold_a_secret_is_hidden_whole() -> None:
    """Later texts with the core of a shape are hidden, real or not; others stay, and the path is named."""
    found = redact({"v": PASSWORDS, "note": "all good", "near": "see 4111 1111 1111 1112", "path": "a/b"})
    assert found.arguments["v"][MOST - 1].startswith("password=(hidden secret, ")
    assert found.arguments["v"][MOST:] == [UNTOLD] * 5
    assert (found.arguments["note"], found.arguments["path"]) == ("all good", "a/b")
    assert found.arguments["near"] == UNTOLD
    assert found.hidden == ("args.v", "args.near")
    assert UNTOLD in found.secrets


def test_beyond_the_bound_every_second_text_is_hidden_where_it_may_hold_a_secret() -> None:
    """Claim: however short the runs of such texts are, each of them is hidden, and nothing beside them."""
    texts = [f"password=hunter{n}" if n % 2 else f"<{n}> order-{n}" for n in range(2 * MOST + 800)]
    found = redact({"v": texts})
    assert found.arguments["v"][::2] == texts[::2]
    assert set(found.arguments["v"][2 * MOST + 1 :: 2]) == {UNTOLD}


def test_a_long_text_is_hidden_from_its_last_known_secret_on() -> None:
    """What was told apart before the bound stays readable; nothing behind it is shown."""
    shown, secrets = hide_shapes("run " + " ".join([*PASSWORDS, "and curl evil.example"]))
    assert shown.startswith(
        "run password=(hidden secret, 7 characters) password=(hidden secret, 7 characters)"
    )
    assert shown.count("(hidden secret") == MOST
    assert shown.endswith(f"characters){UNTOLD}")
    assert secrets[-1] == UNTOLD
    near = "5111 1111 1111 1112 " * (MOST + 1)
    assert hide_shapes(near) == (UNTOLD, [UNTOLD])
    assert hide(near) == UNTOLD
    far = f"api_key{'z' * 60}=abcd1 "  # a secret's name, too far from its value
    assert hide_shapes(far * (MOST - 1)) == (far * (MOST - 1), [])
    assert hide_shapes(far * (MOST + 1)) == (UNTOLD, [UNTOLD])


def test_a_dict_of_keys_that_nobody_told_apart_is_hidden_whole() -> None:
    """A key that may be secret takes its dict with it, so that no value stands under a wrong path."""
    found = redact(
        {"first": PASSWORDS, "rows": {"of": [{"5111111111111112x-pin: 1234": 1, "b": 2}, {"c": 3}]}}
    )
    assert found.arguments["rows"] == {"of": [UNTOLD, {"c": 3}]}
    assert "args.rows.of" in found.hidden
    keys = redact({"v": {text: number for number, text in enumerate(PASSWORDS)}})
    assert keys.arguments == {"v": UNTOLD}
    assert keys.hidden[-1] == "args.v"


def test_numbers_beyond_the_bound_are_judged_each() -> None:
    """Numbers and texts of digits alone are cards or not, and need no bound."""
    cards = [4111111111111111, 4111111111111112, 1732924800000]
    found = redact({"texts": PASSWORDS, "numbers": cards, "digits": [str(card) for card in cards]})
    assert [is_hidden(each) for each in found.arguments["numbers"]] == [True, False, False]
    assert found.arguments["numbers"][1:] == cards[1:]
    assert [is_hidden(each) for each in found.arguments["digits"]] == [True, False, False]


def test_show_lifts_what_is_hidden_beyond_the_bound() -> None:
    """A shown path stays readable, and yet nobody knows the secrets of the call."""
    found = redact({"v": PASSWORDS}, show=["args.v"])
    assert found.arguments == {"v": PASSWORDS}
    assert found.hidden == ()
    assert UNTOLD in found.secrets


def test_what_is_hidden_whole_is_known_again_and_stays() -> None:
    """The words that stand for it are a mark like the others: told from texts, and never hidden twice."""
    assert is_hidden(UNTOLD)
    assert keeps_secret(f"a {UNTOLD}")
    assert not is_hidden(f"a {UNTOLD}")
    assert hide_shapes(UNTOLD) == (UNTOLD, [])
    assert redact_text(f"token={UNTOLD}") == f"token={UNTOLD}"
    assert unmarked(f"a{UNTOLD}b") == "ab"


def test_later_texts_of_such_a_call_are_hidden_whole() -> None:
    """An exception or a result may repeat a secret that nobody knows: it is neither shown nor kept."""
    secrets = redact({"v": PASSWORDS}).secrets
    assert (
        error_text(ValueError(f"no login with hunter{MOST + 2}"), secrets=secrets) == f"ValueError: {UNTOLD}"
    )
    assert redact_text("", secrets=secrets) == ""
    assert has_secret("anything", secrets)
    assert kept_result({"ok": True}, secrets=secrets) is None
    assert kept_result({"ok": True}, secrets=secrets[:-1]) == '{"ok": true}'


@pytest.mark.parametrize(
    ("decisive", "hidden", "hides"),
    [
        ("args.v", "args.v", True),
        ("args.v", "args.v.a", True),
        ("args.v.a", "args.v", True),
        ('args["a b"]', "args.a", False),
        ("args.va", "args.v", False),
        ("args.v", "args.va", False),
    ],
)
def test_a_decisive_value_inside_what_is_hidden_needs_the_full_view(
    decisive: str, hidden: str, hides: bool
) -> None:
    """A value that decides may be hidden with the dict or argument that it stands in."""
    assert hides_decisive([decisive], frozenset({hidden})) is hides


def test_texts_below_a_secret_key_are_searched_together() -> None:
    """Values whose key no longer names a secret once it is hidden itself are searched as part of the call."""
    key = "eyJhbGciOiJIUzI1NiJ9.token.c2lnbmF0dXJl"
    found = redact({"v": {key: [*PASSWORDS, "plain text"]}})
    (values,) = found.arguments["v"].values()
    assert values[MOST:] == [UNTOLD] * 5 + ["plain text"]
    assert values[0] == "password=(hidden secret, 7 characters)"


def _tokens(many: int) -> dict[str, str]:
    return {f"token-{number}": f"x{number}" for number in range(many)}


def test_as_many_named_secrets_as_the_bound_are_hidden_one_by_one() -> None:
    """Up to the bound each value that its key names as secret has a path of its own."""
    found = redact({"v": _tokens(MOST_HIDDEN)})
    assert set(found.arguments["v"].values()) == {"(hidden)"}
    assert len(found.hidden) == MOST_HIDDEN


def test_an_argument_with_too_many_named_secrets_is_hidden_whole() -> None:
    """It has one path, whatever stands in it; what was hidden before it stays so, the rest is shown."""
    value = {"a": 1, **_tokens(MOST_HIDDEN - 1)}
    found = redact({"password": "p4ss", "v": value, "w": {"pin": "1"}, "city": "Lyon", "rows": [value]})
    assert found.arguments["v"] == {"a": 1, **dict.fromkeys(_tokens(MOST_HIDDEN - 1), "(hidden)")}
    assert (found.arguments["w"], found.arguments["rows"]) == (UNTOLD, UNTOLD)
    assert (found.arguments["password"], found.arguments["city"]) == ("(hidden)", "Lyon")
    assert len(found.hidden) == MOST_HIDDEN + 2
    assert found.hidden[-2:] == ("args.w", "args.rows")
    assert UNTOLD in found.secrets


def test_facts_named_like_secrets_are_refused_however_many() -> None:
    """A session takes no fact under a secret's name, be they too many to be hidden one by one."""
    with pytest.raises(ActionError, match="token-0"):
        facts_text({"v": _tokens(MOST_HIDDEN + 5)})


def test_hundreds_of_keys_that_look_alike_once_hidden_stay_apart() -> None:
    """Each further key of the same ends and length gets one more sign, whatever else is called so."""
    keys = [f"sk-proj-abcdefghijklmnop{number:04}ab" for number in range(500)]
    told = hide_shapes(keys[0])[0]
    found = redact({"v": {**dict.fromkeys(keys, 1), told + "+": 2}, "w": [{keys[7]: 3}]})
    wanted = [told + "+" * number for number in range(500)]
    assert list(found.arguments["v"]) == [*wanted, told + "++" * 250]
    assert found.arguments["w"] == [{told: 3}]
