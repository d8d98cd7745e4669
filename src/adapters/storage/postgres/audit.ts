import { and, asc, desc, eq, gt, gte, inArray, lt, lte } from "drizzle-orm";
import {
  beginningOfChain,
  checkChain,
  nextLink,
  oldestBefore,
  standingInChain,
  type ChainLink,
} from "../../../platform/auth/audit/chain.ts";
import type { AuditEntry, AuditFilter, ChainPlace } from "../../../platform/auth/audit/model.ts";
import type { AuditStore } from "../../../platform/auth/audit/store.ts";
import type { Connection, Engine } from "./engine.ts";
import { countRows } from "./list-pages.ts";
import { auditEnd, auditLog, auditStart } from "./people-tables.ts";

/**
 * Appends entries in the transaction of what they record, as its last step: from here on, other transactions that append
 * wait for this one to end.
 */
export async function appendAudit(connection: Connection, entries: readonly (AuditEntry | undefined)[]): Promise<void> {
  const appended = entries.filter((entry) => entry !== undefined);
  if (appended.length === 0) return;
  const [stored] = await connection.select(place(auditEnd)).from(auditEnd).for("update");
  const [newest] = await connection.select(place(auditLog)).from(auditLog).orderBy(desc(auditLog.seq)).limit(1);
  // After tampering, the end may not be the last row: missing entries must stay missing instead of being replaced.
  let end = [stored, newest].reduce<ChainPlace>(
    (last, found) => (found !== undefined && found.seq > last.seq ? found : last),
    beginningOfChain,
  );
  const links: ChainLink[] = [];
  for (const entry of appended) {
    const link = nextLink(end, entry);
    links.push(link);
    end = link;
  }
  await connection.insert(auditLog).values(links.map(({ seq, entry, hash }) => ({ ...entry, seq, hash })));
  await connection.update(auditEnd).set({ seq: end.seq, hash: end.hash });
}

export function createAuditStore({ orm, transact }: Engine): AuditStore {
  async function startOfChain(connection: Connection): Promise<ChainPlace | null> {
    const [start] = await connection.select(place(auditStart)).from(auditStart);
    return start ?? null;
  }

  return {
    append: (entry) => transact((connection) => appendAudit(connection, [entry])),
    async page({ filter, before, limit }) {
      const rows = await orm
        .select()
        .from(auditLog)
        .where(and(fits(filter), before === null ? undefined : lt(auditLog.seq, before)))
        .orderBy(desc(auditLog.seq))
        .limit(limit);
      return rows.map((row) => ({ ...entryOf(row), seq: row.seq }));
    },
    count: (filter) => countRows(orm, orm.select({ seq: auditLog.seq }).from(auditLog).where(fits(filter)).$dynamic()),
    check: (after, limit) =>
      // With the row of the end locked, no entry is appended between the two reads.
      transact(async (connection) => {
        const [end = null] = await connection.select(place(auditEnd)).from(auditEnd).for("share");
        const from = after ?? (await startOfChain(connection)) ?? beginningOfChain;
        const rows = await connection
          .select()
          .from(auditLog)
          .where(gt(auditLog.seq, from.seq))
          .orderBy(asc(auditLog.seq))
          .limit(limit);
        return checkChain(
          from,
          rows.map((row) => ({ seq: row.seq, entry: entryOf(row), hash: row.hash })),
          { limit, end },
        );
      }),
    async standingOf(at) {
      const [found] = await orm.select({ hash: auditLog.hash }).from(auditLog).where(eq(auditLog.seq, at.seq));
      return standingInChain(at, await startOfChain(orm), found?.hash ?? null);
    },
    forgetBefore: (before, limit) =>
      transact(async (connection) => {
        const oldest = await connection
          .select({ ...place(auditLog), at: auditLog.at })
          .from(auditLog)
          .orderBy(asc(auditLog.seq))
          .limit(limit);
        const old = oldestBefore(oldest, before);
        const last = old.at(-1);
        if (last === undefined) return 0;
        const start = { seq: last.seq, hash: last.hash };
        await connection
          .insert(auditStart)
          .values({ onlyOne: 1, ...start })
          .onConflictDoUpdate({ target: auditStart.onlyOne, set: start });
        await connection.delete(auditLog).where(lte(auditLog.seq, last.seq));
        return old.length;
      }),
  };
}

function place<Table extends typeof auditLog | typeof auditStart | typeof auditEnd>({ seq, hash }: Table) {
  return { seq, hash };
}

function entryOf({ seq: _seq, hash: _hash, ...entry }: typeof auditLog.$inferSelect): AuditEntry {
  return entry;
}

function fits({ workspaceId, actions, keyId, targetId, from, to }: AuditFilter) {
  return and(
    workspaceId === undefined ? undefined : eq(auditLog.workspaceId, workspaceId),
    actions === undefined ? undefined : inArray(auditLog.action, [...actions]),
    keyId === undefined ? undefined : eq(auditLog.keyId, keyId),
    targetId === undefined ? undefined : eq(auditLog.targetId, targetId),
    from === undefined ? undefined : gte(auditLog.at, from),
    to === undefined ? undefined : lte(auditLog.at, to),
  );
}
