import { type Clock, type Ids, isoTime, isoTimeOrNull, parseInstant } from "../../platform/base/clock.ts";
import { ApiError, invalid, notFound, type FieldError } from "../../platform/base/errors.ts";
import type { Job } from "../../platform/jobs/model.ts";
import { currentLead } from "../leads/current-lead.ts";
import type { Lead } from "../leads/model.ts";
import { hasPermission } from "../../platform/auth/access.ts";
import { denied } from "../../platform/auth/caller.ts";
import type { LeadStore } from "../leads/store.ts";
import { doNotContact } from "../suppression/refusal.ts";
import { actionKinds, actionTypes } from "./action-kinds.ts";
import { actionContent, notBeforeOf, type ActionContent, type ProfileHosts } from "./action-input.ts";
import type {
  ActionError,
  ActionUpdate,
  ActionView,
  NetworkAction,
  Objection,
  RecordInput,
  ResolveInput,
  ScheduleInput,
} from "./action-model.ts";
import type { NetworkAccount } from "./account-model.ts";
import type { AccountService } from "./account-service.ts";
import type { AccountUser, Scheduler } from "./may-use.ts";
import { jobOf, newAction } from "./new-action.ts";
import type { VoiceAudio } from "./connector.ts";
import type { SpeechProvider } from "./speech-provider.ts";
import type { ActionPage, ListedAction, NetworkStore } from "./store.ts";
import type { ActionChange, ScheduleOutcome } from "./queue-model.ts";
import type { PersonNames } from "./person-names.ts";
import { actionMessage, objectionText, waitOf } from "./texts.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export type Scheduled = { action: NetworkAction; account: NetworkAccount; isNew: boolean };

export type ActionParts = {
  store: NetworkStore;
  accounts: AccountService;
  leads: LeadStore;
  personNames: PersonNames;
  speech: SpeechProvider;
  clock: Clock;
  ids: Ids;
  /** Called when an action may have become due sooner. */
  poke: () => void;
  /** Requests that queues be rescheduled if necessary. */
  replan: () => void;
  profileHosts: ProfileHosts;
};

/** Actions on the professional network. */
export class ActionService {
  readonly #parts: ActionParts;

  constructor(parts: ActionParts) {
    this.#parts = parts;
  }

  /**
   * Schedules an action at the earliest available time of the account. If the same action for the same target is already
   * scheduled, returns it (`isNew` false), or throws CONFLICT with its `jobId` if the content differs. With `dryRun`,
   * nothing is stored.
   * Throws VALIDATION_ERROR for invalid input, NOT_FOUND for an unknown account or lead, and DO_NOT_CONTACT or CONFLICT if
   * the action must not be sent to the person or no time will ever be available. A reply is sent before other actions,
   * and different replies to a person do not exclude each other.
   */
  async schedule(scheduler: Scheduler, input: ScheduleInput, { isReply = false } = {}): Promise<Scheduled> {
    const { store, accounts, clock, ids, poke, replan } = this.#parts;
    const { workspaceId } = scheduler;
    const account = await accounts.choose(scheduler, input.accountId);
    accounts.requireRunnable(account);
    const lead = await this.#leadOf(workspaceId, input.leadId);
    const now = clock.now();
    const errors: FieldError[] = [];
    const notBefore = notBeforeOf(input.notBefore, now, errors);
    const content = this.#checked(input, account, lead, errors);
    await this.#checkVoice(scheduler, content);
    const needsApproval = scheduler.needsApproval || account.requiresApproval || input.requireApproval === true;
    const action = newAction(content, account, lead?.id ?? null, ids, { notBefore, now });
    if (needsApproval) action.state = "awaitingApproval";
    // A draw of 0 is the minimum spacing after the previous action.
    if (isReply) Object.assign(action, { isUrgent: true, draw: 0, targetKey: replyTarget(action) });
    const outcome = await store.schedule(
      { action, job: jobOf(action, account, scheduler.userId) },
      input.dryRun === true,
    );
    const placed = this.#placed(outcome, account);
    if (outcome.kind === "existing" && !hasSameContent(placed, action)) throw differentContent(placed);
    if (outcome.kind === "scheduled" && input.dryRun !== true) {
      poke();
      // Before the actions that gave way fall due: held up then, they would go behind those planned after them.
      if (isReply) replan();
    }
    return { action: placed, account, isNew: outcome.kind === "scheduled" };
  }

