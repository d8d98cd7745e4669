import { decideBulk } from "../../../features/leads/bulk-decision.ts";
import type { BulkBatch, BulkOutcome } from "../../../features/leads/bulk-job-model.ts";
import type { LeadChange } from "../../../features/leads/decisions.ts";
import type { LeadStore } from "../../../features/leads/store.ts";
import { pause } from "../../../lib/concurrency/pause.ts";
import type { NewEvent } from "../../../platform/events/model.ts";
import type { Job } from "../../../platform/jobs/model.ts";
import { together, type Connection } from "./connection.ts";
import type { Engine } from "./engine.ts";
import { appendAllNumbered } from "./event-numbers.ts";
import { insertionOf } from "./event-rows.ts";
import { lockJob, writeJob } from "./jobs.ts";
import { writeLeadChanges } from "./lead-changes.ts";
import { LeadFactLoader } from "./lead-facts.ts";
import { decideLoaded } from "./loaded.ts";
import { transactAnew } from "./outdated.ts";

/** PostgreSQL runs most of it, while requests are served; what this process does is done in slices. */
const bulkLeadsAtOnce = 800;

/** Batches of bulk changes. Statements are built while PostgreSQL runs those before them. */
export function createLeadBulk(engine: Engine): Pick<LeadStore, "bulkBatch" | "bulkLeadsAtOnce"> {
  async function change(connection: Connection, batch: BulkBatch): Promise<BulkOutcome> {
    const { workspaceId, leads } = batch;
    const owner = (await engine.ownerOf(workspaceId)) ?? 0;
    const loader = new LeadFactLoader(connection, workspaceId, owner, engine.phoneRegion, false);
    if (batch.change.kind !== "processed") loader.expectLeads(leads.map(({ id }) => id));
    let job: Job | null = null;
    const lock = async () => void (job = await lockJob(connection, batch.jobId));
    await together([lock(), loader.load()]);
    const { facts } = loader;
    const { outcome, changes } = await decideLoaded(() => decideBulk(batch, { ...facts, job }), loader);
    const events: NewEvent[] = [];
    const ofLeads: LeadChange[] = [];
    const ofJob: Promise<unknown>[] = [];
    for (const change of changes)
      if (change.kind === "job") ofJob.push(writeJob(connection, change.job, change.change));
      else if (change.kind === "event") events.push(change.event);
      else ofLeads.push(change);
    // Built while PostgreSQL runs the other statements, and run after them: until the end, nothing else is numbered.
    const appended = pause().then(() => insertionOf(events, new Map([[workspaceId, owner]])));
    await together([...ofJob, writeLeadChanges(connection, owner, ofLeads), appended]);
    await appendAllNumbered(connection, await appended);
    return outcome;
  }

  return { bulkBatch: (batch) => transactAnew(engine, (connection) => change(connection, batch)), bulkLeadsAtOnce };
}
