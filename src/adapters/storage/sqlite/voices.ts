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
import type { JobStatus } from "../../../platform/jobs/model.ts";
import type { Engine } from "./engine.ts";
import { olderThan } from "./list-pages.ts";
import type { CommonRows } from "./common-rows.ts";
import { jobs } from "./tables.ts";
import { createVoiceRows } from "./voice-rows.ts";
import { createVoiceSamples } from "./voice-samples.ts";
import { voiceArtefacts, voiceClones, voiceRemovals, voiceSamples } from "./voice-tables.ts";
import { createVoiceTraining } from "./voice-training.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

export function createVoiceStore(engine: Engine, common: CommonRows): VoiceStore {
  const { orm, writer } = engine;
  const rows = createVoiceRows(engine, common);
  const { facts, apply } = rows;

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

  function get(workspaceId: WorkspaceId, id: string): VoiceCloneState | null {
    const row = states().where(owned(workspaceId, id)).get();
    return row === undefined ? null : stateOf(row);
  }

  async function page({ workspaceId, status, limit, offset, after = null }: ClonePage) {
    const own = eq(voiceClones.workspaceId, workspaceId);
    const wanted = and(own, status === null ? undefined : inArray(jobs.status, jobStatusesOf[status]));
    const clones = states()
      .where(and(wanted, olderThan(voiceClones, after)))
      .orderBy(desc(voiceClones.createdAt), desc(voiceClones.id))
      .limit(limit)
      .offset(offset)
      .all();
    const numberOf = (which: SQL | undefined) =>
      orm.select({ n: count() }).from(voiceClones).innerJoin(jobs, eq(jobs.id, voiceClones.jobId)).where(which).get()
        ?.n ?? 0;
    return { clones: clones.map(stateOf), total: numberOf(own), matching: numberOf(wanted) };
  }

  return {
    ...createVoiceSamples(engine, rows),
    ...createVoiceTraining(engine, common.jobRows, rows),
    create: (request) => writer.write(() => apply(decideCreate(request, facts))),
    durable: () => writer.write(() => {}),
    countClones: async (workspaceId) => countedClones(facts.usage(workspaceId)),
    failedBefore: async (before, limit) =>
      orm
        .select({ workspaceId: voiceClones.workspaceId, id: voiceClones.id })
        .from(voiceClones)
        .innerJoin(jobs, eq(jobs.id, voiceClones.jobId))
        .where(and(isUncounted, lt(jobs.completedAt, before)))
        .limit(limit)
        .all(),
    storedBytes: async (workspaceId) => storedBytes(facts.usage(workspaceId)),
    page,
    get: async (workspaceId, id) => get(workspaceId, id),
    update: (workspaceId, id, change, at) =>
      writer.write(() => {
        orm
          .update(voiceClones)
          .set({ ...change, updatedAt: at })
          .where(owned(workspaceId, id))
          .run();
        return get(workspaceId, id);
      }),
    remove: (workspaceId, id, at, audit) =>
      writer.write(() => apply(decideRemoval(workspaceId, id, { at, audit }, facts))),
    artefact: async (cloneId) =>
      orm
        .select({ engine: voiceArtefacts.engine, artefact: voiceArtefacts.artefact })
        .from(voiceArtefacts)
        .where(eq(voiceArtefacts.cloneId, cloneId))
        .get() ?? null,
    removals: async (limit, now) =>
      orm
        .select()
        .from(voiceRemovals)
        .where(lte(voiceRemovals.retryAt, now))
        .orderBy(asc(voiceRemovals.id))
        .limit(limit)
        .all(),
    removalDone: (id) => writer.write(() => void orm.delete(voiceRemovals).where(eq(voiceRemovals.id, id)).run()),
    removalFailed: (id, retryAt) =>
      writer.write(
        () =>
          void orm
            .update(voiceRemovals)
            .set({ failures: sql`${voiceRemovals.failures} + 1`, retryAt })
            .where(eq(voiceRemovals.id, id))
            .run(),
      ),
  };
}

/** As `countedClones` has it: failed before it was ever trained. */
const isUncounted = and(eq(jobs.status, "failed"), isNull(voiceClones.trainedAt));

function owned(workspaceId: WorkspaceId, id: string) {
  return and(eq(voiceClones.id, id), eq(voiceClones.workspaceId, workspaceId));
}

type StateRow = Omit<VoiceCloneState, "status"> & { jobStatus: JobStatus };

function stateOf({ jobStatus, ...clone }: StateRow): VoiceCloneState {
  return { ...clone, status: cloneStatusOf(jobStatus) };
}