  /** Stores an action that a person performed manually, so that it counts toward the caps. */
  async record(user: AccountUser, input: RecordInput): Promise<Scheduled> {
    const { store, accounts, clock, ids } = this.#parts;
    const { workspaceId } = user;
    const account = await accounts.choose(user, input.accountId);
    const lead = await this.#leadOf(workspaceId, input.leadId);
    const now = clock.now();
    const errors: FieldError[] = [];
    const carriedOutAt = input.carriedOutAt === undefined ? now : parseInstant(input.carriedOutAt);
    if (carriedOutAt === null || carriedOutAt > now + clockSlackMs || carriedOutAt < now - 366 * 86_400_000)
      errors.push({ path: "carriedOutAt", message: "Expected a time within the past year." });
    const content = this.#checked({ ...input, ...placeholdersFor(input.actionType) }, account, lead, errors);
    const action: NetworkAction = {
      ...newAction(content, account, lead?.id ?? null, ids, { notBefore: now, now }),
      message: input.message?.trim() || null,
      state: "completed",
      pendingReason: null,
      slotAt: carriedOutAt,
    };
    const job: Job = {
      ...jobOf(action, account, user.userId),
      status: "completed",
      progress: 100,
      message: "Performed manually and recorded",
      completedAt: now,
    };
    job.metadata = { ...job.metadata, outcome: "completed", driver: "person" };
    const outcome = await store.record({ action, job }, input.relation ?? null);
    return { action: this.#placed(outcome, account), account, isNew: true };
  }

  async get(workspaceId: WorkspaceId, jobId: string): Promise<ActionView> {
    const found = await this.#parts.store.action(workspaceId, jobId);
    if (found === null) throw notFound("network action", jobId);
    const [personName = null] = await this.#parts.personNames(workspaceId, [found.action]);
    return { ...(await this.#view(found.action)), personName, error: errorOf(found) };
  }

  /** `last` is the item after which the next page starts; null on the last page. */
  async page(request: ActionPage): Promise<{ actions: ActionView[]; last: ListedAction | null; total: number }> {
    const { workspaceId, limit } = request;
    const [more, total] = await Promise.all([
      this.#parts.store.page({ ...request, limit: limit + 1 }),
      this.#parts.store.countActions(request),
    ]);
    const items = more.slice(0, limit);
    const listed = items.map(({ action }) => action);
    const names = await this.#parts.personNames(workspaceId, listed);
    const views = await Promise.all(listed.map((action) => this.#view(action)));
    const actions = views.map((view, index) => ({ ...view, personName: names[index] ?? null }));
    return { actions, last: more.length > limit ? (items.at(-1) ?? null) : null, total };
  }

  /**
   * Changes the content or the earliest time of an action that has not started. If the key may only propose actions, the
   * action needs approval again.
   */
  async edit(scheduler: Scheduler, jobId: string, input: ActionUpdate): Promise<ActionView> {
    const { workspaceId, needsApproval } = scheduler;
    const { store, accounts, clock, poke } = this.#parts;
    const { action } = await accounts.requireActionOf(scheduler, jobId);
    const account = await accounts.find(workspaceId, action.accountId);
    const lead = action.leadId === null ? null : await this.#parts.leads.get(workspaceId, action.leadId);
    const errors: FieldError[] = [];
    const now = clock.now();
    const { message, notBefore, userId: _user, ...details } = input;
    const earliest = notBefore === undefined ? {} : { notBefore: notBeforeOf(notBefore, now, errors) };
    const { actionType, profileUrl } = action;
    const sent = {
      actionType,
      profileUrl,
      ...action.details,
      ...details,
      message: (message === undefined ? action.message : message) ?? undefined,
    };
    const content = this.#checked(sent, account, lead, errors);
    if (details.voiceId !== undefined) await this.#checkVoice(scheduler, content);
    const edited = { message: content.message, details: content.details, targetKey: content.targetKey };
    const change = await store.edit(
      workspaceId,
      jobId,
      { ...edited, ...earliest, needsApproval },
      now,
      scheduler.userId,
    );
    poke();
    return this.#changed(change, jobId, account);
  }

  async cancel(user: AccountUser, jobId: string): Promise<ActionView> {
    const { workspaceId } = user;
    await this.#parts.accounts.requireActionOf(user, jobId);
    return this.#changed(
      await this.#parts.store.cancel(workspaceId, jobId, this.#parts.clock.now(), user.userId),
      jobId,
    );
  }

  /** Approves and schedules an action. */
  async approve(user: AccountUser, jobId: string): Promise<ActionView> {
    const { workspaceId } = user;
    await this.#parts.accounts.requireActionOf(user, jobId);
    const change = await this.#parts.store.approve(workspaceId, jobId, this.#parts.clock.now(), user.userId);
    this.#parts.poke();
    return this.#changed(change, jobId);
  }

  /** Stores the outcome, as reported by a person, of an action whose outcome was unknown. */
  async resolve(user: AccountUser, jobId: string, { outcome, note }: ResolveInput): Promise<ActionView> {
    const { store, accounts, clock } = this.#parts;
    const { workspaceId } = user;
    await accounts.requireActionOf(user, jobId);
    const isSent = outcome === "completed";
    const verdict = isSent ? "Confirmed as sent" : "Confirmed as not sent";
    const change = await store.resolve(workspaceId, jobId, {
      state: isSent ? "completed" : "failed",
      message: note ? `${verdict}: ${note}` : verdict,
      metadata: { outcome: isSent ? "completed" : "failed", resolvedBy: "person", ...(note && { note }) },
      reference: null,
      relation: null,
      at: clock.now(),
    });
    return this.#changed(change, jobId);
  }

  /** The audio of a voice message, for sending it by other means. Throws CONFLICT if it is not available. */
  async audio(workspaceId: WorkspaceId, jobId: string, signal: AbortSignal): Promise<VoiceAudio> {
    const found = await this.#parts.store.action(workspaceId, jobId);
    if (found === null) throw notFound("network action", jobId);
    const { actionType, details, message } = found.action;
    if (actionType !== "sendVoiceMessage")
      throw new ApiError("CONFLICT", { message: `Only voice messages have audio. This action is a ${actionType}.` });
    const spoken = await this.#parts.speech.speak(workspaceId, details.voiceId ?? "", message ?? "", signal);
    if (spoken.kind === "spoken") return spoken.audio;
    throw new ApiError("CONFLICT", { message: `Audio is not available: ${spoken.reason}` });
  }

  #checked(
    sent: Parameters<typeof actionContent>[0],
    account: NetworkAccount,
    lead: Lead | null,
    errors: FieldError[],
  ): ActionContent {
    const checked = actionContent(sent, account.tier, lead, this.#parts.profileHosts);
    if ("errors" in checked) errors.push(...checked.errors);
    if ("errors" in checked || errors.length > 0) throw invalid(errors);
    return checked.content;
  }

  async #checkVoice({ workspaceId, permissions }: Scheduler, { actionType, details }: ActionContent): Promise<void> {
    if (actionType !== "sendVoiceMessage") return;
    if (!hasPermission({ permissions }, "network:voice"))
      throw denied({ permissions }, "network:voice", "Voice messages require the permission network:voice.");
    const problem = await this.#parts.speech.problem(workspaceId, details.voiceId ?? "");
    if (problem !== null) throw invalid([{ path: "voiceId", message: problem }]);
  }

  async #leadOf(workspaceId: WorkspaceId, leadId: string | undefined): Promise<Lead | null> {
    if (leadId === undefined) return null;
    const lead = await currentLead(this.#parts.leads, workspaceId, leadId);
    if (lead === null) throw notFound("lead", leadId);
    return lead;
  }

  #placed(outcome: ScheduleOutcome, account: NetworkAccount): NetworkAction {
    switch (outcome.kind) {
      case "scheduled":
      case "existing":
        return outcome.action;
      case "objected":
        throw objectionError(outcome.objection);
      case "never":
        throw neverPossible(account, outcome.reason);
      case "accountGone":
        throw notFound("network account", account.id);
    }
  }

  async #changed(change: ActionChange, jobId: string, account?: NetworkAccount): Promise<ActionView> {
    switch (change.kind) {
      case "changed":
        return this.#view(change.action);
      case "absent":
        throw notFound("network action", jobId);
      case "objected":
        throw objectionError(change.objection);
      case "twin":
        throw new ApiError("CONFLICT", {
          message: "The same action for this target is already scheduled.",
          details: { jobId: change.jobId },
        });
      case "refused":
        throw new ApiError("CONFLICT", {
          message: `Not possible for an action in the state ${change.action.state}.`,
          details: { state: change.action.state },
        });
      case "never":
        throw neverPossible(account ?? null, change.reason);
    }
  }

  async #view(action: NetworkAction): Promise<ActionView> {
    const account = await this.#parts.store.account(action.workspaceId, action.accountId);
    return actionView(action, account?.state ?? "active");
  }
}

