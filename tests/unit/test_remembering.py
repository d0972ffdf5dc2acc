"""What is remembered of texts that callers send is bounded in number and in length."""

from __future__ import annotations

from gate.remembering import LONGEST, remembered


def test_short_texts_are_asked_once_and_long_ones_each_time() -> None:
    """A short text is asked once; a long one, or many that are long together, is asked anew and not kept."""
    asked: list[object] = []

    @remembered
    def size(text: str) -> int:
        asked.append(text)
        return len(text)

    @remembered
    def count(texts: tuple[str, ...]) -> int:
        asked.append(texts)
        return len(texts)

    short, long = "a" * LONGEST, "b" * (LONGEST + 1)
    assert [size(short), size(short), size(long), size(long)] == [LONGEST, LONGEST, LONGEST + 1, LONGEST + 1]
    assert asked == [short, long, long]
    asked.clear()
    few, many = ("a", "b"), ("a",) * (LONGEST + 1)
    assert [count(few), count(few), count(many), count(many)] == [2, 2, LONGEST + 1, LONGEST + 1]
    assert asked == [few, many, many]


def test_what_stands_beside_the_text_counts_too() -> None:
    """The same text with another argument beside it is another question."""

    @remembered
    def more(text: str, *, by: int) -> int:
        return len(text) + by

    assert [more("a", by=1), more("a", by=2), more("a", by=1)] == [2, 3, 2]
