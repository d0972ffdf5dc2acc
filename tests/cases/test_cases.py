"""Cases of the systems before ours: each is a row that ours answers, or a difference with its reason."""

from __future__ import annotations

import re

import pytest

from tests.cases.answer_kit import CASES
from tests.cases.case_kit import HERE, STRICTNESS, Row, answer, rows

ROWS = list(rows())
IDS = (HERE / "ids.txt").read_text(encoding="utf-8").split("\n")
KNOWN = [line.split()[0] for line in IDS if line.strip() and not line.startswith("#")]
DIFFERENCES = (HERE / "differences.md").read_text(encoding="utf-8")


def differences() -> dict[str, str]:
    """Return the sentence that decides, by the id of the case that it decides."""
    found: dict[str, str] = {}
    sentence = ""
    for line in DIFFERENCES.split("\n"):
        if line.startswith("> "):
            sentence = line[2:]
        elif line.startswith("## "):
            sentence = ""
        for ids in re.findall(r"^- ((?:`[^`]+`,? ?)+):", line):
            found.update((each, sentence) for each in re.findall(r"`([^`]+)`", ids))
    return found


LISTED = differences()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_ours_answers_as_the_row_says(row: Row) -> None:
    """Every row: ours gives the expected answer, approvals and errors, call by call."""
    found = answer(row)
    assert not found.wrong
    assert found.words, "a row asks something"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_an_answer_of_its_own_is_a_listed_difference(row: Row) -> None:
    """Where ours answers the last call otherwise than is right, or more loosely, a sentence is listed."""
    word = answer(row).words[-1]
    right = row.right or row.theirs
    differs = word != right or STRICTNESS[word] < STRICTNESS[row.theirs]
    assert differs is (row.id in LISTED), f"ours: {word}, theirs: {row.theirs}, right: {right}"


def looser() -> set[str]:
    """Return the ids that stand under the heading that says so."""
    _, _, rest = DIFFERENCES.partition("\n## Looser, on purpose\n")
    part = rest.partition("\n## ")[0]
    return {each for line in re.findall(r"^- ((?:`[^`]+`,? ?)+):", part, re.MULTILINE) for each in _ids(line)}


def _ids(line: str) -> list[str]:
    return re.findall(r"`([^`]+)`", line)


def test_what_is_looser_stands_under_the_heading_that_says_so() -> None:
    """No case is decided more loosely than by the other system but these, and each of these is."""
    found = {row.id for row in ROWS if STRICTNESS[answer(row).words[-1]] < STRICTNESS[row.theirs]}
    assert found == looser()


def test_every_case_is_a_row_or_a_difference() -> None:
    """No case is left out: each is a row, a listed difference or a test, and one of them."""
    mine = [row.id for row in ROWS]
    assert len(mine) == len(set(mine))
    assert len(KNOWN) == len(set(KNOWN))
    assert {*mine, *LISTED, *CASES} == set(KNOWN)
    assert not set(CASES) & {*mine, *LISTED}


def test_every_difference_names_the_sentence_that_decides() -> None:
    """A difference without the sentence that decides it would be an excuse."""
    assert LISTED
    assert all(LISTED.values()), [each for each, sentence in LISTED.items() if not sentence]
