import { singleLine } from "../clean-text.ts";
import { isoTime, type Clock } from "../clock.ts";
import { ApiError, invalid, notFound, type FieldError } from "../errors.ts";
import type { Ids } from "../ids.ts";
import type { Job } from "../jobs/model.ts";
import type { LeadStore } from "../leads/store.ts";
import {
  actionTypes,
  maxMessageLength,
  type AccountUpdate,
  type AccountView,
  type ActionType,
  type NetworkAccount,
  type NetworkAction,
  type ScheduleInput,
  type TaskCompletion,
} from "./model.ts";
import { isTimeZone } from "./pacing.ts";
import { canonicalProfileUrl } from "./profile-url.ts";
import type { NetworkStore } from "./store.ts";
import { readWeek, weekView } from "./week.ts";

/** A failed attempt that had no effect is tried again this often at most. */
const maxAttempts = 3;

export type Scheduled = { job: Job; isNew: boolean };

/** Actions on the professional network, and the accounts they run through. */
export class NetworkService {
  readonly #store: NetworkStore;
  readonly #leads: LeadStore;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #poke: () => void;

  constructor(store: NetworkStore, leads: LeadStore, clock: Clock, ids: Ids, poke: () => void) {
    this.#store = store;
    this.#leads = leads;
    this.#clock = clock;
    this.#ids = ids;
    this.#poke = poke;
  }

