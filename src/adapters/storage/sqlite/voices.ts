import { and, asc, count, desc, eq, getTableColumns, inArray, lt, lte, not, sql, type SQL } from "drizzle-orm";
import type { CloneStatus, VoiceCloneState } from "../../../features/voice/model.ts";
import type { ClonePage, NewClone, VoiceStore } from "../../../features/voice/store.ts";
import type { AuditEntry } from "../../../platform/auth/audit/model.ts";
import type { Engine } from "./engine.ts";
import { olderThan } from "./list-pages.ts";
import type { SharedRows } from "./shared-rows.ts";
import { jobs } from "./tables.ts";
import { createVoiceTraining } from "./voice-training.ts";
import { createVoiceSamples } from "./voice-samples.ts";
import { voiceArtefacts, voiceClones, voiceRemovals, voiceSamples } from "./voice-tables.ts";
import { createVoiceUsage, isCounted } from "./voice-usage.ts";

/** Nobody lists voices a thousand times a second: queries are built as they come. */
export function createVoiceStore(engine: Engine, { audits, events, jobRows }: SharedRows): VoiceStore {
  const { orm, writer } = engine;
  const usage = createVoiceUsage(engine);
  const samples = createVoiceSamples(engine, jobRows, usage);

  function create({ clone, samples: files, job, limits, audit }: NewClone) {
    const owned = usage.countOf(clone.userId);
    if (owned >= limits.maxClones) return { kind: "tooMany", count: owned } as const;
    const usedBytes = usage.bytesOf(clone.userId);
    const newBytes = files.reduce((bytes, file) => bytes + file.bytes, clone.consent?.recording?.bytes ?? 0);
    if (usedBytes + newBytes > limits.maxBytes) return { kind: "noRoom", usedBytes } as const;
    jobRows.insert(job);
    orm.insert(voiceClones).values(clone).run();
    orm.insert(voiceSamples).values(files).run();
    audits.append(audit);
    return { kind: "created" } as const;
  }

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

  function get(userId: string, id: string): VoiceCloneState | null {
    const row = states().where(owned(userId, id)).get();
    return row === undefined ? null : stateOf(row);
  }

  async function page({ userId, status, limit, offset, after = null }: ClonePage) {
    const own = eq(voiceClones.userId, userId);
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

  function remove(userId: string, id: string, at: number, audit: AuditEntry | undefined): boolean {
    const clone = get(userId, id);
    if (clone === null) return false;
    samples.endOpenJob(clone.jobId, "The voice clone was deleted.", at);
    orm.delete(voiceClones).where(owned(userId, id)).run();
    audits.append(audit);
    events.append({ type: "voice.deleted", userId, at, voiceId: id });
    return true;
  }

  return {
    ...samples.operations,
    ...createVoiceTraining(engine, jobRows),
    create: (request) => writer.write(() => create(request)),
    durable: () => writer.write(() => {}),
    countClones: async (userId) => usage.countOf(userId),
    failedBefore: async (before, limit) =>
      orm
        .select({ userId: voiceClones.userId, id: voiceClones.id })
        .from(voiceClones)
        .innerJoin(jobs, eq(jobs.id, voiceClones.jobId))
        .where(and(not(isCounted), lt(jobs.completedAt, before)))
        .limit(limit)
        .all(),
    storedBytes: async (userId) => usage.bytesOf(userId),
    page,
    get: async (userId, id) => get(userId, id),
    update: (userId, id, change, at) =>
      writer.write(() => {
        orm
          .update(voiceClones)
          .set({ ...change, updatedAt: at })
          .where(owned(userId, id))
          .run();
        return get(userId, id);
      }),
    remove: (userId, id, at, audit) => writer.write(() => remove(userId, id, at, audit)),
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

function owned(userId: string, id: string) {
  return and(eq(voiceClones.id, id), eq(voiceClones.userId, userId));
}

const jobStatusesOf = {
  processing: ["pending", "running"],
  ready: ["completed"],
  failed: ["failed"],
} as const satisfies Record<CloneStatus, readonly string[]>;

type StateRow = Omit<VoiceCloneState, "status"> & { jobStatus: (typeof jobStatusesOf)[CloneStatus][number] };

function stateOf({ jobStatus, ...clone }: StateRow): VoiceCloneState {
  const status = jobStatus === "completed" ? "ready" : jobStatus === "failed" ? "failed" : "processing";
  return { ...clone, status };
}
