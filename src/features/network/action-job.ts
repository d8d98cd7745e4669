import type { Clock } from "../../platform/base/clock.ts";
import type { JobContext, JobHandler } from "../../platform/jobs/handler.ts";
import type { Job } from "../../platform/jobs/model.ts";
import type { Log } from "../../platform/base/log.ts";
import type { ConnectorName } from "./account-model.ts";
import type { NetworkAction } from "./action-model.ts";
import type { ActionOrder, Connector, ConnectorOutcome, VoiceAudio } from "./connector.ts";
import { consequenceOf } from "./outcome.ts";
import { SharedTimeLimit } from "./shared-time-limit.ts";
import type { Speech, SpeechProvider } from "./speech-provider.ts";
import type { NetworkStore } from "./store.ts";
import type { DueAction, Delegation } from "./queue-model.ts";

/** An action whose connector takes longer than this has an unknown outcome. */
const connectorTimeoutMs = 60_000;
/** Actions claimed in one transaction, which must not block the event loop for long. */
const claimBatchSize = 128;
/**
 * Actions in progress at once, across all accounts; the store enforces the spacing of each account. High enough that the
 * next batch is claimed while the previous ones are ending.
 */
const concurrency = 3 * claimBatchSize;
/** Speech generation can fail because the voice is busy or broken, so it is retried later. */
const speechRetryMs = 10 * 60_000;
/** On a busy machine, generating one minute of speech takes a few minutes. */
const speechTimeoutMs = 15 * 60_000;

/** How long a vendor has to report the outcome of an action. */
const reportTimeoutMs = 48 * 3_600_000;
const pollIntervalMs = 5 * 60_000;

export type Connectors = Record<ConnectorName, Connector>;

export type ActionJobParts = {
  store: NetworkStore;
  connectors: Connectors;
  speech: SpeechProvider;
  clock: Clock;
  log: Log;
  /** Requests that queues be rescheduled if necessary. */
  replan: () => void;
  /** Called with the outcome of each attempt. */
  onOutcome?: ((connector: ConnectorName, outcome: ConnectorOutcome["kind"]) => void) | undefined;
  /** Called when an action ends that a campaign may be waiting for. */
  onEnded: () => void;
};

/**
 * Performs actions when they are due. The store durably marks an action as sending before the connector is called. If the
 * mark is found on a job with an expired lease, the previous attempt died during the call, so the action is not repeated.
 */
