"""Where the bot may send its token, and what it says of settings that nobody writes on purpose."""

from __future__ import annotations

import asyncio

import pytest

from bot.preflight import Preflight
from bot.running import make_client
from bot.settings import BotFault, BotSettings
from gate.errors import Fault
from tests.kit import policy


@pytest.mark.parametrize(
    "address",
    ["https://[slack.com/api/", "slack.com/api/", "ftp://slack.com/api/", "https:///api/", "http://h:99999/"],
)
def test_an_address_that_is_none_is_said(address: str) -> None:
    """It is refused before anything is sent, also where a local workspace is allowed."""
    settings = BotSettings.read({"SLACK_API_URL": address, "GATE_ALLOW_LOCAL_WORKSPACE": "1"})
    with pytest.raises(BotFault, match="SLACK_API_URL is no address that can be asked") as refused:
        settings.check_address()
    assert refused.value.code == "bot_settings"


@pytest.mark.parametrize(
    ("said", "allowed"), [("", False), ("0", False), ("no", False), ("1", True), ("ON", True)]
)
def test_a_local_workspace_is_allowed_by_a_word_that_is_known(said: str, allowed: bool) -> None:
    """The bot takes the words for yes and no that a gate takes, and starts with no other."""
    assert BotSettings.read({"GATE_ALLOW_LOCAL_WORKSPACE": said}).allow_local is allowed
    with pytest.raises(Fault, match=r"GATE_ALLOW_LOCAL_WORKSPACE.*write true or false") as refused:
        BotSettings.read({"GATE_ALLOW_LOCAL_WORKSPACE": "perhaps"})
    assert refused.value.code == "settings"


@pytest.mark.parametrize("local", ["", "1"])
def test_no_token_goes_to_slack_in_the_clear(local: str) -> None:
    """Slack's own address without encryption is refused; a local workspace needs none."""
    environ = {"SLACK_API_URL": "http://slack.com/api/", "GATE_ALLOW_LOCAL_WORKSPACE": local}
    with pytest.raises(BotFault, match="without encryption"):
        BotSettings.read(environ).check_address()
    BotSettings.read({}).check_address()
    BotSettings.read(environ | {"SLACK_API_URL": "HTTPS://files.slack.com/api"}).check_address()
    if local:
        BotSettings.read(environ | {"SLACK_API_URL": "http://127.0.0.1:1/api/"}).check_address()


@pytest.mark.parametrize("port", ["9" * 5000, "65536", "-1", "x", "1e3"])
def test_a_port_that_is_none_is_said(port: str) -> None:
    """However long it is, the message names the setting and stays short."""
    with pytest.raises(BotFault, match=r"GATE_BOT_PORT=.* is no TCP port: write 0 to 65535") as refused:
        BotSettings.read({"GATE_BOT_PORT": port})
    assert len(str(refused.value)) < 100


def test_a_network_that_is_down_is_no_fault_of_the_token() -> None:
    """Where nobody answers, the look before the start names the address, and calls no token wrong."""

    async def told() -> list[str]:
        settings = BotSettings(bot_token="xoxb-1", app_token="xapp-1", api_url="http://127.0.0.1:1/api/")
        look = Preflight(make_client(settings, retry=False), settings, "socket")
        return (await look.check(policy())).fatal

    (said,) = asyncio.run(told())
    assert said.startswith("127.0.0.1 does not answer auth.test (cannot_connect): look at the network")
