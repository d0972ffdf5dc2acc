"""Run a local workspace on its own: `python -m bot.local_workspace`."""

from __future__ import annotations

import json
from pathlib import Path

import click
from pydantic import ValidationError

from bot.local_workspace.seed import NOTICE, Seed
from bot.local_workspace.server import LocalWorkspace


@click.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default=True,
    help="TCP port; 0 takes a free one.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Loopback address to bind.")
@click.option(
    "--seed", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="JSON file to start from."
)
def main(port: int, host: str, seed: Path | None) -> None:
    """Run a small Slack-like workspace on this machine until Ctrl-C."""
    try:
        workspace = LocalWorkspace(host, port, seed=_seed(seed)).start()
    except (ValueError, OSError) as wrong:
        raise click.ClickException(str(wrong)) from None
    names = ("url", "api_url", "bot_token", "app_token", "signing_secret")
    click.echo(json.dumps({name: getattr(workspace, name) for name in names} | {"notice": NOTICE}))
    try:
        workspace.wait()
    except KeyboardInterrupt:
        workspace.stop()


def _seed(path: Path | None) -> Seed | None:
    if path is None:
        return None
    try:
        return Seed.model_validate_json(path.read_bytes())
    except ValidationError as wrong:
        first = wrong.errors()[0]
        where = "/".join(map(str, first["loc"]))
        raise ValueError(f"{path}: {where or 'the file'}: {first['msg']}") from None


if __name__ == "__main__":
    main()
