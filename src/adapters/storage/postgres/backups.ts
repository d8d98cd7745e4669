import { eq, sql } from "drizzle-orm";
import { beginRun, endRun, noRuns, type StoredRuns } from "../../../features/backup/shared-runs.ts";
import type { BackupStore } from "../../../features/backup/store.ts";
import { isGone } from "../../../platform/cluster/model.ts";
import { serverState } from "./access-tables.ts";
import { appendAudit } from "./audit.ts";
import { nodes } from "./cluster-tables.ts";
import type { Connection, Engine } from "./engine.ts";
import { appendEvents } from "./event-rows.ts";

/** One row says what runs, which node runs it, and how the last run ended. Whoever begins or ends a run locks it. */
export function createBackupStore({ orm, transact }: Engine): BackupStore {
  return {
    begin: (run) =>
      transact(async (connection) => {
        const decision = beginRun(await lockRuns(connection), run);
        if (decision.refusal === null) await write(connection, decision.runs);
        return decision.refusal;
      }),
    end: (end) =>
      transact(async (connection) => {
        const runs = endRun(await lockRuns(connection), end.run, end.isInterrupted === true);
        if (runs === null) return;
        await write(connection, runs);
        await appendEvents(connection, [end.event]);
        await appendAudit(connection, [end.audit]);
      }),
    async interrupted(now) {
      const { running, node } = await readRuns(orm);
      if (running === null || node === null) return [];
      const [row] = await orm.select({ seenAt: nodes.seenAt }).from(nodes).where(eq(nodes.id, node));
      return row === undefined || isGone(row.seenAt, now) ? [running.name] : [];
    },
    shared: {
      async report(name, progress) {
        await orm.execute(sql`
          UPDATE ${serverState} SET value = jsonb_set(value, '{running,progress}', ${`${progress}`}::jsonb)
          WHERE name = ${stateName} AND value #>> '{running,name}' = ${name}`);
      },
      async read() {
        const { running, last, newestAt } = await readRuns(orm);
        return { running, last, newestAt };
      },
    },
  };
}

const stateName = "backups";

/** What is stored about backups. */
export async function readRuns(connection: Connection): Promise<StoredRuns> {
  const [row] = await connection.select().from(serverState).where(eq(serverState.name, stateName));
  return (row?.value as StoredRuns | undefined) ?? noRuns;
}

async function lockRuns(connection: Connection): Promise<StoredRuns> {
  await connection.insert(serverState).values({ name: stateName, value: noRuns }).onConflictDoNothing();
  const [row] = await connection.select().from(serverState).where(eq(serverState.name, stateName)).for("update");
  return row!.value as StoredRuns;
}

async function write(connection: Connection, value: StoredRuns): Promise<void> {
  await connection.update(serverState).set({ value }).where(eq(serverState.name, stateName));
}
