import { and, asc, eq, type SQL } from "drizzle-orm";
import type { CloneUsage, VoiceChange, VoiceFacts } from "../../../features/voice/decisions.ts";
import type { VoiceClone, VoiceSample } from "../../../features/voice/model.ts";
import type { Decision } from "../../../platform/base/decision.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { AuditEntry } from "../../../platform/auth/audit/model.ts";
import type { NewEvent } from "../../../platform/events/model.ts";
import { appendAudit } from "./audit.ts";
import type { Connection } from "./engine.ts";
import { appendEvents } from "./event-rows.ts";
import { insertJob, lockJob, writeJob } from "./jobs.ts";
import { decideLoaded, NamedFacts } from "./loaded.ts";
import { jobs, workspaces } from "./tables.ts";
import { voiceArtefacts, voiceClones, voiceSamples } from "./voice-tables.ts";

/**
 * Decides about clones of a workspace. Its row is locked first, so that requests which count toward its limits take
 * turns; then the jobs of trainings.
 */
export async function changeClones<Outcome>(
  connection: Connection,
  workspaceId: WorkspaceId,
  decide: (facts: VoiceFacts) => Decision<Outcome, VoiceChange>,
): Promise<Outcome> {
  // Not FOR UPDATE, which all writers of rows that refer to the workspace would wait for.
  await connection
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(eq(workspaces.id, workspaceId))
    .for("no key update");
  const named = new NamedFacts();
  const facts = voiceFacts(connection, named);
  const { outcome, changes } = await decideLoaded(() => decide(facts), named);
  await writeVoiceChanges(connection, changes);
  return outcome;
}

function voiceFacts(connection: Connection, named: NamedFacts): VoiceFacts {
  return {
    clone: (workspaceId, id) => named.get(`clone ${id}`, () => readClone(connection, owned(workspaceId, id))),
    samples: (cloneId) => named.get(`samples ${cloneId}`, () => readSamples(connection, cloneId)),
    job: (id) => named.get(`job ${id}`, () => lockJob(connection, id)),
    usage: (workspaceId) => named.get(`usage ${workspaceId}`, () => readUsage(connection, workspaceId)),
  };
}

export async function readClone(connection: Connection, which: SQL | undefined): Promise<VoiceClone | null> {
  const [clone] = await connection.select().from(voiceClones).where(which);
  return clone ?? null;
}

export function readSamples(connection: Connection, cloneId: string): Promise<VoiceSample[]> {
  return connection
    .select()
    .from(voiceSamples)
    .where(eq(voiceSamples.cloneId, cloneId))
    .orderBy(asc(voiceSamples.createdAt), asc(voiceSamples.id));
}

export async function readUsage(connection: Connection, workspaceId: WorkspaceId): Promise<CloneUsage[]> {
  const clones = await connection
    .select({
      id: voiceClones.id,
      jobStatus: jobs.status,
      trainedAt: voiceClones.trainedAt,
      consent: voiceClones.consent,
    })
    .from(voiceClones)
    .innerJoin(jobs, eq(jobs.id, voiceClones.jobId))
    .where(eq(voiceClones.workspaceId, workspaceId));
  const { cloneId, bytes, hasOriginal, derivedBytes } = voiceSamples;
  const files = await connection
    .select({ cloneId, bytes, hasOriginal, derivedBytes })
    .from(voiceSamples)
    .innerJoin(voiceClones, eq(voiceClones.id, cloneId))
    .where(eq(voiceClones.workspaceId, workspaceId));
  const byClone = Map.groupBy(files, (file) => file.cloneId);
  return clones.map(({ consent, ...clone }) => ({
    ...clone,
    recordingBytes: consent?.recording?.bytes ?? 0,
    samples: byClone.get(clone.id) ?? [],
  }));
}

export function owned(workspaceId: WorkspaceId, id: string): SQL | undefined {
  return and(eq(voiceClones.id, id), eq(voiceClones.workspaceId, workspaceId));
}

export async function writeVoiceChanges(connection: Connection, changes: readonly VoiceChange[]): Promise<void> {
  const appended: NewEvent[] = [];
  const audits: (AuditEntry | undefined)[] = [];
  for (const change of changes)
    switch (change.kind) {
      case "create":
        await connection.insert(voiceClones).values(change.clone);
        break;
      case "update":
        await connection.update(voiceClones).set(change.values).where(eq(voiceClones.id, change.cloneId));
        break;
      case "remove":
        await connection.delete(voiceClones).where(eq(voiceClones.id, change.cloneId));
        break;
      case "addSamples":
        await connection.insert(voiceSamples).values([...change.samples]);
        break;
      case "removeSample":
        await connection.delete(voiceSamples).where(eq(voiceSamples.id, change.sampleId));
        break;
      case "artefact":
        await connection
          .insert(voiceArtefacts)
          .values({ cloneId: change.cloneId, ...change.trained })
          .onConflictDoUpdate({ target: voiceArtefacts.cloneId, set: change.trained });
        break;
      case "newJob":
        await insertJob(connection, change.job);
        break;
      case "job":
        await writeJob(connection, change.job, change.change);
        break;
      case "audit":
        audits.push(change.entry);
        break;
      case "event":
        appended.push(change.event);
    }
  await appendEvents(connection, appended);
  await appendAudit(connection, audits);
}
