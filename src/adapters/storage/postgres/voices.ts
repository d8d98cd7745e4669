import { and, asc, count, desc, eq, getTableColumns, inArray, isNull, lt, lte, sql, type SQL } from "drizzle-orm";
import {
  cloneStatusOf,
  countedClones,
  decideCreate,
  decideRemoval,
  jobStatusesOf,
  storedBytes,
} from "../../../features/voice/decisions.ts";
import type { VoiceCloneState } from "../../../features/voice/model.ts";
import type { ClonePage, VoiceStore } from "../../../features/voice/store.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { JobStatus } from "../../../platform/jobs/model.ts";
import type { Engine } from "./engine.ts";
import { olderThan } from "./list-pages.ts";
import { jobs } from "./tables.ts";
import { changeClones, owned, readUsage } from "./voice-rows.ts";
import { createVoiceSamples } from "./voice-samples.ts";
import { voiceArtefacts, voiceClones, voiceRemovals, voiceSamples } from "./voice-tables.ts";
import { createVoiceTraining } from "./voice-training.ts";

export function createVoiceStore(engine: Engine): VoiceStore {
  const { orm, transact } = engine;

  const states = () =>
    orm
      .select({
        ...getTableColumns(voiceClones),
        sampleCount: sql<number>`(SELECT count(*) FROM ${voiceSamples} WHERE ${voiceSamples.cloneId} = ${voiceClones.id})`,
        jobStatus: jobs.status,
        progress: jobs.progress,
        message: jobs.message,
      })
      .from(voiceClones)
      .innerJoin(jobs, eq(jobs.id, voiceClones.jobId));

  async function get(workspaceId: WorkspaceId, id: string): Promise<VoiceCloneState | null> {
    const [row] = await states().where(owned(workspaceId, id));
    return row === undefined ? null : stateOf(row);
  }

  async function page({ workspaceId, status, limit, offset, after = null }: ClonePage) {
    const own = eq(voiceClones.workspaceId, workspaceId);
    const wanted = and(own, status === null ? undefined : inArray(jobs.status, jobStatusesOf[status]));
    const clones = await states()
      .where(and(wanted, olderThan(voiceClones, after)))
      .orderBy(desc(voiceClones.createdAt), desc(voiceClones.id))
      .limit(limit)
      .offset(offset);
    return { clones: clones.map(stateOf), total: await numberOf(own), matching: await numberOf(wanted) };
  }

  async function numberOf(which: SQL | undefined): Promise<number> {
    const [row] = await orm
      .select({ n: count() })
      .from(voiceClones)
      .innerJoin(jobs, eq(jobs.id, voiceClones.jobId))
      .where(which);
    return row?.n ?? 0;
  }

  return {
    ...createVoiceSamples(engine),
    ...createVoiceTraining(engine),
    create: (request) =>
      transact((connection) =>
        changeClones(connection, request.clone.workspaceId, (facts) => decideCreate(request, facts)),
      ),
    // Each change was committed before its promise resolved.
    durable: async () => {},
    countClones: async (workspaceId) => countedClones(await readUsage(orm, workspaceId)),
    failedBefore: (before, limit) =>
      orm
        .select({ workspaceId: voiceClones.workspaceId, id: voiceClones.id })
        .from(voiceClones)
        .innerJoin(jobs, eq(jobs.id, voiceClones.jobId))
        .where(and(isUncounted, lt(jobs.completedAt, before)))
        .limit(limit),
    storedBytes: async (workspaceId) => storedBytes(await readUsage(orm, workspaceId)),
    page,
    get,
    async update(workspaceId, id, change, at) {
      await orm
        .update(voiceClones)
        .set({ ...change, updatedAt: at })
        .where(owned(workspaceId, id));
      return get(workspaceId, id);
    },
    remove: (workspaceId, id, at, audit) =>
      transact((connection) =>
        changeClones(connection, workspaceId, (facts) => decideRemoval(workspaceId, id, { at, audit }, facts)),
      ),
    async artefact(cloneId) {
      const { engine: name, artefact } = voiceArtefacts;
      const [found] = await orm
        .select({ engine: name, artefact })
        .from(voiceArtefacts)
        .where(eq(voiceArtefacts.cloneId, cloneId));
      return found ?? null;
    },
    removals: (limit, now) =>
      orm
        .select()
        .from(voiceRemovals)
        .where(lte(voiceRemovals.retryAt, now))
        .orderBy(asc(voiceRemovals.id))
        .limit(limit),
    removalDone: async (id) => void (await orm.delete(voiceRemovals).where(eq(voiceRemovals.id, id))),
    removalFailed: async (id, retryAt) =>
      void (await orm
        .update(voiceRemovals)
        .set({ failures: sql`${voiceRemovals.failures} + 1`, retryAt })
        .where(eq(voiceRemovals.id, id))),
  };
}

/** As `countedClones` has it: failed before it was ever trained. */
const isUncounted = and(eq(jobs.status, "failed"), isNull(voiceClones.trainedAt));

type StateRow = Omit<VoiceCloneState, "status"> & { jobStatus: JobStatus };

function stateOf({ jobStatus, ...clone }: StateRow): VoiceCloneState {
  return { ...clone, status: cloneStatusOf(jobStatus) };
}
