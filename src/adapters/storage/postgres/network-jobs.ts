import type { Job } from "../../../platform/jobs/model.ts";
import type { ClientChange } from "../../../platform/jobs/store.ts";
import type { Decision } from "../../../features/network/decisions/changes.ts";
import { actionOf, type NetworkFacts, type Target } from "../../../features/network/decisions/facts.ts";
import {
  decideGivenUp,
  decideJobCancel,
  decideJobRetry,
  describeJob,
  type JobDecision,
} from "../../../features/network/decisions/jobs.ts";
import type { Connection, Engine } from "./engine.ts";
import { writeChanges } from "./network-changes.ts";
import { LoadedFacts, loadTarget, readTarget } from "./network-facts.ts";
import { lockSuppressions } from "./suppression-rows.ts";
import type { ActionJobs } from "./jobs.ts";

export function createActionJobs(engine: Engine): ActionJobs {
  async function describe(connection: Connection, job: Job): Promise<Job> {
    const target = await readTarget(connection, job.id);
    if (target === null) return job;
    const { account } = target.record;
    return describeJob(job, actionOf(target.row, account.id), account.state);
  }

  async function decide<T>(
    connection: Connection,
    jobId: string,
    decision: (target: Target | null, facts: NetworkFacts) => Decision<T>,
  ): Promise<T> {
    const target = await loadTarget(connection, jobId);
    const facts = new LoadedFacts(connection, engine);
    const { outcome, changes } = await facts.decide(() => decision(target, facts));
    await writeChanges(connection, changes);
    return outcome;
  }

  async function changed(connection: Connection, job: Job, outcome: JobDecision): Promise<ClientChange> {
    const after = (await readTarget(connection, job.id))?.job ?? job;
    return outcome.kind === "refused"
      ? { ...outcome, job: after }
      : { kind: "changed", job: await describe(connection, after) };
  }

  return {
    describe,
    lock: async (connection, jobId) => void (await loadTarget(connection, jobId)),
    async cancel(connection, job, at) {
      return changed(connection, job, await decide(connection, job.id, (target) => decideJobCancel(target, at)));
    },
    async retry(connection, job, at) {
      await lockSuppressions(connection, [job.workspaceId], "shared");
      const decision = await decide(connection, job.id, (target, facts) => decideJobRetry(target, facts, at));
      return changed(connection, job, decision);
    },
    gaveUp: (connection, jobId, message, at) =>
      decide(connection, jobId, (target, facts) => decideGivenUp(target, message, facts, at)),
  };
}
