import type { Job } from "../../../platform/jobs/model.ts";
import type { ClientChange } from "../../../platform/jobs/store.ts";
import type { Contact } from "../../../features/network/contact-model.ts";
import type { Decision, NetworkChange } from "../../../features/network/decisions/changes.ts";
import type { Target } from "../../../features/network/decisions/facts.ts";
import {
  decideGivenUp,
  decideJobCancel,
  decideJobRetry,
  describeJob,
  type JobDecision,
} from "../../../features/network/decisions/jobs.ts";
import { decideSchedule } from "../../../features/network/decisions/scheduling.ts";
import type { NetworkStore } from "../../../features/network/store.ts";
import type { ScheduleAction, ScheduleOutcome } from "../../../features/network/queue-model.ts";
import { createCampaignOrigin, type CampaignOrigin } from "./campaign-origin.ts";
import type { Engine } from "./engine.ts";
import { createInboxRecorder } from "./inbox-recording.ts";
import { createAccountRows, createAccountStore } from "./network-accounts.ts";
import { createActionRows } from "./network-actions.ts";
import { createChangeWriter } from "./network-changes.ts";
import { contactOf, createContactRows, createContactStore } from "./network-contacts.ts";
import { createDispatchStore } from "./network-dispatch.ts";
import { createNetworkFacts } from "./network-facts.ts";
import { createActionLists } from "./network-lists.ts";
import { createPlanStore } from "./network-plan.ts";
import { createScheduleStore } from "./network-schedule.ts";
import { createTimelines } from "./network-timeline.ts";
import type { CommonRows } from "./common-rows.ts";

/** Actions inside the write units of other stores. */
export type NetworkRows = {
  decideSchedule(request: ScheduleAction): Decision<ScheduleOutcome>;
  target(jobId: string): Target | null;
  /** Writes the changes of a decision. */
  write(changes: readonly NetworkChange[]): void;
  contactOf(accountId: string, profileKey: string): Contact | null;
  jobs: ActionJobs;
  origin: CampaignOrigin;
  store: NetworkStore;
};

/** Jobs of actions, as the job store presents and changes them. */
export type ActionJobs = {
  describe(job: Job): Job;
  cancel(job: Job, at: number): ClientChange;
  retry(job: Job, at: number): ClientChange;
  /** Handles a job that the runner gave up on. */
  gaveUp(jobId: string, message: string, at: number): void;
};

export function createNetworkRows(engine: Engine, { events, jobRows, suppressions }: CommonRows): NetworkRows {
  const accounts = createAccountRows(engine);
  const actions = createActionRows(engine, accounts);
  const contacts = createContactRows(engine);
  const inbox = createInboxRecorder(engine, accounts);
  const parts = { accounts, actions, contacts, jobRows, suppressions, inbox, origin: createCampaignOrigin(engine) };
  const facts = createNetworkFacts(engine, parts, createTimelines(engine));
  const write = createChangeWriter(engine, parts, events);

  function describe(job: Job): Job {
    const target = facts.target(job.id);
    return target === null ? job : describeJob(job, actions.actionOf(target.row), target.record.account.state);
  }

  function applyTo(job: Job, { outcome, changes }: Decision<JobDecision>): ClientChange {
    write(changes);
    if (outcome.kind === "refused") return { ...outcome, job };
    return { kind: "changed", job: describe(jobRows.get(job.id) ?? job) };
  }

  return {
    decideSchedule: (request) => decideSchedule(request, facts),
    target: facts.target,
    write,
    contactOf(accountId, profileKey) {
      const account = accounts.byId(accountId);
      const row = account && contacts.get(account.seq, profileKey);
      return row && contactOf(row, accountId);
    },
    origin: parts.origin,
    jobs: {
      describe,
      cancel: (job, at) => applyTo(job, decideJobCancel(facts.target(job.id), at)),
      retry: (job, at) => applyTo(job, decideJobRetry(facts.target(job.id), facts, at)),
      gaveUp: (jobId, message, at) => write(decideGivenUp(facts.target(jobId), message, facts, at).changes),
    },
    store: {
      ...createAccountStore(engine, accounts, write),
      ...createScheduleStore(engine, parts, facts, write),
      ...createActionLists(engine, accounts, actions),
      ...createDispatchStore(engine, parts, facts, write),
      ...createPlanStore(engine, accounts),
      ...createContactStore(engine, accounts, contacts, facts, write),
    },
  };
}
