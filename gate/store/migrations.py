"""The tables, and how a store of an older schema becomes one of the newest."""

from __future__ import annotations

from collections.abc import Callable

from gate.errors import StoreError
from gate.ids import new_id
from gate.store.port import Reader, Tx

V1 = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

CREATE TABLE revisions (revision TEXT PRIMARY KEY, texts TEXT NOT NULL) STRICT;
CREATE TABLE policy (
    n INTEGER PRIMARY KEY, revision TEXT NOT NULL REFERENCES revisions, at INTEGER NOT NULL,
    by TEXT NOT NULL, changes TEXT NOT NULL, place TEXT NOT NULL) STRICT;

CREATE TABLE sessions (
    id TEXT PRIMARY KEY, agent TEXT NOT NULL, on_behalf_of TEXT NOT NULL, opened_at INTEGER NOT NULL,
    ended_at INTEGER, facts TEXT NOT NULL DEFAULT '{}') STRICT;
CREATE TABLE evidence (
    n INTEGER PRIMARY KEY, session TEXT NOT NULL REFERENCES sessions, text TEXT NOT NULL,
    weight TEXT NOT NULL,
    url TEXT NOT NULL, UNIQUE (session, text, weight, url)) STRICT;

CREATE TABLE processes (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, identity TEXT NOT NULL, opened_at INTEGER NOT NULL,
    beat_at INTEGER NOT NULL, steady_since INTEGER NOT NULL, closed_at INTEGER) STRICT;
CREATE INDEX processes_open ON processes (beat_at) WHERE closed_at IS NULL;

