import { isoTime, type Clock } from "../../platform/base/clock.ts";
import { ApiError, notFound } from "../../platform/base/errors.ts";
import { actionKinds } from "./action-kinds.ts";
import type { NetworkAction, OutcomeInput, TaskCompletion, TaskPlace, TaskView } from "./action-model.ts";
import type { ConnectorOutcome } from "./connector.ts";
import { consequenceOf } from "./outcome.ts";
import type { PersonNames } from "./person-names.ts";
import type { WorkerClaimView } from "./work-model.ts";
import type { AccountService } from "./account-service.ts";
import type { AccountUser } from "./may-use.ts";
import type { NetworkStore } from "./store.ts";
import type { ActionChange, DueAction } from "./queue-model.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export type WorkParts = {
  store: NetworkStore;
  accounts: AccountService;
  personNames: PersonNames;
  clock: Clock;
  /** Called when a job may have become due. */
  poke: () => void;
  /** Called when an action has ended. */
  onEnded: () => void;
  /** When sending resumes while the clock is behind; otherwise null. */
  sendsAgainAt: () => number | null;
};

/** Actions performed outside this process: by a person, a worker, or the receiver of a webhook. */
export class WorkService {
  readonly #store: NetworkStore;
  readonly #accounts: AccountService;
  readonly #personNames: PersonNames;
  readonly #clock: Clock;
  readonly #poke: () => void;
  readonly #onEnded: () => void;
  readonly #sendsAgainAt: () => number | null;

  constructor({ store, accounts, personNames, clock, poke, onEnded, sendsAgainAt }: WorkParts) {
    this.#sendsAgainAt = sendsAgainAt;
    this.#store = store;
    this.#accounts = accounts;
    this.#personNames = personNames;
    this.#clock = clock;
    this.#poke = poke;
    this.#onEnded = onEnded;
  }

  /** Actions waiting for a person, longest waiting first. Skips tasks for people now on the do-not-contact list. */
  async tasks(
    workspaceId: WorkspaceId,
    limit: number,
    offset: number,
    after: TaskPlace | null,
  ): Promise<{ tasks: { view: TaskView; place: TaskPlace }[]; total: number }> {
    await this.#store.skipObjectedTasks(workspaceId, this.#clock.now());
    const [tasks, total] = await Promise.all([
      this.#store.tasks(workspaceId, limit, offset, after),
      this.#store.countTasks(workspaceId),
    ]);
    const names = await this.#personNames(workspaceId, tasks);
    const items = tasks.map((task, index) => ({
      view: { ...taskView(task), personName: names[index] ?? null },
      place: task,
    }));
    return { tasks: items, total };
  }

