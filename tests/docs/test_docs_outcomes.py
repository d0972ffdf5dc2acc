"""The page about outcomes says what the code says."""

from __future__ import annotations

from pathlib import Path

from gate import outcomes
from gate.outcomes import CLASSES
from gate.sentences import SENTENCES

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "outcomes.md"


def _row(code: str) -> str:
    sentence = SENTENCES[code]
    said = sentence.happened.format(tool="TOOL", who="a person", Who="A person", error="ERROR")
    kind = CLASSES[code].__name__ if code in CLASSES else "Ran"
    return f"| `{code}` | `{kind}` | {' '.join(filter(None, [said, sentence.ran]))} | {sentence.again} |"


def test_the_table_has_every_code_as_the_agent_reads_it() -> None:
    """Each outcome code stands in the table once, with its class, its sentence and whether to call again."""
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    assert rows == [_row(code) for code in SENTENCES]


def test_the_tree_is_the_one_of_the_module() -> None:
    """The drawn tree has the same lines as the module's own."""

    def lines(text: str) -> set[str]:
        return {line.strip("│├└─ ") for line in text.splitlines() if "...." in line and "Outcome" not in line}

    assert outcomes.__doc__ is not None
    assert lines(outcomes.__doc__) <= lines(PAGE.read_text("utf-8"))
