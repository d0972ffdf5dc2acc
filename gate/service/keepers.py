"""What keeps a store whole: checking, exporting and archiving its log, backups, and its clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from gate import exporting
from gate.audit_export import Export, check
from gate.errors import IllegalMove, StoreError
from gate.exporting import Span
from gate.service.road import Road
from gate.store import anchors
from gate.store.anchors import Anchor
from gate.verbs import archiving, publishing, timing
from gate.verbs.timing import Accepted
from gate.verifying import Verified, verify


class KeepVerbs(Road):
    """What keeps a store whole."""

    def verify(self, published: Sequence[Anchor] = (), archives: Sequence[Path] = ()) -> Verified:
        """Check the whole log against itself, its archives and what was published of it.

        Args:
            published: Heads that were published, beside those that are remembered at the store.
            archives: Files of archived records; none takes what is archived as the log tells of it.

        Raises:
            StoreError: An archive cannot be read.
        """
        heads = _by_seq([*published, *self._published_heads()])
        found = [_checked(path, heads) for path in archives]
        with self.store.reader() as reader:
            return verify(reader, heads, found)

    def export(self, put: Callable[[str], object]) -> Span:
        """Write the log line by line, to be checked without the database; see ``audit_export``."""
        with self.store.reader() as reader:
            return exporting.write(reader, self.store_id, put)

    def export_file(self, path: Path) -> Span:
        """Write the log so into a new file."""
        with self.store.reader() as reader:
            return exporting.write_file(reader, self.store_id, path)[0]

    def archive(self, before: datetime, path: Path, *, by: str) -> Span:
        """Move records from before a time into a new file, and record so; the log verifies across it.

        Raises:
            IllegalMove: There are none (code ``nothing_to_archive``), or the file is there already.
            StoreError: The file cannot be written, or the log is not whole; nothing is taken out then.
        """
        with self.store.reader() as reader:
            upto = archiving.last_before(reader, before)
            base = reader.one("SELECT base_seq FROM audit_head")
            if base is None or upto <= base["base_seq"]:
                raise IllegalMove(
                    f"The log has no record from before {before:%Y-%m-%d %H:%M:%S UTC} that is not archived. "
                    "Nothing was written.",
                    code="nothing_to_archive",
                )
            span, sha256 = exporting.write_file(reader, self.store_id, path, upto)
        problem = _checked(path, _by_seq(self._published_heads())).problem
        if problem:
            raise StoreError(f"The log is not whole: {problem}. {path} shows it; nothing was taken out.")
        with self._turn() as turn:
            archiving.archive(turn, span, file=path.name, sha256=sha256, by=by)
        return span

    def backup(self, path: Path, *, by: str) -> None:
        """Copy the store into a new file with its key beside it, and record so."""
        self.store.backup(path)
        with self._turn() as turn:
            turn.log("backup", actor=by, file=str(path))

    def adopt(self, published: Sequence[Anchor] = (), *, by: str, anyway: bool = False) -> int:
        """Take an older copy as the store, cancel its open holds, and return how many.

        Args:
            published: Heads that were published, beside those that are remembered at the store.
            by: Who says so.
            anyway: Whether it is adopted though nothing shows that it is an older copy.

        Raises:
            IllegalMove: Nothing that was published is missing (code ``not_older``).
        """
        known = [*published, *self._published_heads()]
        if not anyway and self._is_whole(known):
            raise IllegalMove(
                "Nothing shows that this store is an older copy: no record that was published is missing. "
                "Nothing was changed. If it is one, give --anchors FILE or --anyway.",
                code="not_older",
            )
        with self._turn() as turn:
            head, at = publishing.head(turn.tx), turn.now
            cancelled = publishing.adopt(turn, known, by=by)
        if self.path is not None and head is not None:
            anchors.append(self.path, head, at, adopted=True)
        return cancelled

    def accept_clock(self, *, by: str) -> Accepted:
        """Make this process's time the store's newest, also where that goes back."""
        with self._turn() as turn:
            return timing.accept(turn, by=by)

    def _is_whole(self, known: Sequence[Anchor]) -> bool:
        try:
            with self.store.reader() as reader:
                publishing.refuse_older(reader, known, self.path)
        except StoreError:
            return False
        return True

    def _published_heads(self) -> list[Anchor]:
        return anchors.read(self.path) if self.path is not None else []


def _by_seq(heads: Sequence[Anchor]) -> Mapping[int, set[str]]:
    found: dict[int, set[str]] = {}
    for each in heads:
        found.setdefault(each.seq, set()).add(each.digits)
    return found


def _checked(path: Path, heads: Mapping[int, set[str]]) -> Export:
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            return check(file, heads, goes_on=True)
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"The archive {path} cannot be read: {error}.") from error
