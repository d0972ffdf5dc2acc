"""What agents do: open sessions, submit, claim, settle, wait."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from gate.clock import to_us
from gate.digest import action_digest
from gate.editing import Edited
from gate.errors import IllegalMove, StoreError
from gate.ids import new_id
from gate.lifecycle import State
from gate.model import Action, ActionRecord, Evidence, Principal, Submission
from gate.model.own_rules import TOO_LATE
from gate.recorded import facts_text
from gate.service.askers import AskerVerbs
from gate.service.judging import JudgeVerbs
from gate.service.turns import afterwards
from gate.store.sqlite import SqliteStore
from gate.verbs import beginning, leaving, living, look, sessions, timing
from gate.verbs import claim as claiming
from gate.verbs import submit as submitting
from gate.verbs.asking import Judgement
from gate.verbs.claim import Claimed, End
from gate.verbs.drafts import Draft
from gate.verbs.turn import ACTION, MustLast, Turn, action_row

log = logging.getLogger("gate")


class AgentVerbs(AskerVerbs, JudgeVerbs):
    """What agents do."""

    def open_session(
        self,
        id_: str,
        *,
        agent: str,
        on_behalf_of: Principal | None,
        evidence: Sequence[Evidence] = (),
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        """Open a session, or open it again as what it is; see ``verbs.sessions``."""
        text = "{}" if facts is None else facts_text(facts)
        with self._turn() as turn:
            sessions.open_session(
                turn, id_, agent=agent, on_behalf_of=on_behalf_of, evidence=evidence, facts=text
            )
        self._learn_facts(id_, text)

    def add_evidence(self, session: str, evidence: Sequence[Evidence]) -> None:
        """Add lines that the session does not have yet."""
        with self._turn() as turn:
            sessions.add_evidence(turn, session, evidence)

    def end_session(self, session: str) -> int:
        """End a session, cancel its open holds, and return how many."""
        with self._turn() as turn:
            return sessions.end_session(turn, session)

    def submit(
        self, action: Action, *, wait: bool = True, would_block: bool = False, owner: object | None = None
    ) -> Submission:
        """Judge one call and record the verdict; see ``verbs.submit``.

        Args:
            action: The call.
            wait: Whether the caller will wait if it is held; then ``leave`` ends the wait.
            would_block: Whether waiting would block the caller's event loop; it is refused then.
            owner: When it is gone, nobody has a running action in hand; None: in hand until it settles.

        Raises:
            ActionError: Its arguments cannot be judged.
            NoSession: Its session is unknown or ended.
            ClockError: The store's newest time lies more than five minutes after this process's.
            CallIdReused: Its call id stands for another call.
            WouldBlock: It would have to wait and must not; there is no new hold.
        """
        new = new_id()
        self._follow_fork()
        with self._hands.reach(new, durable=self._durable_allows, owner=owner) as keep:
            submission = self._refusable(action, lambda: self._submit(new, action, wait, would_block, owner))
            keep(submission.kind == "run")
        if submission.kind == "held":
            afterwards(lambda: self._tell_who_asks(submission.record))
        return submission

    def claim(
        self, action_id: str, call: Action | Edited, *, waiter: int = 0, owner: object | None = None
    ) -> Claimed:
        """Take an approved action in hand; see ``verbs.claim``. ``run`` is True for one caller, once.

        Args:
            action_id: Which action.
            call: The call that would run: as submitted, or with what people changed.
            waiter: The caller's waiter number; 0 for none.
            owner: When it is gone, nobody has the action in hand; None: in hand until it settles.
        """
        self._follow_fork()
        action, version = (call, 1) if isinstance(call, Action) else (call.action, call.version)

        def verb(turn: Turn, asked: tuple[str, Judgement]) -> Claimed:
            digest, judgement = asked
            self._hands.note(action_id, judgement.secrets, turn.revision)
            return claiming.claim(turn, action_id, action, digest, judgement, version=version, waiter=waiter)

        reach = self._hands.reach(action_id, durable=True, owner=owner)
        with self.claimable(action_id, action), reach as keep:
            claimed = self._judged(lambda policy: (self._digest(call), self._judgement(action, policy)), verb)
            keep(claimed.run)
        if claimed.record.state != State.PENDING:
            self._waits.drop(waiter)
        return claimed

    def begin(self, record: ActionRecord, action: Action) -> ActionRecord:
        """Begin to run an allowed action that this process has in hand, once.

        Returns:
            The action; blocked where a freeze that came since it was allowed covers it.

        Raises:
            IllegalMove: It is another call, in nobody's hand any more, or was begun before; or it was allowed
                too long ago, or under a policy or in a session that is none any more (code ``too_late``).
        """
        with self.claimable(record.id, action):
            if action_digest(self.store.key, action, afresh=True) != record.digest:
                raise IllegalMove(f"The call is not the one that was allowed as {record.id}.", code="changed")
            revision, now = self._hands.revision(record.id), to_us(self.now())
            with self.store.reader() as reader:
                stopped = beginning.obstacle(reader, record.id, now, revision) is not None
            if not self._hands.take(record.id):
                raise IllegalMove(f"{record.id} was begun already or has ended; submit the action again.")
        return self._stopped(record, revision) if stopped else record

    def _stopped(self, record: ActionRecord, revision: str | None) -> ActionRecord:
        with self._hands.taken(record.id), self._turn() as turn:
            stopped = beginning.stop(turn, record.id, revision)
        if stopped is None:
            return record
        self._hands.drop(record.id)
        if TOO_LATE in stopped.rules:
            raise IllegalMove(f"{stopped.reason} Nothing ran; submit the action again.", code="too_late")
        return stopped

    def secrets(self, action_id: str) -> tuple[str, ...] | None:
        """Return the texts that people may not see of a call in hand; None where they are not known here."""
        return self._hands.secrets(action_id)

    def settle(self, action_id: str, end: End) -> None:
        """Record how an action in hand ended; what cannot be written is tried again later.

        A tool may outlive its gate: the store is opened once more then, for this alone.
        """
        try:
            try:
                self._settle(action_id, end)
            except StoreError as fault:
                if fault.code != "closed" or self.path is None:
                    raise
                with closing(self.store.again()) as store:
                    self._settle(action_id, end, store)
        except StoreError as fault:
            self._unsettled[action_id] = end
            log.error("The end of action %s could not be written yet: %s", action_id, fault)

    def doubt(self, action_id: str, *, code: str = "interrupted", reason: str) -> None:
        """Record that nobody knows how an action in hand ended; a second word about it changes nothing."""
        try:
            with self._turn() as turn:
                row = action_row(turn.tx, action_id)
                if row["state"] == State.RUNNING:
                    claiming.doubt(turn, row, code=code, reason=reason, actor=f"agent:{row['agent']}")
        finally:
            # Where it could not be written, the next heartbeat finds it in nobody's hand.
            self._unsettled.pop(action_id, None)
            self._hands.drop(action_id)

    def follow_fork(self) -> None:
        """Become a process of its own in a forked child, before anything else is done there."""
        self._follow_fork()

    def stand_by(self, record: ActionRecord, owner: object) -> int:
        """Have a hold that goes with its callers know that somebody waits to know what becomes of it.

        Args:
            record: The action.
            owner: When it is gone, nobody waits any more.

        Returns:
            Number of the wait, to be given to ``leave``; 0 where nothing goes, or the store cannot be told.
        """
        try:
            if not self._goes_with_callers(record.id):
                return 0
            with self._turn() as turn:
                number = leaving.stand_by(turn, record.id)
                if number:
                    self._waits.keep(number, owner)
                return number
        except StoreError as fault:
            log.warning("A wait for %s could not be written: %s", record.id, fault)
            return 0

    def _goes_with_callers(self, action_id: str) -> bool:
        with self.store.reader() as reader:
            row = reader.one(ACTION + "WHERE a.id = ?", (action_id,))
            return row is not None and leaving.cancels(row)

    def stood_by(self, waiter: int) -> None:
        """Note that such a wait was broken off; the next heartbeat writes it, and cancels nothing for it."""
        self._waits.end(waiter)

    def leave(self, waiter: int, *, gone: bool = False) -> None:
        """Record that a wait ended.

        Args:
            waiter: Number of the wait.
            gone: Whether its caller was cancelled, interrupted or thrown away, rather than told ``Pending``;
                where the policy says so, that cancels the hold.
        """
        mine = self._waits.drop(waiter) if gone else self._waits.end(waiter)
        if mine:
            with self._turn() as turn:
                leaving.leave(turn, waiter, gone=gone)
            self._waits.ended([waiter])

    def states(self, ids: Sequence[str]) -> dict[str, tuple[State, int]]:
        """Return state and hold version of each action that exists, in one query."""
        with self.store.reader() as reader:
            return look.states(reader, ids)

    def action(self, action_id: str) -> ActionRecord:
        """Return one action."""
        with self.store.reader() as reader:
            return look.action(reader, action_id)

    def _submit(
        self, new: str, action: Action, wait: bool, would_block: bool, owner: object | None
    ) -> Submission:
        lasting = False

        def verb(turn: Turn, draft: Draft) -> Submission:
            nonlocal lasting
            submission = submitting.submit(turn, draft, wait=wait, would_block=would_block)
            if submission.kind != "run" and not (lasting or self._durably(new, draft)):
                lasting = True  # frozen, or found again: it did not become an allowed call
                raise MustLast
            self._hands.note(new, draft.redacted.secrets, turn.revision)
            if submission.waiter:
                self._waits.keep(submission.waiter, owner)  # before the commit, so no heartbeat comes between
            return submission

        return self._judged(
            lambda policy: self._draft(new, action, policy),
            verb,
            durable=lambda draft: lasting or self._durably(new, draft),
            shared=True,
        )

    def _durably(self, new: str, draft: Draft) -> bool:
        """Tell whether a crash of the machine may not lose what is written of a call; nor then its end."""
        counts = draft.verdict.answer != "allow" or bool(draft.spending.uses)
        if counts and not self._durable_allows:
            self._hands.make_durable(new)
        return self._durable_allows or counts

    def _settle(self, action_id: str, end: End, store: SqliteStore | None = None) -> None:
        durable = self._hands.durable(action_id)
        try:
            self._lasting(
                lambda turn: claiming.settle(turn, action_id, end), durable=durable, shared=True, store=store
            )
        except IllegalMove as fault:
            log.error("The end of action %s was not recorded: %s", action_id, fault)
        self._unsettled.pop(action_id, None)
        self._hands.drop(action_id)

    def heartbeat(self) -> None:
        """Say that this process lives, doubt the actions of the dead, and settle what could not be before."""
        for action_id, end in list(self._unsettled.items()):
            self._settle(action_id, end)
        over: frozenset[int] = frozenset()

        def beat(turn: Turn) -> bool:
            nonlocal over
            before = turn.head
            timing.keep(turn)
            waits, over = self._waits.standing()
            for waiter in over:
                leaving.leave(turn, waiter, gone=False)
            living.beat(turn, self._hands.ids() | self._unsettled.keys(), waits | over)
            return turn.head != before

        self._lasting(beat, durable=False)
        self._waits.ended(over)
        self._note_jump()
        self._tell_of_bot()

    def _note_jump(self) -> None:
        """Record once that the wall clock was moved against process time."""
        drift = self.clock.wall() - self.clock.now()
        if abs(drift - self._drift) > timing.JUMP:
            with self._turn() as turn:
                timing.note_jump(turn, turn.own + drift)
            self._drift = drift
