"""The house: what may import what, what stands in no test, and what the package loads."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Set
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = [
    path for folder in ("gate", "bot", "demo", "bench") for path in sorted((ROOT / folder).rglob("*.py"))
]
TESTS = sorted((ROOT / "tests").rglob("*.py"))


def _imported(path: Path, heads: Set[str]) -> set[str]:
    """Return what a file imports anywhere of some packages; it is parsed only where it names one."""
    text = path.read_text()
    if not any(head in text for head in heads):
        return set()
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.update({node.module}, (f"{node.module}.{name.name}" for name in node.names))
    return {name for name in found for head in heads if f"{name}.".startswith(f"{head}.")}


def test_imports_go_down_only() -> None:
    """The import floors of pyproject.toml hold."""
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([str(linter)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_gate_knows_no_slack() -> None:
    """Nothing in gate imports Slack, the bot or a web framework, not even inside a function."""
    for path in (ROOT / "gate").rglob("*.py"):
        assert not _imported(path, {"bot", "slack_bolt", "slack_sdk", "aiohttp"}), path


def test_only_the_clock_reads_clocks() -> None:
    """In gate, time is an argument: one module reads clocks, and APScheduler's glue asks for wall time."""
    reads = re.compile(r"\b(time\.(time|monotonic|sleep|perf_counter)|datetime\.(now|utcnow)|date\.today)\(")
    found = {path.name for path in (ROOT / "gate").rglob("*.py") if reads.search(path.read_text())}
    assert found <= {"clock.py", "expiry.py"}


def test_transactions_begin_in_the_service_only() -> None:
    """No verb, and nobody above the service, opens a writing transaction of its own."""
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "gate").rglob("*.py")
        if re.search(r"\.transaction\(", path.read_text())
    }
    assert found <= {"gate/service/turns.py", "gate/store/sqlite.py", "gate/store/inspect.py"}


def test_no_test_sleeps_or_mocks() -> None:
    """Tests wait for events; no test sleeps, and none takes a mock library."""
    for path in TESTS:
        text = path.read_text().replace('"sleep("', "").replace("``sleep(``", "")
        assert not re.search(r"\bsleep\(", text) or path == Path(__file__), path
        assert not _imported(path, {"mock", "pytest_mock", "unittest.mock"}), path


def test_no_wait_loses_a_cancellation() -> None:
    """Waits end by ``asyncio.timeout``: ``wait_for`` of Python 3.11 loses a cancellation that comes last."""
    for folder in ("gate", "bot", "demo"):
        for path in (ROOT / folder).rglob("*.py"):
            assert "asyncio.wait_for" not in path.read_text(), path


def test_every_test_says_what_it_claims() -> None:
    """Each test has a docstring, and it is not the one of another test in the same file."""
    for path in TESTS:
        functions = [
            node
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
        ]
        said = [ast.get_docstring(node) for node in functions]
        assert all(said), (path, [node.name for node in functions if not ast.get_docstring(node)])
        assert len(set(said)) == len(said), path


def test_modules_stay_small() -> None:
    """No module has more than 400 lines."""
    long = {path.name: count for path in SOURCES if (count := len(path.read_text().splitlines())) > 400}
    assert not long


def test_nothing_is_left_half_done() -> None:
    """No stub, no note to self."""
    words = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|NotImplemented" r"Error)\b")
    assert not [path for path in [*SOURCES, *TESTS] if words.search(path.read_text())]


def test_importing_gate_is_light() -> None:
    """Importing all that ``gate`` exports loads no Slack package, scheduler, renderer or database driver."""
    heavy = [
        "slack_bolt",
        "slack_sdk",
        "aiohttp",
        "apscheduler",
        "jsonschema",
        "rich",
        "sqlite_utils",
        "sqlite3",
        "click",
        "yaml",
    ]
    code = f"import sys; from gate import *; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_project_speaks_of_itself_only() -> None:
    """No machine path and no registry host stands in a file of the project."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    words = re.compile(r"/(work|root|home/\w+)/|pypi\.org|pythonhosted|npmjs|deb\.debian")
    for name in tracked:
        path = ROOT / name
        if path.suffix in {".png", ".lock"} or not path.is_file() or path == Path(__file__):
            continue
        assert not words.search(path.read_text(errors="replace")), name
