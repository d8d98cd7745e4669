import type { Database } from "bun:sqlite";
import type { AuditAction, AuditEntry, AuditFilter, AuditWay, ChainPlace } from "../../../platform/auth/audit/model.ts";
import type { AuditStore, ChainCheck, Standing } from "../../../platform/auth/audit/store.ts";
import type { Engine } from "./engine.ts";
import { countRows } from "./list-pages.ts";
import { prepared } from "./prepared.ts";

type Text = string | null;
type Row = {
  seq: number;
  at: number;
  action: AuditAction;
  workspace_id: Text;
  via: AuditWay;
  actor_id: Text;
  key_id: Text;
  key_name: Text;
  address: Text;
  user_agent: Text;
  request_id: Text;
  target_type: Text;
  target_id: Text;
  details: string;
  hash: Uint8Array;
};

export type AuditRows = { append(entry: AuditEntry | undefined): void };

/** Called inside a write unit: appends an entry, if there is one, to the chain. */
export function createAuditRows({ database }: Engine): AuditRows {
  // From the table each time, because a write unit may be rolled back.
  const latest = prepared<ChainPlace, []>(
    database,
    `${selectEnd} UNION ALL SELECT * FROM (SELECT seq, hash FROM audit_log ORDER BY seq DESC LIMIT 1)
     ORDER BY seq DESC LIMIT 1`,
  );
  const moveEnd = prepared(database, "UPDATE audit_end SET seq = ?, hash = ?");
  const insert = prepared(
    database,
    `INSERT INTO audit_log (seq, at, action, workspace_id, via, actor_id, key_id, key_name, address, user_agent, request_id,
       target_type, target_id, details, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return {
    append(entry) {
      if (entry === undefined) return;
      // After tampering, this may not be the last row: missing entries must stay missing instead of being replaced.
      const before = latest.get() ?? beginning;
      const seq = before.seq + 1;
      const values = valuesOf(seq, entry);
      const hash = hashOf(before.hash, values);
      insert.run(...values, hash);
      moveEnd.run(seq, hash);
    },
  };
}

/** The end of the chain in a database that is not being written to. */
export function auditEnd(database: Database): ChainPlace {
  return database.query<ChainPlace, []>(selectEnd).get() ?? beginning;
}

export function createAuditStore(engine: Engine): AuditStore {
  const { database, writer, reader } = engine;
  const rows = createAuditRows(engine);
  const slice = prepared<Row, [number, number]>(
    database,
    "SELECT * FROM audit_log WHERE seq > ? ORDER BY seq LIMIT +?",
  );
  const startOfChain = prepared<ChainPlace, []>(database, "SELECT seq, hash FROM audit_start");
  const endOfChain = prepared<ChainPlace, []>(database, selectEnd);
  const hashAt = prepared<{ hash: Uint8Array }, [number]>(database, "SELECT hash FROM audit_log WHERE seq = ?");
  const oldest = prepared<{ seq: number; at: number; hash: Uint8Array }, [number]>(
    database,
    "SELECT seq, at, hash FROM audit_log ORDER BY seq LIMIT +?",
  );
  const setStart = prepared(database, "INSERT OR REPLACE INTO audit_start (only_one, seq, hash) VALUES (1, ?, ?)");
  const forget = prepared(database, "DELETE FROM audit_log WHERE seq <= ?");

  function check(after: ChainPlace | null, limit: number): ChainCheck {
    let last = after ?? startOfChain.get() ?? beginning;
    const found = slice.all(last.seq, limit);
    for (const [checked, row] of found.entries()) {
      const hash = hashOf(last.hash, valuesOf(row.seq, entryOf(row)));
      if (row.seq !== last.seq + 1 || !Buffer.from(hash).equals(row.hash))
        return { checked, last: placeOrNull(last), brokenAt: row.seq, more: false };
      last = { seq: row.seq, hash };
    }
    const more = found.length === limit;
    const isCutOff = !more && !isSame(last, endOfChain.get());
    return { checked: found.length, last: placeOrNull(last), brokenAt: isCutOff ? last.seq + 1 : null, more };
  }

  function standingOf({ seq, hash }: ChainPlace): Standing {
    const start = startOfChain.get() ?? beginning;
    if (seq < start.seq) return "expired";
    const found = seq === start.seq ? start : hashAt.get(seq);
    if (found === null) return "missing";
    return Buffer.from(found.hash).equals(hash) ? "same" : "changed";
  }

  function forgetBefore(before: number, limit: number): number {
    const found = oldest.all(limit);
    // The clock may have been set back in between: an entry after a newer one waits for it.
    const firstKept = found.findIndex(({ at }) => at >= before);
    const old = firstKept === -1 ? found : found.slice(0, firstKept);
    const last = old.at(-1);
    if (last === undefined) return 0;
    setStart.run(last.seq, last.hash);
    forget.run(last.seq);
    return old.length;
  }

  return {
    append: (entry) => writer.write(() => rows.append(entry)),
    page: async ({ filter, before, limit }) => {
      const { where, params } = conditions(filter, before);
      // In the reader thread: finding a rare action means reading every entry.
      const found = await reader.all<Row>({
        sql: `SELECT * FROM audit_log WHERE ${where} ORDER BY seq DESC LIMIT +?`,
        params: [...params, limit],
      });
      return found.map((row) => ({ seq: row.seq, ...entryOf(row) }));
    },
    count: async (filter) => {
      const { where, params } = conditions(filter, null);
      return countRows({ reader }, { sql: `SELECT 1 FROM audit_log WHERE ${where}`, params });
    },
    check: async (after, limit) => check(after, limit),
    standingOf: async (place) => standingOf(place),
    forgetBefore: (at, limit) => writer.write(() => forgetBefore(at, limit)),
  };
}

const selectEnd = "SELECT seq, hash FROM audit_end";
const beginning: ChainPlace = { seq: 0, hash: new Uint8Array(32) };

function isSame(one: ChainPlace, other: ChainPlace | null): boolean {
  return one.seq === other?.seq && Buffer.from(one.hash).equals(other.hash);
}

function placeOrNull(place: ChainPlace): ChainPlace | null {
  return place.seq === 0 ? null : place;
}

/** All columns except the hash, in order: the input of the hash. */
function valuesOf(seq: number, entry: AuditEntry) {
  const { at, action, workspaceId, via, actorId, keyId, keyName, address, userAgent, requestId, targetType, targetId } =
    entry;
  const who = [workspaceId, via, actorId, keyId, keyName, address, userAgent, requestId] as const;
  return [seq, at, action, ...who, targetType, targetId, JSON.stringify(entry.details)] as const;
}

function hashOf(before: Uint8Array, values: ReturnType<typeof valuesOf>): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(before).update(JSON.stringify(values)).digest();
}

function entryOf(row: Row): AuditEntry {
  return {
    at: row.at,
    action: row.action,
    workspaceId: row.workspace_id,
    via: row.via,
    actorId: row.actor_id,
    keyId: row.key_id,
    keyName: row.key_name,
    address: row.address,
    userAgent: row.user_agent,
    requestId: row.request_id,
    targetType: row.target_type,
    targetId: row.target_id,
    details: JSON.parse(row.details) as AuditEntry["details"],
  };
}

function conditions({ workspaceId, actions, keyId, targetId, from, to }: AuditFilter, before: number | null) {
  const parts: [sql: string, params: (string | number)[]][] = [];
  if (workspaceId !== undefined) parts.push(["workspace_id = ?", [workspaceId]]);
  if (actions !== undefined) parts.push([`action IN (${actions.map(() => "?").join(", ")})`, [...actions]]);
  if (keyId !== undefined) parts.push(["key_id = ?", [keyId]]);
  if (targetId !== undefined) parts.push(["target_id = ?", [targetId]]);
  if (from !== undefined) parts.push(["at >= ?", [from]]);
  if (to !== undefined) parts.push(["at <= ?", [to]]);
  if (before !== null) parts.push(["seq < ?", [before]]);
  return { where: parts.map(([sql]) => sql).join(" AND ") || "1", params: parts.flatMap(([, params]) => params) };
}