/** The same text twice at a time is a repeated request; another text is another reply. */
function replyTarget({ targetKey, message, details }: NetworkAction): string {
  const content = new Bun.CryptoHasher("sha256").update(JSON.stringify([message, details.voiceId])).digest("hex");
  return `${targetKey}#reply-${content.slice(0, 16)}`;
}

/** Whether the person would receive the same content. Post and skill are already part of the target. */
function hasSameContent(one: NetworkAction, other: NetworkAction): boolean {
  const contentOf = ({ message, details: { subject, reaction, voiceId } }: NetworkAction) =>
    JSON.stringify([message, subject, reaction, voiceId]);
  return contentOf(one) === contentOf(other);
}

function differentContent({ actionType, jobId, state }: NetworkAction): ApiError {
  const isEditable = state === "awaitingApproval" || state === "scheduled";
  const advice = isEditable
    ? `Edit it with PATCH /api/v2/network/actions/${jobId}, or cancel it and schedule a new one.`
    : "It is being sent and can no longer be edited. Schedule a new action after it has ended.";
  return new ApiError("CONFLICT", {
    message: `${actionType} for this profile is already scheduled with different text or details. ${advice}`,
    details: { reason: "differentText", jobId, state },
  });
}

const clockSlackMs = 60_000;

/** Fills in required fields, because an action can be recorded without the content that scheduling it would require. */
function placeholdersFor(actionType: string): Pick<ScheduleInput, "message" | "subject" | "voiceId"> {
  const needsText = actionTypes.some((type) => type === actionType && actionKinds[type].text === "required");
  return { subject: "-", voiceId: "-", ...(needsText ? { message: "-" } : { message: undefined }) };
}

