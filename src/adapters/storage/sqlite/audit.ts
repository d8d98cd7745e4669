import type { Database } from "bun:sqlite";
import {
  beginningOfChain,
  checkChain,
  nextLink,
  oldestBefore,
  standingInChain,
  type ChainLink,
} from "../../../platform/auth/audit/chain.ts";
import type { AuditAction, AuditEntry, AuditFilter, AuditWay, ChainPlace } from "../../../platform/auth/audit/model.ts";
import type { AuditStore } from "../../../platform/auth/audit/store.ts";
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
      const link = nextLink(latest.get() ?? beginningOfChain, entry);
      insert.run(...valuesOf(link), link.hash);
      moveEnd.run(link.seq, link.hash);
    },
  };
}

/** The end of the chain in a database that is not being written to. */
export function auditEnd(database: Database): ChainPlace {
  return database.query<ChainPlace, []>(selectEnd).get() ?? beginningOfChain;
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

  function forgetBefore(before: number, limit: number): number {
    const old = oldestBefore(oldest.all(limit), before);
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
    check: async (after, limit) => {
      const from = after ?? startOfChain.get() ?? beginningOfChain;
      return checkChain(from, slice.all(from.seq, limit).map(linkOf), { limit, end: endOfChain.get() });
    },
    standingOf: async (place) => standingInChain(place, startOfChain.get(), hashAt.get(place.seq)?.hash ?? null),
    forgetBefore: (at, limit) => writer.write(() => forgetBefore(at, limit)),
  };
}

const selectEnd = "SELECT seq, hash FROM audit_end";
/** All columns except the hash, in order. */
function valuesOf({ seq, entry }: ChainLink) {
  const { at, action, workspaceId, via, actorId, keyId, keyName, address, userAgent, requestId, targetType, targetId } =
    entry;
  const who = [workspaceId, via, actorId, keyId, keyName, address, userAgent, requestId] as const;
  return [seq, at, action, ...who, targetType, targetId, JSON.stringify(entry.details)] as const;
}

function linkOf(row: Row): ChainLink {
  return { seq: row.seq, entry: entryOf(row), hash: row.hash };
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
