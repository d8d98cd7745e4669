import type { Job } from "../../../platform/jobs/model.ts";
import type { ClientChange } from "../../../platform/jobs/store.ts";
import type { ActionChange } from "../../../features/network/store.ts";
import { actionMetadata, actionMessage, objectionText } from "../../../features/network/texts.ts";
import { isUnderWay, type ScheduleParts, type Scheduling } from "./network-schedule.ts";

export type ActionJobs = ReturnType<typeof createActionJobs>;

/** The jobs of actions, as the store of jobs shows and changes them. */
export function createActionJobs({ actions, accounts, jobRows }: ScheduleParts, scheduling: Scheduling) {
  function changed(job: Job, change: ActionChange): ClientChange {
    switch (change.kind) {
      case "changed":
        return { kind: "changed", job: withPlan(change.job) };
      case "objected":
        return { kind: "refused", job, reason: `It can't be sent: ${objectionText(change.objection)}` };
      case "never":
        return { kind: "refused", job, reason: "There is no moment for it: see the account's hours and caps." };
      case "twin":
      case "absent":
      case "refused":
        return { kind: "refused", job };
    }
  }

  /** A job of an action with what its action knows better: what it waits for, and until when. */
  function withPlan(job: Job): Job {
    const row = actions.get(job.id);
    const account = row && accounts.get(row.account)?.account;
    if (row === null || account === null || account === undefined) return job;
    const action = actions.actionOf(row);
    const metadata = { ...job.metadata, ...actionMetadata(action, job.runAt, account.state) };
    return { ...job, metadata, message: job.message === "" ? actionMessage(action, account.state) : job.message };
  }

  return {
    withPlan,
    /** The runner gave a job up. What was being sent then has an unknown outcome. */
    gaveUp(jobId: string, message: string, at: number): void {
      const row = actions.get(jobId);
      const target = row && scheduling.found(row.userId, jobId);
      if (target === null || !["scheduled", "sending", "awaiting"].includes(target.row.state)) return;
      const { state, slotAt } = target.row;
      const end = { message, metadata: {}, reference: null, relation: null, at };
      if (state === "sending") scheduling.end(target, { ...end, state: "unknown" }, slotAt ?? at);
      else scheduling.end(target, { ...end, state: "failed" });
    },
    cancelJob(job: Job, at: number): ClientChange {
      const target = scheduling.found(job.userId, job.id);
      if (target === null) return { kind: "refused", job };
      if (isUnderWay(target.row))
        return {
          kind: "refused",
          job,
          reason:
            "This action is being carried out at this moment and can't be taken back. Look at its outcome in a minute.",
        };
      return changed(job, scheduling.cancel(target, at));
    },
    retryJob(job: Job, at: number): ClientChange {
      const target = scheduling.found(job.userId, job.id);
      if (target === null) return { kind: "refused", job };
      if (job.metadata["erased"] === true)
        return { kind: "refused", job, reason: "The person was erased, so there is nobody to do it for." };
      if (target.row.state === "unknown")
        return {
          kind: "refused",
          job,
          reason:
            "It is not known whether this action had its effect, so it is not repeated. Look at the profile, then tell with POST /api/v2/network/actions/{jobId}/resolve.",
        };
      if (actions.twinsOf(target.record.seq, target.row).open !== null)
        return { kind: "refused", job, reason: "The same action for this profile is on its way already." };
      const { canceled: _canceled, outcome: _outcome, reason: _reason, ...metadata } = job.metadata;
      const again = { ...job, metadata, failures: 0, message: "", completedAt: null, progress: 0 };
      const change = scheduling.again({ ...target, job: again }, at);
      if (change.kind !== "changed") return changed(job, change);
      const { failures, message, completedAt, progress } = again;
      const written = jobRows.write(change.job, { metadata, failures, message, completedAt, progress });
      return { kind: "changed", job: withPlan(written) };
    },
  };
}