  /**
   * Places an action at the earliest fair moment of the account. While the same action for the same profile is on its
   * way already, that one is answered (`isNew` false) and nothing is added. VALIDATION_ERROR for what can't be sent,
   * NOT_FOUND for an unknown account or lead, CONFLICT when the account's hours never open.
   */
  async schedule(userId: string, input: ScheduleInput): Promise<Scheduled> {
    const { actionType, profileKey } = checked(input);
    const account = await this.#accountFor(userId, input.accountId);
    if (input.leadId !== undefined && (await this.#leads.get(userId, input.leadId)) === null)
      throw notFound("lead", input.leadId);
    const now = this.#clock.now();
    const jobId = this.#ids.next(now);
    const profileUrl = input.profileUrl.trim();
    const action: NetworkAction = {
      jobId,
      userId,
      accountId: account.id,
      actionType,
      profileUrl,
      profileKey,
      message: input.message?.trim() || null,
      leadId: input.leadId ?? null,
      state: "scheduled",
      createdAt: now,
      updatedAt: now,
    };
    const job: Job = {
      id: jobId,
      userId,
      type: "linkedin_action",
      status: "pending",
      runAt: now,
      attempt: 0,
      failures: 0,
      maxAttempts,
      leaseUntil: null,
      message: "",
      progress: 0,
      metadata: { actionType, profileUrl, accountId: account.id, connector: account.connector },
      payload: {},
      createdAt: now,
      updatedAt: now,
      completedAt: null,
    };
    const outcome = await this.#store.schedule({ action, job, gapMs: this.#gapMs(account) });
    if (outcome.kind === "neverOpen")
      throw new ApiError("CONFLICT", {
        message: `The working hours of the account "${account.name}" never open, so nothing can run. Change them with PATCH /api/v2/network/accounts/${account.id}.`,
      });
    if (outcome.kind === "scheduled") this.#poke();
    return { job: outcome.job, isNew: outcome.kind === "scheduled" };
  }

  /** Oldest first. */
  async accounts(userId: string): Promise<AccountView[]> {
    return (await this.#store.accounts(userId)).map(accountView);
  }

  async updateAccount(userId: string, id: string, input: AccountUpdate): Promise<AccountView> {
    const account = await this.#store.account(userId, id);
    if (account === null) throw notFound("network account", id);
    const { hours, errors } = readWeek(input.workingHours ?? {}, account.workingHours);
    if (input.timeZone !== undefined && !isTimeZone(input.timeZone))
      errors.push({
        path: "timeZone",
        message: `"${input.timeZone}" is not an IANA time zone, such as Europe/Berlin.`,
      });
    const name = input.name === undefined ? undefined : singleLine(input.name);
    if (name === "") errors.push({ path: "name", message: "Expected a text that is not empty." });
    const { minGapSeconds = account.minGapSeconds, maxGapSeconds = account.maxGapSeconds } = input;
    if (minGapSeconds > maxGapSeconds)
      errors.push({
        path: "maxGapSeconds",
        message: `Expected at least minGapSeconds (${minGapSeconds}), got ${maxGapSeconds}.`,
      });
    if (errors.length > 0) throw invalid(errors);
    const { connector, timeZone } = input;
    const changed = await this.#store.updateAccount(userId, id, {
      ...(name !== undefined && { name }),
      ...(connector !== undefined && { connector }),
      ...(timeZone !== undefined && { timeZone }),
      ...(input.workingHours !== undefined && { workingHours: hours }),
      ...(input.minGapSeconds !== undefined && { minGapSeconds }),
      ...(input.maxGapSeconds !== undefined && { maxGapSeconds }),
      updatedAt: this.#clock.now(),
    });
    if (changed === null) throw notFound("network account", id);
    return accountView(changed);
  }

  /** Actions that wait for a person, longest waiting first. */
  async tasks(userId: string, limit: number, offset: number): Promise<{ tasks: NetworkAction[]; total: number }> {
    const [tasks, total] = await Promise.all([
      this.#store.awaiting(userId, limit, offset),
      this.#store.countAwaiting(userId),
    ]);
    return { tasks, total };
  }

  /** Ends a task by a person's word. NOT_FOUND when there is none, CONFLICT when it does not wait for a person. */
  async completeTask(userId: string, jobId: string, { outcome, note }: TaskCompletion): Promise<Job> {
    const at = this.#clock.now();
    const message = { done: "Done by a person", failed: "Failed, by a person's word", skipped: "Skipped by a person" }[
      outcome
    ];
    const end = await this.#store.endTask({
      userId,
      jobId,
      outcome,
      message: note ? `${message}: ${note}` : message,
      metadata: { outcome: outcome === "done" ? "sent" : outcome, completedBy: "person", ...(note && { note }) },
      at,
    });
    if (end.kind === "absent") throw notFound("network task", jobId);
    if (end.kind === "refused")
      throw new ApiError("CONFLICT", {
        message: `This action does not wait for a person: it is ${end.state}.`,
        details: { state: end.state },
      });
    return end.job;
  }

  async #accountFor(userId: string, accountId: string | undefined): Promise<NetworkAccount> {
    if (accountId === undefined) {
      const [first] = await this.#store.accounts(userId);
      if (first === undefined) throw new ApiError("CONFLICT", { message: "This user has no network account." });
      return first;
    }
    const account = await this.#store.account(userId, accountId);
    if (account === null) throw notFound("network account", accountId);
    return account;
  }

  #gapMs({ minGapSeconds, maxGapSeconds }: NetworkAccount): number {
    return Math.round((minGapSeconds + this.#ids.random() * (maxGapSeconds - minGapSeconds)) * 1000);
  }
}

/** Everything that can be wrong with the request itself, at once. */
function checked({ actionType, profileUrl, message }: ScheduleInput): { actionType: ActionType; profileKey: string } {
  const errors: FieldError[] = [];
  const known = actionTypes.find((type) => type === actionType);
  const profileKey = canonicalProfileUrl(profileUrl);
  if (known === undefined)
    errors.push({
      path: "actionType",
      message: `"${actionType}" is no action. Choose from: ${actionTypes.join(", ")}.`,
    });
  if (profileKey === null)
    errors.push({ path: "profileUrl", message: "Expected the http or https URL of a profile, with a path." });
  const length = message?.trim().length ?? 0;
  if (known !== undefined && length > maxMessageLength[known])
    errors.push({
      path: "message",
      message: `Expected at most ${maxMessageLength[known]} characters for ${known}, got ${length}.`,
    });
  if (known === "sendMessage" && length === 0)
    errors.push({ path: "message", message: "sendMessage needs a text to send." });
  if (errors.length > 0 || known === undefined || profileKey === null) throw invalid(errors);
  return { actionType: known, profileKey };
}

function accountView({ userId: _user, workingHours, createdAt, updatedAt, ...account }: NetworkAccount): AccountView {
  return {
    ...account,
    workingHours: weekView(workingHours),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}
