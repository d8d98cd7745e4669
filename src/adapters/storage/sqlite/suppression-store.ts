import { and, count, desc, eq, isNull, lt, or, sql, type SQL } from "drizzle-orm";
import { isSuppressed, targetOfReachable } from "../../../features/suppression/matching.ts";
import type { Suppression, SuppressionFilter, SuppressionTarget } from "../../../features/suppression/model.ts";
import type { SuppressionPageRequest, SuppressionStore } from "../../../features/suppression/store.ts";
import type { AuditEntry } from "../../../platform/auth/audit/model.ts";
import type { Engine } from "./engine.ts";
import type { CommonRows } from "./common-rows.ts";
import { suppressions } from "./suppression-tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

type Row = typeof suppressions.$inferSelect;
/** As the reader thread gives it: by the names of the columns, bytes as plain arrays. */
type ReadRow = Omit<Row, "key" | "createdAt"> & { key: Uint8Array; created_at: number };

/** A few milliseconds of the event loop. */
const phonesAtOnce = 2_000;

export function createSuppressionStore(
  engine: Engine,
  { owners, audits, leadParts, suppressions: rows }: CommonRows,
): SuppressionStore {
  const { orm, writer, reader } = engine;
  const { keys, phoneKeys } = leadParts;

  /** Entries that hold for this user. */
  function holdsFor(workspaceId: WorkspaceId, scope: SuppressionFilter["scope"]): SQL | undefined {
    const own = eq(suppressions.owner, owners(workspaceId) ?? -1);
    const teams = isNull(suppressions.owner);
    if (scope === "user") return own;
    return scope === "team" ? teams : or(own, teams);
  }

  function filtered(workspaceId: WorkspaceId, { scope, kind, key, text }: SuppressionFilter): SQL | undefined {
    return and(
      holdsFor(workspaceId, scope),
      kind && eq(suppressions.kind, kind),
      key && eq(suppressions.key, Buffer.from(key)),
      // Values are kept in lower case.
      text === undefined ? undefined : sql`instr(${suppressions.value}, ${text.toLowerCase()}) > 0`,
    );
  }

  function find(workspaceId: WorkspaceId, id: string): Row | undefined {
    return orm
      .select()
      .from(suppressions)
      .where(and(eq(suppressions.id, id), holdsFor(workspaceId, undefined)))
      .get();
  }

  async function page({ workspaceId, filter, after, limit }: SuppressionPageRequest) {
    const behind = after === null ? undefined : lt(suppressions.seq, after);
    const query = orm
      .select()
      .from(suppressions)
      .where(and(filtered(workspaceId, filter), behind))
      .orderBy(desc(suppressions.seq))
      .limit(limit + 1);
    // In the reader thread: texts are looked for in every entry.
    const found = await reader.all<ReadRow>(query.toSQL());
    const entries = found.slice(0, limit);
    return {
      entries: entries.map((row) => entryOf(workspaceId, { ...row, createdAt: row.created_at })),
      next: found.length > limit ? (entries.at(-1)?.seq ?? null) : null,
    };
  }

  async function countEntries(workspaceId: WorkspaceId, filter: SuppressionFilter): Promise<number> {
    const query = orm
      .select({ n: count().as("n") })
      .from(suppressions)
      .where(filtered(workspaceId, filter));
    const [row] = await reader.all<{ n: number }>(query.toSQL());
    return row?.n ?? 0;
  }

  async function remove(workspaceId: WorkspaceId, id: string, audit: AuditEntry | undefined): Promise<boolean> {
    const isRemoved = await writer.write(() => {
      const entry = find(workspaceId, id);
      if (entry === undefined) return false;
      rows.remove(entry);
      audits.append(audit);
      return true;
    });
    if (isRemoved) rows.reread();
    return isRemoved;
  }

  return {
    add: async (entries) => {
      // Most of them in slices, so that others get a turn; what comes meanwhile is made with the entry.
      while (!phoneKeys.isComplete && !(await writer.write(() => phoneKeys.makeMissing(phonesAtOnce))))
        await keys.room();
      return writer.write(() => entries.map((entry) => rows.add(entry)));
    },
    get: async (workspaceId, id) => {
      const row = find(workspaceId, id);
      return row === undefined ? null : entryOf(workspaceId, row);
    },
    page,
    count: countEntries,
    remove,
    forgetValue: (workspaceId, id, audit) =>
      writer.write(() => {
        const entry = find(workspaceId, id);
        if (entry === undefined) return null;
        rows.forgetValue(id);
        audits.append(audit);
        return entryOf(workspaceId, { ...entry, value: null, reason: null });
      }),
    durable: () => writer.write(() => {}),
    matches: (workspaceId, target) =>
      rows.knowing(
        () => [{ workspaceId, target }],
        async () => rows.findAll(workspaceId, target),
      ),
    among: async (workspaceId, people) => {
      if (!rows.hasAny(workspaceId)) return people.map(() => false);
      const entries = {
        suppression: (target: SuppressionTarget) => rows.find(workspaceId, target),
        addressSuppressions: (email: string) => rows.findExact(workspaceId, email),
      };
      return rows.knowing(
        () => people.map((person) => ({ workspaceId, target: targetOfReachable(person) })),
        async () => people.map((person) => isSuppressed(person, entries)),
      );
    },
  };
}

/** An entry that this user was shown: the user's own or the team's. */
function entryOf(workspaceId: WorkspaceId, row: Omit<Row, "key"> & { key: Uint8Array }): Suppression {
  const { id, owner, kind, key, value, reason, source, createdAt } = row;
  return {
    id,
    workspaceId: owner === null ? null : workspaceId,
    kind,
    key: new Uint8Array(key),
    value,
    reason,
    source,
    createdAt,
  };
}
