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

/** A connector that takes longer than this has an unknown outcome. */
const connectorTimeoutMs = 60_000;
/** So many are claimed in one go, which must not keep the event loop for long. */
const claimedTogether = 128;
/**
 * So many actions of all accounts are under way at once; an account's own pace is kept by the store. Enough that the
 * next are claimed in the commit that ends those before.
 */
const concurrency = 3 * claimedTogether;
/** What can't be spoken now, because the voice is busy or broken, may be spoken later. */
const speakAgainMs = 10 * 60_000;
/** A minute of speech takes a busy machine a few. */
const speechTimeoutMs = 15 * 60_000;

/** How long a vendor has to report the outcome of an action. */
const longestSilenceMs = 48 * 3_600_000;
const askAgainMs = 5 * 60_000;

export type Connectors = Record<ConnectorName, Connector>;

export type ActionJobParts = {
  store: NetworkStore;
  connectors: Connectors;
  speech: SpeechProvider;
  clock: Clock;
  log: Log;
  /** Some queue is to be planned again, perhaps. */
  replan: () => void;
  /** Hears what a connector made of an action. */
  onOutcome?: ((connector: ConnectorName, outcome: ConnectorOutcome["kind"]) => void) | undefined;
  /** An action has ended that a campaign may have waited for. */
  onEnded: () => void;
};

/**
 * Carries actions out when they are due. The store marks an action as sending, durably, before the connector is called;
 * whoever finds the mark on a job whose lease ended knows that an earlier attempt died in between, and never repeats it.
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
  const taken = new Map<string, DueAction>();
  const timeLimit = new SharedTimeLimit(clock, connectorTimeoutMs);
  const speechTimeLimit = new SharedTimeLimit(clock, speechTimeoutMs);

  async function run(job: Job, context: JobContext): Promise<null> {
    const due = taken.get(claimKey(job));
    taken.delete(claimKey(job));
    if (due === undefined) throw new Error("The job was not claimed by its handler");
    if (due.task === "follow") await settle(due, context, await follow(due));
    else if (due.task === "send") await settle(due, context, await carryOut(due, null));
    else await speakAndSend(due, context);
    return null;
  }

  async function speakAndSend(due: DueAction, context: JobContext): Promise<void> {
    const { claim, signal } = context;
    const { userId, details, message } = due.action;
    const spoken = await spokenBy(
      claim.id,
      (ending) => speech.speak(userId, details.voiceId ?? "", message ?? "", ending),
      signal,
    );
    // The runner sets what was interrupted to pending again; before the mark nothing has happened yet.
    signal.throwIfAborted();
    if (spoken.kind === "refused") {
      const retryAt = clock.now() + speakAgainMs;
      await store.defer(claim, { kind: "retry", retryAt, message: spoken.reason, at: clock.now() });
    } else if (await store.markSending(claim, clock.now()))
      await settle(due, context, await carryOut(due, spoken.audio));
  }

  /** A voice that fails, or does not come to an end, is a voice that can't speak now. */
  async function spokenBy(
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

  /** Only this process knows the outcome, so it is not given up when the disk takes no writes. */
  async function settle(
    { action, account }: DueAction,
    { claim, patiently }: JobContext,
    outcome: ConnectorOutcome,
  ): Promise<void> {
    const consequence = consequenceOf(outcome, action, account.connector, clock.now());
    const { jobId, actionType } = action;
    onOutcome?.(account.connector, outcome.kind);
    log.debug({ jobId, actionType, connector: account.connector, outcome: outcome.kind }, "action performed");
    await patiently(() => {
      if (consequence.kind === "end") return store.endAction(claim, consequence.end);
      if (consequence.kind === "defer") return store.defer(claim, consequence.deferral);
      return store.delegate(claim, reminded(consequence.delegation));
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

  /** Asks a vendor what became of an action. To ask again does no harm, so only a long silence makes it unknown. */
  async function follow(due: DueAction): Promise<ConnectorOutcome> {
    const { reference, slotAt } = due.action;
    const order = orderOf(due.action, null);
    const answer = await within(due, async (connector, signal) =>
      reference === null ? undefined : connector.follow?.(reference, order, due.account, signal),
    );
    if (!("problem" in answer)) return answer;
    if (clock.now() >= (slotAt ?? 0) + longestSilenceMs)
      return { kind: "unknown", reason: "No outcome was reported within two days." };
    return { kind: "delegated", to: "vendor", reference, checkAt: clock.now() + askAgainMs };
  }

  /** Calls a connector, with a limit on the time that it takes. A problem: it gave no answer. */
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
    async claim(request) {
      const { due, more, needsPlan } = await store.claimDue({
        ...request,
        limit: Math.min(request.limit, claimedTogether),
      });
      if (needsPlan) replan();
      for (const item of due) taken.set(claimKey(item.job), item);
      return { jobs: due.map(({ job }) => job), more };
    },
    run,
    // By the runner, which gave it up: whoever waits for the action hears of it.
    ended: async () => onEnded(),
  };
}

/** Of what a vendor should report by itself, the silence is noticed. */
function reminded(delegation: Delegation): Delegation {
  if (delegation.to === "person" || delegation.checkAt !== null) return delegation;
  return { ...delegation, checkAt: delegation.at + longestSilenceMs };
}

/** A job whose claim was lost may be claimed again before its old run has ended. */
function claimKey({ id, attempt }: Job): string {
  return `${id}:${attempt}`;
}

export function orderOf(action: NetworkAction, audio: VoiceAudio | null): ActionOrder {
  const { jobId, actionType, profileUrl, profileKey, message, details } = action;
  return { jobId, actionType, profileUrl, profileKey, message, details, audio };
}
