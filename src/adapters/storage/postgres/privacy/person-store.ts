import { and, eq, inArray, isNotNull, lt } from "drizzle-orm";
import { importingJobTypes } from "../../../../features/privacy/decisions.ts";
import type { PersonStore } from "../../../../features/privacy/store.ts";
import { isHeld } from "../../../../platform/jobs/transitions.ts";
import { appendAudit } from "../audit.ts";
import type { DirectoryIndex } from "../directory/directory-index.ts";
import type { Connection, Engine } from "../engine.ts";
import { endHeldJob, lockJob } from "../jobs.ts";
import { addEntries } from "../suppressions.ts";
import { jobs } from "../tables.ts";
import { createErase } from "./person-erasure.ts";
import { createIdentify } from "./person-identity.ts";
import { createPersonSearch } from "./person-search.ts";

export function createPersonStore(engine: Engine, index: DirectoryIndex): PersonStore {
  const { orm, transact } = engine;

  const setPayload = async (connection: Connection, id: string, payload: Record<string, unknown>) =>
    void (await connection.update(jobs).set({ payload }).where(eq(jobs.id, id)));

  return {
    identify: createIdentify(engine, index),
    records: createPersonSearch(engine),
    erase: createErase(engine, index),
    suppress: (entries) => transact(async (connection) => void (await addEntries(connection, entries))),
    async hasRunningImports({ workspaceId }, at) {
      const isRunning = and(
        eq(jobs.status, "running"),
        isNotNull(jobs.leaseUntil),
        inArray(jobs.type, [...importingJobTypes]),
        lt(jobs.createdAt, at),
        workspaceId === null ? undefined : eq(jobs.workspaceId, workspaceId),
      );
      return (await orm.select({ id: jobs.id }).from(jobs).where(isRunning).limit(1)).length > 0;
    },
    forget: (claim, payload) =>
      transact(async (connection) => {
        const job = await lockJob(connection, claim.id);
        if (job === null || !isHeld(job, claim)) return false;
        await setPayload(connection, claim.id, payload);
        return true;
      }),
    finish: (claim, end, audit) =>
      transact(async (connection) => {
        if (!(await endHeldJob(connection, claim, end))) return false;
        await setPayload(connection, claim.id, {});
        await appendAudit(connection, [audit]);
        return true;
      }),
    // Old versions of rows are in the hands of the database server: autovacuum frees them, and later writes reuse the space.
    scrub: async () => true,
  };
}
