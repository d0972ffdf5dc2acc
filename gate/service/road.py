"""The road every verb takes: its turn, under the policy in force at that moment."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal, TypeVar

from gate.budget import Use
from gate.clock import Clock
from gate.errors import Fault, PolicyError, Problem
from gate.policy.load import load_texts
from gate.policy.policyset import PolicySet
from gate.recorded import read_facts
from gate.service.turns import Kind, Turns, afterwards
from gate.store import anchors
from gate.verbs import backfill, ledger, living, publishing, ruling, workspace
from gate.verbs.turn import MustLast, Stale, Turn

P = TypeVar("P")
T = TypeVar("T")

_NONE_YET = "no policy is in force here; give one with --policy, policy= or GATE_POLICY"
_FACTS_KEPT = 4096

log = logging.getLogger("gate")


class Road(Turns):
    """Take every verb under the policy that is in force at that moment.

    Attributes:
        store_id: Id of the store, carried by every button.
        channel: Channel that replaces every channel of the policy; None for none.
    """

    def __init__(
        self,
        db: Path | str,
        *,
        policy: PolicySet | None = None,
        clock: Clock | None = None,
        durability: Literal["full", "normal"] = "full",
        kind: Kind = "agent",
        made_by: Literal["gate", "test"] = "gate",
        channel: str | None = None,
        allow_local: bool = False,
        create: bool = True,
        renew_key: bool = False,
        allow_older: bool = False,
        by: str = "",
    ) -> None:
        super().__init__(db, clock=clock, kind=kind, by=by, create=create, renew_key=renew_key)
        self.channel, self.allow_local = channel, allow_local
        self._durable_allows = durability == "full"
        self._facts: dict[str, tuple[str, Mapping[str, Any]]] = {}
        self._policy, self._place = policy, policy.place if policy else ""
        self._pruned_at, self._drift = -math.inf, timedelta(0)
        self._published: date | None = None
        try:
            self._start(policy, made_by, allow_older=allow_older or renew_key)
        except BaseException:
            self._leave()
            raise

    def _leave(self) -> None:
        """Be no process of the store's any more: nobody takes for alive what could not start."""
        if self._process:
            with suppress(Fault), self._turn() as turn:
                living.leave(turn)
        self.store.close()

    def policy(self) -> PolicySet:
        """Return the policy in force."""
        with self.store.reader() as reader:
            revision = ruling.current(reader)
        return self._follow(revision)

    def _start(self, policy: PolicySet | None, made_by: str, *, allow_older: bool) -> None:
        known = anchors.read(self.path) if self.path and not allow_older else ()
        with self._turn() as turn:
            publishing.refuse_older(turn.tx, known, self.path)
            workspace.mark_made_by(turn, made_by)
            self._process = living.register(turn, self.kind)
        self.store_id = self.meta("store_id") or ""
        if policy is not None:
            self._apply_at_start(policy)
        elif self.kind != "cli":
            self.policy()

    def _apply_at_start(self, policy: PolicySet) -> None:
        """Bring the files into force, unless they were before and have been replaced."""
        with self.store.reader() as reader:
            replaced = ruling.was_replaced(reader, policy.revision)
            before = ruling.current(reader)
        if not replaced:
            self._bring_into_force(policy, by=self.actor)
            self._tell_replaced(before, policy.revision)
            return
        self._policy = None
        log.warning(
            "The policy files (revision %s) were in force before and have been replaced; the store's newer "
            "revision stays. Go back with 'gate policy apply'.",
            policy.revision[:12],
        )

    def _tell_replaced(self, before: str | None, now: str) -> None:
        """Say loudly that a start changed what holds for every process on the store."""
        if before not in (None, now):
            log.warning(
                "The policy files (revision %s) replace the policy that was in force in %s (revision %s), "
                "for every process on it: one store has one policy. If that was another project's, name "
                "another store, with db= or GATE_DB.",
                now[:12],
                self.path or "this store",
                str(before)[:12],
            )

    def _bring_into_force(self, policy: PolicySet, *, by: str) -> Sequence[str]:
        """Bring a policy into force; what its new budgets must see is worked out before the transaction."""
        staged: dict[str, int] = {}
        key = self.store.key_id
        while True:
            if key != self.store.key_id:
                key, staged = self.store.key_id, {}
            with self.store.reader() as reader:
                change = ruling.compare(reader, policy, self.channel)
            if change.before != policy.revision:
                staged |= self._stage(policy, known=staged)
            with self._turn() as turn:
                if key == self.store.key_id and ruling.apply(
                    turn, change, by=by, count=self._counter(policy, staged)
                ):
                    self._policy = policy
                    return change.words

    def _counter(self, policy: PolicySet, staged: Mapping[str, int]) -> Callable[[Turn], None]:
        return lambda turn: backfill.adopt(turn, policy, staged, self._seal)

    def _seal(self, use: Use) -> Use:
        return ledger.sealed(use, self.store.key)

    def _stage(self, policy: PolicySet, *, known: Mapping[str, int]) -> dict[str, int]:
        """Fill new budgets from the ledger in small transactions; return their row ids."""
        with self.store.reader() as reader:
            new = [each for each in backfill.missing(reader, policy) if each not in known]
            runs = backfill.page(reader, 0) if new else []
        if not runs:
            return {}
        with self._turn() as turn:
            staged = backfill.stage(turn, new)
        while runs:
            found = backfill.charges(runs, policy, new, self._seal)
            with self._turn() as turn:
                backfill.put(turn, staged, found)
            with self.store.reader() as reader:
                runs = backfill.page(reader, runs[-1]["n"])
        return staged

    def _judged(
        self,
        prepare: Callable[[PolicySet], P],
        verb: Callable[[Turn, P], T],
        *,
        durable: Callable[[P], bool] = lambda _: True,
        shared: bool = False,
    ) -> T:
        """Run a verb under the policy that is in force inside its own transaction.

        Args:
            prepare: What is worked out under a policy, and with the store's key, before the transaction; done
                again if either was replaced.
            verb: What is done inside the transaction with what was prepared.
            durable: Whether a crash of the machine may not lose it.
            shared: Whether it may be committed together with what other threads do.
        """
        policy = self._follow(self._policy.revision if self._policy else None)
        while True:
            key = self.store.key_id
            prepared = prepare(policy)
            try:
                with self._turn(durable=durable(prepared), shared=shared) as turn:
                    revision = turn.revision
                    if (revision, self.store.key_id) == (policy.revision, key):
                        return verb(turn, prepared)
            except MustLast:
                continue
            except Stale as stale:
                self._learn_facts(stale.session, stale.facts)
            else:
                policy = self._follow(revision)

    def _judged_or_fault(self, prepare: Callable[[PolicySet], P], verb: Callable[[Turn, P], T | Fault]) -> T:
        """Run a verb as ``_judged`` does, and raise the fault that it returns, which is recorded by then."""
        done = self._judged(prepare, verb)
        if isinstance(done, Fault):
            raise done
        return done

    def _learn_facts(self, session: str, facts: str) -> None:
        """Keep a session's facts at hand; others are dropped before they grow without bound."""
        if len(self._facts) >= _FACTS_KEPT:
            self._facts.clear()
        self._facts[session] = (facts, read_facts(facts))

    def _facts_of(self, session: str) -> tuple[str, Mapping[str, Any]]:
        """Return a session's facts as text and as values, as far as this process knows them."""
        return self._facts.get(session, ("{}", {}))

    def _follow(self, revision: str | None) -> PolicySet:
        """Return the policy of a revision, from the store where it is not the one at hand."""
        if self._policy is None or self._policy.revision != revision:
            self._policy = self._load(revision)
            afterwards(self._tell_other_place)
        return self._policy

    def _tell_other_place(self) -> None:
        """Say loudly that what holds now was applied from elsewhere than what this process started with."""
        now = self._policy.revision if self._policy else ""
        with self.store.reader() as reader:
            place = ruling.place(reader, now)
        if self._place and place and place != self._place:
            log.warning(
                "The policy in force in %s is the one of %s now (revision %s), no longer that of %s, with "
                "which this process started: one store has one policy. If that is another project's, name "
                "another store, with db= or GATE_DB.",
                self.path or "this store",
                place,
                now[:12],
                self._place,
            )

    def _load(self, revision: str | None) -> PolicySet:
        with self.store.reader() as reader:
            wanted = revision or ruling.current(reader)
            texts = ruling.texts(reader, wanted) if wanted else None
        if texts is None:
            where = str(self.path or "the store")
            raise PolicyError([Problem(where, 0, 0, "", _NONE_YET)])
        policy = load_texts(texts)
        if policy.revision != wanted:
            where = str(self.path or "the store")
            said = (
                f"the texts of revision {str(wanted)[:12]} were changed in the store; apply the policy again"
            )
            raise PolicyError([Problem(where, 0, 0, "", said)])
        return policy
