import { and, asc, eq, sql, type SQL } from "drizzle-orm";
import type { TrainedArtefact } from "../../../features/voice/change-model.ts";
import type { CloneUsage, VoiceChange, VoiceFacts } from "../../../features/voice/decisions.ts";
import type { VoiceClone, VoiceSample } from "../../../features/voice/model.ts";
import type { Decision } from "../../../platform/base/decision.ts";
import type { Engine } from "./engine.ts";
import type { CommonRows } from "./common-rows.ts";
import { jobs } from "./tables.ts";
import { voiceArtefacts, voiceClones, voiceSamples } from "./voice-tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** Clones and their samples inside a write unit: the facts that decisions ask for, and the rows that they change. */
export type VoiceRows = ReturnType<typeof createVoiceRows>;

/** Queries are built for each call, because voices are rarely listed or changed. */
export function createVoiceRows({ orm }: Engine, { audits, events, jobRows }: CommonRows) {
  const cloneWhere = (which: SQL | undefined): VoiceClone | null =>
    orm.select().from(voiceClones).where(which).get() ?? null;

  const samples = (cloneId: string): VoiceSample[] =>
    orm
      .select()
      .from(voiceSamples)
      .where(eq(voiceSamples.cloneId, cloneId))
      .orderBy(asc(voiceSamples.createdAt), asc(voiceSamples.id))
      .all();

  function usage(workspaceId: WorkspaceId): CloneUsage[] {
    const clones = orm
      .select({
        id: voiceClones.id,
        jobStatus: jobs.status,
        trainedAt: voiceClones.trainedAt,
        recordingBytes: sql<number>`coalesce(json_extract(${voiceClones.consent}, '$.recording.bytes'), 0)`,
      })
      .from(voiceClones)
      .innerJoin(jobs, eq(jobs.id, voiceClones.jobId))
      .where(eq(voiceClones.workspaceId, workspaceId))
      .all();
    const { cloneId, bytes, hasOriginal, derivedBytes } = voiceSamples;
    const files = orm
      .select({ cloneId, bytes, hasOriginal, derivedBytes })
      .from(voiceSamples)
      .innerJoin(voiceClones, eq(voiceClones.id, cloneId))
      .where(eq(voiceClones.workspaceId, workspaceId))
      .all();
    const byClone = Map.groupBy(files, (file) => file.cloneId);
    return clones.map((clone) => ({ ...clone, samples: byClone.get(clone.id) ?? [] }));
  }

  const facts: VoiceFacts = {
    clone: (workspaceId, id) => cloneWhere(and(eq(voiceClones.id, id), eq(voiceClones.workspaceId, workspaceId))),
    samples,
    job: (id) => jobRows.get(id),
    usage,
  };

  function apply<Outcome>({ outcome, changes }: Decision<Outcome, VoiceChange>): Outcome {
    for (const change of changes) write(change);
    return outcome;
  }

  function write(change: VoiceChange): void {
    switch (change.kind) {
      case "create":
        return void orm.insert(voiceClones).values(change.clone).run();
      case "update":
        return void orm.update(voiceClones).set(change.values).where(eq(voiceClones.id, change.cloneId)).run();
      case "remove":
        return void orm.delete(voiceClones).where(eq(voiceClones.id, change.cloneId)).run();
      case "addSamples":
        return void orm
          .insert(voiceSamples)
          .values([...change.samples])
          .run();
      case "removeSample":
        return void orm.delete(voiceSamples).where(eq(voiceSamples.id, change.sampleId)).run();
      case "artefact":
        return writeArtefact(change.cloneId, change.trained);
      case "newJob":
        return jobRows.insert(change.job);
      case "job":
        return void jobRows.write(change.job, change.change);
      case "audit":
        return audits.append(change.entry);
      case "event":
        return events.append(change.event);
    }
  }

  function writeArtefact(cloneId: string, trained: TrainedArtefact): void {
    orm
      .insert(voiceArtefacts)
      .values({ cloneId, ...trained })
      .onConflictDoUpdate({ target: voiceArtefacts.cloneId, set: trained })
      .run();
  }

  return { facts, apply, ofJob: (jobId: string) => cloneWhere(eq(voiceClones.jobId, jobId)) };
}