  /** Ends a task with the outcome a person reported. Throws NOT_FOUND, or CONFLICT if the action is not a task. */
  async completeTask(user: AccountUser, jobId: string, { outcome, note }: TaskCompletion): Promise<NetworkAction> {
    await this.#accounts.requireActionOf(user, jobId);
    const messages = {
      completed: "Completed by a person",
      failed: "Reported as failed by a person",
      skipped: "Skipped by a person",
    };
    const message = messages[outcome];
    const change = await this.#store.endDelegated(user.workspaceId, jobId, ["awaitingPerson"], {
      state: outcome,
      message: note ? `${message}: ${note}` : message,
      metadata: { outcome, completedBy: "person", ...(note && { note }) },
      reference: null,
      relation: null,
      at: this.#clock.now(),
    });
    return this.#changed(change, jobId);
  }

  /** Ends a delegated action with the outcome its receiver reported. */
  async report(user: AccountUser, jobId: string, input: OutcomeInput): Promise<NetworkAction> {
    const found = await this.#accounts.requireActionOf(user, jobId);
    const at = this.#clock.now();
    const consequence = consequenceOf(outcomeOf(input, at), found.action, "report", at);
    if (consequence.kind === "end")
      return this.#changed(
        await this.#store.endDelegated(user.workspaceId, jobId, ["awaitingVendor"], consequence.end),
        jobId,
      );
    throw new ApiError("CONFLICT", {
      message: `A delegated action cannot end as ${input.outcome}. Report completed, refused, or unknown.`,
    });
  }

  /**
   * Claims the next action that a worker can perform now, with a lease, or returns when to try again. Without `accountId`,
   * for all accounts that the user may act with.
   */
  async claim(user: AccountUser, accountId: string | null, leaseSeconds: number): Promise<WorkerClaimView> {
    const sendsAgainAt = this.#sendsAgainAt();
    if (sendsAgainAt !== null) return { claimed: null, retryAt: isoTime(sendsAgainAt) };
    const now = this.#clock.now();
    const leaseUntil = now + leaseSeconds * 1000;
    let retryAt = Infinity;
    for (const claimable of await this.#accounts.claimable(user, accountId)) {
      const { workspaceId } = user;
      const result = await this.#store.claimForWorker({ workspaceId, accountId: claimable, now, leaseUntil });
      if (result.claimed !== null) return { claimed: claimView(result.claimed, leaseUntil), retryAt: null };
      retryAt = Math.min(retryAt, result.retryAt ?? Infinity);
    }
    return { claimed: null, retryAt: retryAt === Infinity ? null : isoTime(retryAt) };
  }

  /** Extends a worker's lease. Throws CONFLICT if the lease was lost. */
  async heartbeat(
    user: AccountUser,
    jobId: string,
    claim: number,
    leaseSeconds: number,
  ): Promise<{ leaseUntil: string }> {
    const { workspaceId } = user;
    await this.#accounts.requireJobOf(user, jobId);
    const leaseUntil = this.#clock.now() + leaseSeconds * 1000;
    if (!(await this.#store.renewLease(workspaceId, { id: jobId, attempt: claim }, leaseUntil))) throw leaseLost();
    return { leaseUntil: isoTime(leaseUntil) };
  }

  /** Ends an action that a worker claimed. Throws CONFLICT without writing anything if the lease was lost. */
  async complete(user: AccountUser, jobId: string, claim: number, input: OutcomeInput): Promise<NetworkAction> {
    const { workspaceId } = user;
    const found = await this.#accounts.requireActionOf(user, jobId);
    // A worker must not end an action that this process is sending.
    if (found.action.pendingReason !== "awaitingWorker") throw leaseLost();
    const at = this.#clock.now();
    const jobClaim = { id: jobId, attempt: claim };
    const consequence = consequenceOf(outcomeOf(input, at), found.action, "worker", at);
    const isWritten =
      consequence.kind === "end"
        ? await this.#store.endAction(jobClaim, consequence.end)
        : consequence.kind === "defer" && (await this.#store.defer(jobClaim, consequence.deferral));
    if (!isWritten) throw leaseLost();
    this.#onEnded();
    this.#poke();
    const after = await this.#store.action(workspaceId, jobId);
    return after?.action ?? found.action;
  }

  #changed(change: ActionChange, jobId: string): NetworkAction {
    if (change.kind === "changed") {
      this.#onEnded();
      return change.action;
    }
    if (change.kind !== "refused") throw notFound("network action", jobId);
    throw new ApiError("CONFLICT", {
      message: `This action is not waiting for an outcome. Its state is ${change.action.state}.`,
      details: { state: change.action.state },
    });
  }
}

function claimView({ job, action, account }: DueAction, leaseUntil: number): WorkerClaimView["claimed"] {
  const { jobId, actionType, profileUrl, message, details, leadId } = action;
  return {
    jobId,
    claim: job.attempt,
    leaseUntil: isoTime(leaseUntil),
    accountId: account.id,
    connectorSettings: account.connectorSettings,
    actionType,
    profileUrl,
    message,
    details,
    leadId,
  };
}

function outcomeOf(input: OutcomeInput, now: number): ConnectorOutcome {
  const { outcome, reference = null, relation, retryAfterSeconds } = input;
  const reason = input.reason ?? reasons[outcome];
  const retryAt = now + (retryAfterSeconds ?? 60) * 1000;
  const observed = relation === undefined ? {} : { relation };
  switch (outcome) {
    case "completed":
      return { kind: "completed", reference, ...observed };
    case "refused":
      return { kind: "refused", refusal: input.refusal ?? "invalid", reason, ...observed };
    case "busy":
      return { kind: "busy", retryAt, reason };
    case "limited":
      return { kind: "limited", retryAt: retryAfterSeconds === undefined ? null : retryAt, reason };
    case "signedOut":
      return { kind: "signedOut", reason };
    case "unknown":
      return { kind: "unknown", reason };
  }
}

const reasons: Record<OutcomeInput["outcome"], string> = {
  completed: "",
  refused: "The network refused the action.",
  busy: "The action could not be performed at this time.",
  limited: "The network asked this account to slow down.",
  signedOut: "The account is signed out of the network.",
  unknown: "The outcome is not known.",
};

function leaseLost(): ApiError {
  return new ApiError("CONFLICT", {
    message:
      "This claim is no longer valid because its lease expired or the action has ended. Nothing was changed. Claim an action again.",
  });
}

function taskView({
  jobId,
  accountId,
  actionType,
  profileUrl,
  message,
  details,
  leadId,
  updatedAt,
}: NetworkAction): TaskView {
  const { label } = actionKinds[actionType];
  return { jobId, accountId, actionType, label, profileUrl, message, details, leadId, since: isoTime(updatedAt) };
}
