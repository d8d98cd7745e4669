import { isoTime, type Clock } from "../../platform/base/clock.ts";
import type { JobContext, JobHandler } from "../../platform/jobs/handler.ts";
import type { Job, JobEnd } from "../../platform/jobs/model.ts";
import type { Log } from "../../platform/base/log.ts";
import type { SuppressionService } from "../suppression/service.ts";
import type { PersonCounts, PersonIdentity } from "./model.ts";
import type { ErasurePayload } from "./service.ts";
import type { PersonStore } from "./store.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export type ErasureParts = {
  store: PersonStore;
  suppressions: SuppressionService;
  /** Deletes cached speech in the voices of a user, or of all users if null. */
  forgetSpeech: (workspaceId: WorkspaceId | null) => Promise<void>;
  /** Deletes the failed rows of imports that a workspace, or all if null, has kept. */
  forgetFailedRows: (workspaceId: WorkspaceId | null) => Promise<void>;
  /** Stores or discards responses that are still in memory, so that the erasure finds them. */
  emptyMemory: () => Promise<void>;
  clock: Clock;
  log: Log;
};

/** Actions in progress usually end within a minute. */
const retryMs = 60_000;
/**
 * A long-running read can block overwriting; erased data is then overwritten at the next attempt or by later writes.
 */
const scrubRetryMs = 5_000;
const maxScrubAttempts = 12;

/**
 * Erases a person. Every step can be repeated, so after a crash the next attempt continues with what is left. The
 * person is added to the do-not-contact list first, so that no new data arrives behind the search.
 */
export function createErasureHandler({
  store,
  suppressions,
  forgetSpeech,
  forgetFailedRows,
  emptyMemory,
  clock,
  log,
}: ErasureParts): JobHandler {
  async function run(job: Job, context: JobContext): Promise<JobEnd | null> {
    const { identity, ...rest } = job.payload as ErasurePayload;
    const before = job.metadata["records"] as PersonCounts;
    await emptyMemory();
    // Before the search, which then finds whatever was stored by an import that ends in the meantime.
    const imports = await runningImports(rest, job);
    const erased =
      identity === null ? { records: before, inProgress: 0 } : await eraseAll(rest, identity, before, context.signal);
    const { records, inProgress } = erased;
    const waitsFor = inProgress > 0 ? `${inProgress} actions in progress` : imports;
    // The content of cached speech is unknown: it may contain messages to the person or earlier previews. So may
    // failed rows.
    await forgetSpeech(rest.scope.workspaceId);
    await forgetFailedRows(rest.scope.workspaceId);
    if (waitsFor !== null) return reschedule(`Waiting for ${waitsFor}`, records, inProgress, retryMs);
    // Clear the job itself first, so that the overwrite covers it too.
    if (!(await store.forget(context.claim, { ...rest, identity: null }))) return null;
    if (!(await store.scrub()) && job.attempt < maxScrubAttempts)
      return reschedule("Erased; overwriting deleted data on disk", records, 0, scrubRetryMs);
    const entries = Object.values(records).reduce((sum, count) => sum + count, 0);
    const at = clock.now();
    const end = {
      kind: "completed",
      message: `Erased ${entries} entries`,
      metadata: { records, waiting: 0 },
      at,
    } as const;
    const audit = { ...rest.audit, at, details: { ...rest.audit.details, entries } };
    await context.retryOnDiskFault(() => store.finish(context.claim, end, audit));
    log.info({ jobId: job.id, entries }, "person erased");
    return null;
  }

  /** Repeats until a pass finds nothing more. Returns the counts across all attempts. */
  async function eraseAll(
    { scope, suppress }: Omit<ErasurePayload, "identity">,
    identity: PersonIdentity,
    before: PersonCounts,
    signal: AbortSignal,
  ): Promise<{ records: PersonCounts; inProgress: number }> {
    const identifiers = [...identity.emails, ...identity.profiles, ...identity.phones];
    if (suppress) await store.suppress(suppressions.hashesOf(scope.workspaceId, identifiers));
    const records = { ...before };
    for (;;) {
      let changed = 0;
      let inProgress = 0;
      for await (const page of store.records(scope, identity)) {
        signal.throwIfAborted();
        const result = await store.erase(identity, page, clock.now());
        inProgress += result.inProgress;
        for (const [place, count] of Object.entries(result.erased)) {
          records[place] = (records[place] ?? 0) + count;
          changed += count;
        }
      }
      if (changed === 0) return { records, inProgress };
    }
  }

  async function runningImports({ scope }: Pick<ErasurePayload, "scope">, job: Job): Promise<string | null> {
    const isRead = await store.hasRunningImports(scope, job.createdAt);
    return isRead ? `imports and enrichments started before ${isoTime(job.createdAt)}` : null;
  }

  function reschedule(message: string, records: PersonCounts, waiting: number, waitedMs: number): JobEnd {
    const at = clock.now();
    const metadata = { records, waiting };
    return { kind: "again", message, metadata, at, runAt: at + waitedMs, countsAsAttempt: false };
  }

  return { type: "person_erasure", concurrency: 1, run };
}