export function createActionHandler({
  store,
  connectors,
  speech,
  clock,
  log,
  replan,
  onOutcome,
  onEnded,
}: ActionJobParts): JobHandler {
  const claimedActions = new Map<string, DueAction>();
  const timeLimit = new SharedTimeLimit(clock, connectorTimeoutMs);
  const speechTimeLimit = new SharedTimeLimit(clock, speechTimeoutMs);

  async function run(job: Job, context: JobContext): Promise<null> {
    const due = claimedActions.get(claimKey(job));
    claimedActions.delete(claimKey(job));
    if (due === undefined) throw new Error("The job was not claimed by its handler");
    if (due.task === "follow") await settle(due, context, await follow(due));
    else if (due.task === "send") await send(due, context, null);
    else await speakAndSend(due, context);
    return null;
  }

  async function speakAndSend(due: DueAction, context: JobContext): Promise<void> {
    const { claim, signal } = context;
    const { workspaceId, details, message } = due.action;
    const spoken = await generateSpeech(
      claim.id,
      (ending) => speech.speak(workspaceId, details.voiceId ?? "", message ?? "", ending),
      signal,
    );
    // The runner returns interrupted jobs to pending. Until the action is marked as sending, nothing has happened.
    signal.throwIfAborted();
    if (spoken.kind === "refused") {
      const retryAt = clock.now() + speechRetryMs;
      await store.defer(claim, { kind: "retry", retryAt, message: spoken.reason, at: clock.now() });
    } else if (await store.markSending(claim, clock.now())) await send(due, context, spoken.audio);
  }

  /** The action is marked as sending. */
  async function send(due: DueAction, context: JobContext, audio: VoiceAudio | null): Promise<void> {
    if (context.isHeld()) return settle(due, context, await carryOut(due, audio), audio);
    // The process stood still. If another node has not claimed the action meanwhile, it is certain that nothing was sent.
    const message = "The server paused before the action was sent.";
    await store.defer(context.claim, { kind: "retry", retryAt: clock.now(), message, at: clock.now() });
  }

  /** Errors and timeouts of the voice are returned as refusals. */
  async function generateSpeech(
    jobId: string,
    speak: (signal: AbortSignal) => Promise<Speech>,
    signal: AbortSignal,
  ): Promise<Speech> {
    try {
      const spoken = await speechTimeLimit.within((tooLong) => speak(AbortSignal.any([signal, tooLong])));
      return spoken === "timedOut" ? { kind: "refused", reason: "Speech generation timed out." } : spoken;
    } catch (error) {
      signal.throwIfAborted();
      log.error({ err: error, jobId }, "speech generation failed");
      return { kind: "refused", reason: "Speech generation failed." };
    }
  }

  /** Only this process knows the outcome, so it keeps retrying when the disk is full. */
  async function settle(
    { action, account }: DueAction,
    { claim, retryOnDiskFault }: JobContext,
    outcome: ConnectorOutcome,
    audio: VoiceAudio | null = null,
  ): Promise<void> {
    const consequence = consequenceOf(outcome, action, account.connector, clock.now());
    if (consequence.kind === "end" && audio !== null) consequence.end.metadata["audioSeconds"] = audio.seconds;
    const { jobId, actionType } = action;
    onOutcome?.(account.connector, outcome.kind);
    log.debug({ jobId, actionType, connector: account.connector, outcome: outcome.kind }, "action performed");
    await retryOnDiskFault(() => {
      if (consequence.kind === "end") return store.endAction(claim, consequence.end);
      if (consequence.kind === "defer") return store.defer(claim, consequence.deferral);
      return store.delegate(claim, withDeadline(consequence.delegation));
    });
    if (consequence.kind === "defer") replan();
    else if (action.enrollmentId !== null || (consequence.kind === "end" && consequence.end.relation !== null))
      onEnded();
  }

  async function carryOut(due: DueAction, audio: VoiceAudio | null): Promise<ConnectorOutcome> {
    const order = orderOf(due.action, audio);
    const answer = await within(due, (connector, signal) => connector.carryOut(order, due.account, signal));
    return "problem" in answer ? { kind: "unknown", reason: answer.problem } : answer;
  }

  /** Polls a vendor for the outcome of an action. Polling is harmless, so the outcome is unknown only after a long time. */
  async function follow(due: DueAction): Promise<ConnectorOutcome> {
    const { reference, slotAt } = due.action;
    const order = orderOf(due.action, null);
    const answer = await within(due, async (connector, signal) =>
      reference === null ? undefined : connector.follow?.(reference, order, due.account, signal),
    );
    if (!("problem" in answer)) return answer;
    if (clock.now() >= (slotAt ?? 0) + reportTimeoutMs)
      return { kind: "unknown", reason: "No outcome was reported within two days." };
    return { kind: "delegated", to: "vendor", reference, checkAt: clock.now() + pollIntervalMs };
  }

  /** Calls a connector with a time limit. Returns a problem if the connector gave no outcome. */
  async function within(
    { action, account }: DueAction,
    call: (connector: Connector, signal: AbortSignal) => Promise<ConnectorOutcome | undefined>,
  ): Promise<ConnectorOutcome | { problem: string }> {
    try {
      const answer = await timeLimit.within((signal) => call(connectors[account.connector], signal));
      if (answer === "timedOut")
        return { problem: `The connector did not respond within ${connectorTimeoutMs / 1000} seconds.` };
      return answer ?? { problem: "The connector cannot report outcomes." };
    } catch (error) {
      log.error({ err: error, jobId: action.jobId, connector: account.connector }, "connector failed");
      return { problem: "The connector failed during the call." };
    }
  }

  return {
    type: "linkedin_action",
    concurrency,
    claimedTogether: claimBatchSize,
    async claim(request) {
      const { due, more, needsPlan } = await store.claimDue({
        ...request,
        limit: Math.min(request.limit, claimBatchSize),
      });
      if (needsPlan) replan();
      for (const item of due) claimedActions.set(claimKey(item.job), item);
      return { jobs: due.map(({ job }) => job), more };
    },
    run,
    // Called when the runner gives up on a job: a campaign may be waiting for it.
    onEnded: async () => onEnded(),
  };
}

/** Adds a time to check on actions whose outcome the vendor should report, in case it never does. */
function withDeadline(delegation: Delegation): Delegation {
  if (delegation.to === "person" || delegation.checkAt !== null) return delegation;
  return { ...delegation, checkAt: delegation.at + reportTimeoutMs };
}

/** A job whose claim was lost may be claimed again before its previous run has ended. */
function claimKey({ id, attempt }: Job): string {
  return `${id}:${attempt}`;
}

export function orderOf(action: NetworkAction, audio: VoiceAudio | null): ActionOrder {
  const { jobId, actionType, profileUrl, profileKey, message, details } = action;
  return { jobId, actionType, profileUrl, profileKey, message, details, audio };
}