CREATE TABLE actions (
    id TEXT PRIMARY KEY, parent TEXT, agent TEXT NOT NULL, session TEXT NOT NULL REFERENCES sessions,
    on_behalf_of TEXT NOT NULL, name TEXT NOT NULL, call_id TEXT, digest TEXT NOT NULL, state TEXT NOT NULL,
    code TEXT NOT NULL DEFAULT '', reason TEXT NOT NULL DEFAULT '', rules TEXT NOT NULL,
    described TEXT NOT NULL,
    declared_read INTEGER NOT NULL, process INTEGER REFERENCES processes, submitted_at INTEGER NOT NULL,
    ended_at INTEGER, result TEXT, kept INTEGER NOT NULL DEFAULT 0, error TEXT NOT NULL DEFAULT '',
    late INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE UNIQUE INDEX actions_by_call_id ON actions (session, agent, on_behalf_of,
    call_id) WHERE call_id IS NOT NULL;
CREATE INDEX actions_by_digest ON actions (session, digest, submitted_at);
CREATE INDEX actions_by_session ON actions (session, submitted_at);
CREATE INDEX actions_pending ON actions (agent, session) WHERE state = 'pending';
CREATE INDEX actions_pending_by_name ON actions (name, submitted_at) WHERE state = 'pending';
CREATE INDEX actions_open ON actions (session, digest, submitted_at) WHERE state IN ('pending', 'approved');
CREATE INDEX actions_denied ON actions (agent, ended_at) WHERE state = 'denied';
CREATE INDEX actions_running ON actions (process) WHERE state = 'running';

CREATE TABLE holds (
    action TEXT PRIMARY KEY REFERENCES actions, asked_in TEXT NOT NULL, asked_at INTEGER NOT NULL,
    version INTEGER NOT NULL, expires_at INTEGER NOT NULL,
    deliver_by INTEGER NOT NULL, accepted_at INTEGER, use_by INTEGER, ask_again_us INTEGER NOT NULL,
    evidence_mark INTEGER NOT NULL, evidence TEXT NOT NULL, identical TEXT NOT NULL, note TEXT, target TEXT,
    not_shown TEXT NOT NULL, asker TEXT NOT NULL DEFAULT '', deadline INTEGER,
    recorded TEXT NOT NULL DEFAULT '') STRICT;
CREATE INDEX holds_by_session ON holds (asked_in, asked_at);
CREATE INDEX holds_by_deadline ON holds (deadline) WHERE deadline IS NOT NULL;
CREATE TABLE versions (
    action TEXT NOT NULL REFERENCES actions, version INTEGER NOT NULL, nonce TEXT NOT NULL UNIQUE,
    digest TEXT NOT NULL, revision TEXT NOT NULL, arguments TEXT NOT NULL, hidden TEXT NOT NULL,
    decisive TEXT NOT NULL, effect TEXT NOT NULL, rulings TEXT NOT NULL, requirements TEXT NOT NULL,
    view_required INTEGER NOT NULL, made_at INTEGER NOT NULL, patch TEXT NOT NULL DEFAULT '{}',
    changes TEXT NOT NULL DEFAULT '[]', editor TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (action, version)) STRICT;
CREATE TABLE decisions (
    action TEXT NOT NULL REFERENCES actions, version INTEGER NOT NULL, team TEXT NOT NULL, user TEXT NOT NULL,
    name TEXT NOT NULL, said TEXT NOT NULL CHECK (said IN ('approve', 'deny')), comment TEXT NOT NULL,
    counts TEXT NOT NULL, route TEXT NOT NULL, at INTEGER NOT NULL, headroom INTEGER NOT NULL DEFAULT 0,
    UNIQUE (action, version, team,
    user)) STRICT;
CREATE INDEX decisions_by_person ON decisions (team, user, at);
CREATE TABLE views_opened (
    action TEXT NOT NULL REFERENCES actions, version INTEGER NOT NULL, team TEXT NOT NULL, user TEXT NOT NULL,
    at INTEGER NOT NULL, PRIMARY KEY (action, version, team, user)) STRICT;
CREATE TABLE accounts (id TEXT PRIMARY KEY, ids TEXT NOT NULL) STRICT;
CREATE TABLE doubts (
    action TEXT PRIMARY KEY REFERENCES actions, nonce TEXT NOT NULL, effect TEXT NOT NULL,
    requirements TEXT NOT NULL) STRICT;
CREATE TABLE annotations (
    action TEXT PRIMARY KEY REFERENCES actions, ran INTEGER NOT NULL, comment TEXT NOT NULL,
    team TEXT NOT NULL, user TEXT NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
CREATE TABLE waiters (
    n INTEGER PRIMARY KEY, action TEXT NOT NULL REFERENCES actions,
    process INTEGER NOT NULL REFERENCES processes, calls INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE INDEX waiters_by_action ON waiters (action);

CREATE TABLE notices (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, action TEXT REFERENCES actions, session TEXT NOT NULL,
    version INTEGER NOT NULL, channel TEXT NOT NULL, text TEXT NOT NULL, made_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, leased_until INTEGER NOT NULL DEFAULT 0,
    done_at INTEGER, error TEXT NOT NULL DEFAULT '', anchor TEXT NOT NULL DEFAULT '') STRICT;
CREATE INDEX notices_open ON notices (due_at) WHERE done_at IS NULL;
CREATE INDEX notices_by_action ON notices (action);
CREATE TABLE cards (
    channel TEXT NOT NULL, ts TEXT NOT NULL, action TEXT NOT NULL REFERENCES actions,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL, PRIMARY KEY (channel, ts)) STRICT;
CREATE INDEX cards_by_action ON cards (action);

CREATE TABLE bursts (
    id TEXT PRIMARY KEY, session TEXT NOT NULL REFERENCES sessions, channel TEXT NOT NULL,
    opened_at INTEGER NOT NULL, since INTEGER NOT NULL, most INTEGER NOT NULL, window_us INTEGER NOT NULL,
    ts TEXT NOT NULL DEFAULT '', closed_at INTEGER) STRICT;
CREATE UNIQUE INDEX bursts_open ON bursts (session, channel) WHERE closed_at IS NULL;

CREATE TABLE ledger (
    n INTEGER PRIMARY KEY, action TEXT NOT NULL REFERENCES actions, at INTEGER NOT NULL,
    arguments TEXT NOT NULL, hidden TEXT NOT NULL, facts TEXT NOT NULL, told TEXT NOT NULL) STRICT;
CREATE TABLE budgets (
    id INTEGER PRIMARY KEY, digest TEXT NOT NULL, upto INTEGER NOT NULL, active INTEGER NOT NULL,
    made_at INTEGER NOT NULL) STRICT;
CREATE UNIQUE INDEX budgets_active ON budgets (digest) WHERE active = 1;
CREATE TABLE series (
    id INTEGER PRIMARY KEY, budget INTEGER NOT NULL REFERENCES budgets, bucket TEXT NOT NULL,
    unit TEXT NOT NULL, UNIQUE (budget, bucket, unit)) STRICT;
CREATE TABLE charges (
    series INTEGER NOT NULL REFERENCES series, at INTEGER NOT NULL, n INTEGER NOT NULL, amount TEXT NOT NULL,
    total TEXT NOT NULL, PRIMARY KEY (series, at, n)) STRICT, WITHOUT ROWID;
CREATE TABLE waiting_uses (
    action TEXT NOT NULL REFERENCES actions, digest TEXT NOT NULL, bucket TEXT NOT NULL, unit TEXT NOT NULL,
    amount TEXT NOT NULL, PRIMARY KEY (action, digest, bucket, unit)) STRICT, WITHOUT ROWID;
CREATE INDEX waiting_uses_by_bucket ON waiting_uses (digest, bucket);
CREATE TABLE headroom (
    n INTEGER PRIMARY KEY, action TEXT NOT NULL REFERENCES actions, rule TEXT NOT NULL, terms TEXT NOT NULL,
    bucket TEXT NOT NULL, given INTEGER NOT NULL, remaining INTEGER NOT NULL, until INTEGER NOT NULL,
    UNIQUE (action, terms, bucket)) STRICT;
CREATE INDEX headroom_by_bucket ON headroom (terms, bucket) WHERE remaining > 0;

CREATE TABLE freezes (
    scope TEXT NOT NULL, id TEXT NOT NULL, by TEXT NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (scope, id)) STRICT;
CREATE TABLE tools (name TEXT PRIMARY KEY, body TEXT NOT NULL, seen_at INTEGER NOT NULL) STRICT;

CREATE TABLE audit (seq INTEGER PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL) STRICT;
CREATE INDEX audit_by_action ON audit (
    CASE substr(body, 1, 11) WHEN '{"action":"' THEN
        substr(body, 12, instr(substr(body, 12, 64), '"') - 1)
        ELSE json_extract(body, '$.action') END);
CREATE VIEW records AS SELECT seq, body, hash,
    json_extract(body, '$.kind') AS kind,
    json_extract(body, '$.at') AS at,
    CASE substr(body, 1, 11) WHEN '{"action":"' THEN
        substr(body, 12, instr(substr(body, 12, 64), '"') - 1)
        ELSE json_extract(body, '$.action') END AS action
    FROM audit;
CREATE TABLE audit_head (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL,
    hash TEXT NOT NULL, mark INTEGER NOT NULL, base_seq INTEGER NOT NULL, base_hash TEXT NOT NULL,
    schema INTEGER NOT NULL) STRICT;
INSERT INTO audit_head VALUES (1, 0, '', 0, 0, '', 0);
"""
# The action of a record most often stands first in its body; JSON is not read for that, as it may be 1 MB.
# What else a record tells is read from its body by whoever asks, in a view: a column that is worked out is so
# whenever a row is written.


def _create(tx: Tx) -> None:
    for statement in V1.split(";\n"):
        if statement.strip():
            tx.run(statement)
    tx.insert("meta", key="store_id", value=new_id())


STEPS: tuple[Callable[[Tx], None], ...] = (_create,)
"""Step N brings schema N to schema N + 1; a new store takes them all."""

NEWEST = len(STEPS)


def schema_of(reader: Reader) -> int:
    """Return the schema number of a store; 0 for an empty file."""
    row = reader.one("PRAGMA user_version")
    return int(row["user_version"]) if row else 0


def _named(reader: Reader) -> str:
    """Return how a store is named in a message: with its file, if it has one."""
    row = reader.one("PRAGMA database_list")
    return f"The store {row['file']}" if row and row["file"] else "The store"


def refuse_newer(found: int, reader: Reader) -> None:
    """Refuse a store whose tables a newer version has changed since it was opened.

    Args:
        found: Its schema as the head of its log has it, which every turn reads.
        reader: Where to read what it is called.

    Raises:
        StoreError: One has (code ``newer_schema``).
    """
    if found > NEWEST:
        raise StoreError(
            f"{_named(reader)} has schema {found}, newer than this version's {NEWEST}. Nothing ran. "
            "Update slack-approval-gate and start again.",
            code="newer_schema",
        )


def migrate(tx: Tx) -> int:
    """Bring a store to the newest schema inside the caller's transaction.

    Args:
        tx: An open writing transaction.

    Returns:
        The schema number before.

    Raises:
        StoreError: The store was made by a newer version.
    """
    before = schema_of(tx)
    if before > NEWEST:
        raise StoreError(
            f"{_named(tx)} has schema {before}, newer than this version's {NEWEST}; nothing was touched. "
            "Update slack-approval-gate, or name another store with --db, GATE_DB or db=.",
            code="newer_schema",
        )
    for step in STEPS[before:]:
        step(tx)
    if before < NEWEST:
        # Twice: an empty file is asked for the one, every turn reads the other with what it reads anyway.
        tx.run(f"PRAGMA user_version = {NEWEST}")
        tx.run("UPDATE audit_head SET schema = ?", (NEWEST,))
    return before
