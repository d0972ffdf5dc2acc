"""Settings come from the constructor, else from the environment, else from the defaults."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from gate import Gate
from gate.errors import Fault
from gate.settings import Settings


def test_defaults() -> None:
    """Nothing given and nothing in the environment gives the documented defaults."""
    assert Settings.read(environ={}).model_dump() == {
        "policy": None,
        "db": None,
        "channel": None,
        "durability": "full",
        "reload": "off",
        "agent": None,
        "namespace": None,
        "wait": "until_decided",
        "allow_local_workspace": False,
    }


ENVIRONMENT = {
    "GATE_POLICY": "policies",
    "GATE_DB": "/var/lib/gate.db",
    "GATE_CHANNEL": "C0STAGING",
    "GATE_DURABILITY": "normal",
    "GATE_RELOAD": "watch",
    "GATE_AGENT": "support",
    "GATE_NAMESPACE": "support",
    "GATE_WAIT": "10m",
    "GATE_ALLOW_LOCAL_WORKSPACE": "1",
}


def test_the_environment_agrees_with_the_constructor() -> None:
    """Each variable sets what the constructor's argument of that name sets."""
    found = Settings.read(environ=ENVIRONMENT)
    assert found.model_dump() == {
        "policy": Path("policies"),
        "db": Path("/var/lib/gate.db"),
        "channel": "C0STAGING",
        "durability": "normal",
        "reload": "watch",
        "agent": "support",
        "namespace": "support",
        "wait": timedelta(minutes=10),
        "allow_local_workspace": True,
    }


def test_what_is_given_wins() -> None:
    """A constructor argument stands against the environment; None does not."""
    found = Settings.read({"agent": "mine", "db": ":memory:", "channel": None}, environ=ENVIRONMENT)
    assert (found.agent, found.db, found.channel) == ("mine", ":memory:", "C0STAGING")


def test_another_prefix_reads_other_names() -> None:
    """With a prefix of its own a second gate has settings of its own."""
    assert Settings.read(prefix="DESK_", environ={"DESK_AGENT": "desk", "GATE_AGENT": "x"}).agent == "desk"


@pytest.mark.parametrize(("text", "wait"), [("0", 0.0), ("2.5", 2.5), ("until_decided", "until_decided")])
def test_waits_in_the_environment(text: str, wait: Any) -> None:
    """A wait is seconds, a duration or until_decided."""
    assert Settings.read(environ={"GATE_WAIT": text}).wait == wait


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GATE_DURABILITY", "some"),
        ("GATE_RELOAD", "yes"),
        ("GATE_WAIT", "soon"),
        ("GATE_WAIT", "-1"),
        ("GATE_NAMESPACE", "a b"),
        ("GATE_ALLOW_LOCAL_WORKSPACE", "perhaps"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(name: str, value: str) -> None:
    """A bad value is one fault that names the variable; nothing is opened."""
    with pytest.raises(Fault, match=name) as caught:
        Settings.read(environ={name: value})
    assert caught.value.code == "settings"
    assert "error" not in str(caught.value)
    assert "nput" not in str(caught.value)


@pytest.mark.parametrize(
    "name", ["policy", "db", "wait", "agent", "namespace", "channel", "reload", "durability"]
)
@pytest.mark.parametrize("value", [5.5j, [], True, object()])
def test_a_setting_of_another_type_is_named(name: str, value: Any) -> None:
    """Whatever the constructor is given, one fault names the setting."""
    with pytest.raises(Fault, match=f"GATE_{name.upper()} ") as caught:
        Gate(**{name: value})
    assert caught.value.code == "settings"


def test_the_gate_reads_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Both ways to make a gate follow GATE_DB; the constructor's argument wins."""
    monkeypatch.setenv("GATE_DB", str(tmp_path / "a.db"))
    assert Gate()._settings.db == Gate.from_settings()._settings.db == tmp_path / "a.db"
    assert Gate(db=tmp_path / "b.db")._settings.db == tmp_path / "b.db"
    monkeypatch.setenv("DESK_AGENT", "desk")
    assert Gate.from_settings("DESK_")._settings.agent == "desk"