/** Why an action was skipped, failed, or has an unknown outcome; null in all other states. */
function errorOf({ action: { state }, job: { message, metadata } }: { action: NetworkAction; job: Job }): ActionError {
  if (!errorStates.some((one) => one === state)) return null;
  const code = metadata["refusal"] ?? metadata["skipReason"];
  return { code: typeof code === "string" ? code : state, message };
}

const errorStates = ["skipped", "failed", "unknown"] as const;

/** The error for an action that must not, or need not, be sent to the person. */
export function objectionError(objection: Objection): ApiError {
  if (objection.kind === "doNotContact") return doNotContact(objection.match);
  const message = `Action not scheduled: ${objectionText(objection)}`;
  const since = "since" in objection ? { since: isoTimeOrNull(objection.since) } : {};
  const until = "until" in objection ? { until: isoTime(objection.until) } : {};
  return new ApiError("CONFLICT", { message, details: { reason: objection.kind, ...since, ...until } });
}

function neverPossible(account: NetworkAccount | null, reason: string): ApiError {
  const cause = reason === "outsideWorkingHours" ? "it has no working hours" : "its cap for this type of action is 0";
  const url = account === null ? "/api/v2/network/accounts" : `/api/v2/network/accounts/${account.id}`;
  const subject = account === null ? "The account" : `The account "${account.name}"`;
  return new ApiError("CONFLICT", {
    message: `${subject} can never perform this action: ${cause}. Update the account with PATCH ${url}.`,
    details: { reason },
  });
}

export function actionView(action: NetworkAction, accountState: NetworkAccount["state"]): ActionView {
  const { jobId, accountId, actionType, profileUrl, message, details, leadId, state, reference } = action;
  const wait = waitOf(action, accountState);
  const until = isoTimeOrNull(wait?.until ?? null);
  const wasPerformed = state === "completed" || state === "unknown";
  return {
    jobId,
    accountId,
    actionType,
    profileUrl,
    message,
    details,
    leadId,
    state,
    pendingReason: wait?.reason ?? null,
    status: actionMessage(action, accountState) || stateTexts[state],
    scheduledFor: until,
    nextEligibleAt: until,
    isReply: action.isUrgent,
    carriedOutAt: wasPerformed ? isoTimeOrNull(action.carriedOutAt ?? action.slotAt) : null,
    providerRef: reference,
    createdAt: isoTime(action.createdAt),
    updatedAt: isoTime(action.updatedAt),
  };
}

const stateTexts: Record<NetworkAction["state"], string> = {
  awaitingApproval: "Waiting for approval",
  scheduled: "Waiting for its turn in the queue",
  sending: "Being sent",
  awaiting: "Waiting for its outcome",
  completed: "Completed",
  skipped: "Skipped: not needed, or no longer allowed",
  failed: "Failed",
  unknown: "Outcome unknown: may or may not have been sent",
  canceled: "Canceled",
};
