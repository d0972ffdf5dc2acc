"""Where a store may lie: on no network file system, however the way to it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.errors import StoreError
from gate.store import files
from tests.kit import service


def _mounted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *lines: str) -> None:
    """Let the system list these mounts, each ``place kind``, blanks of the place as it writes them."""
    listed = tmp_path / "mounts"
    mounts = [line.rsplit(" ", 1) for line in ("/ ext4", *lines)]
    listed.write_text(
        "".join(f"dev {place.replace(' ', chr(92) + '040')} {kind} rw 0 0\n" for place, kind in mounts),
        "utf-8",
    )
    monkeypatch.setattr(files, "MOUNTS", listed)


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs"])
@pytest.mark.parametrize("folder", ["share", "our share"])
def test_a_network_file_system_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, kind: str
) -> None:
    """The message names it and what to do; nothing is made there, also where its path has a blank."""
    place = tmp_path / folder
    _mounted(monkeypatch, tmp_path, f"{place} {kind}")
    with pytest.raises(StoreError, match=rf"network file system \({kind}\).*local disk"):
        service(place / "gate.db")
    assert not place.exists()


def test_a_link_to_a_network_file_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the path leads counts, not how it is written."""
    (tmp_path / "share").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "share")
    _mounted(monkeypatch, tmp_path, f"{tmp_path / 'share'} nfs")
    with pytest.raises(StoreError, match="network file system"):
        service(tmp_path / "link" / "gate.db")


def test_a_local_disk_below_or_over_a_network_one_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The nearest mount counts, and of two at one place the later."""
    share, disk = tmp_path / "share", tmp_path / "share" / "disk"
    _mounted(monkeypatch, tmp_path, f"{share} nfs", f"{disk} nfs", f"{disk} ext4")
    service(disk / "gate.db").close()
    service(tmp_path / "shared" / "gate.db").close()


def test_a_key_that_cannot_be_put_in_its_place_is_told(tmp_path: Path) -> None:
    """Where something else lies in the key's place, one fault says so; nothing of the key is left about."""
    (tmp_path / "gate.db.key").mkdir()
    with pytest.raises(StoreError, match=r"gate\.db\.key.* cannot be written: Is a directory"):
        service(tmp_path / "gate.db")
    assert {each.name for each in tmp_path.iterdir()} <= {
        "gate.db",
        "gate.db-wal",
        "gate.db-shm",
        "gate.db.key",
    }
