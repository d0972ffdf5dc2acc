"""Lines that survive the death of the process that wrote them."""

from __future__ import annotations

import json
import os
from pathlib import Path


def note(path: Path, line: object) -> None:
    """Append one line of JSON that survives the death of this process."""
    with path.open("a") as file:
        file.write(json.dumps(line) + "\n")
        file.flush()
        os.fsync(file.fileno())
