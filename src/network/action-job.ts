import { isoTime, type Clock } from "../clock.ts";
import type { JobContext, JobHandler } from "../jobs/handler.ts";
import type { Job, JobMetadata } from "../jobs/model.ts";
import type { Log } from "../log.ts";
import type { Connector, ConnectorOutcome } from "./connector.ts";
import type { ActionState, ConnectorName, NetworkAccount, NetworkAction } from "./model.ts";
import { nextOpenMoment } from "./pacing.ts";
import type { NetworkStore } from "./store.ts";

/** A connector that takes longer than this has an unknown outcome. */
const connectorTimeoutMs = 60_000;

export type Connectors = Record<ConnectorName, Connector>;

/**
 * Carries out a scheduled action when it is due. A mark is written before the connector is called; whoever finds the
 * mark on a job that is claimed again knows that an earlier attempt died in between, and never repeats the call.
 */
export function createActionHandler(store: NetworkStore, connectors: Connectors, clock: Clock, log: Log): JobHandler {
  async function run(job: Job, { claim, signal, patiently }: JobContext): Promise<null> {
    const end = (state: ActionState, message: string, metadata: JobMetadata) =>
      store.endAction(claim, { state, message, metadata, at: clock.now() });
    const postpone = (runAt: number, message: string, pendingReason: string) =>
      store.postpone(claim, { runAt, message, metadata: postponed(runAt, pendingReason), at: clock.now() });

    const action = await store.action(job.id);
    const account = action && (await store.account(job.userId, action.accountId));
    if (action === null || account === null) {
      await end("failed", "The account of this action is gone.", { outcome: "failed" });
      return null;
    }
    if (action.state === "sending") {
      const reason = "The server was interrupted while this was being sent.";
      await end("unknown", `${reason} ${notRepeated}`, { outcome: "unknown" });
      return null;
    }
    const openAt = nextOpenMoment(clock.now(), account.workingHours, account.timeZone);
    if (openAt === null || openAt > clock.now()) {
      // The server was down at the planned moment, or the hours were changed since.
      const runAt = openAt ?? clock.now() + dayMs;
      await postpone(runAt, `Waits for the account's working hours, until ${isoTime(runAt)}`, "outsideWorkingHours");
      return null;
    }
    // The runner sets what was interrupted to pending again; before the mark nothing has happened yet.
    signal.throwIfAborted();
    const mark = await store.markSending(claim, clock.now());
    if (mark.kind === "tooSoon")
      await postpone(mark.freeAt, `Keeps its distance from the last action, until ${isoTime(mark.freeAt)}`, "spacing");
    if (mark.kind !== "marked") return null;
    const outcome = await carryOut(action, account);
    log.info(
      { jobId: job.id, actionType: action.actionType, connector: account.connector, outcome: outcome.kind },
      "action carried out",
    );
    if (outcome.kind === "busy")
      await patiently(() =>
        postpone(outcome.retryAt, `${outcome.reason} Tried again at ${isoTime(outcome.retryAt)}`, "cooldown"),
      );
    else await patiently(() => end(...endingOf(outcome, action)));
    return null;
  }

  async function carryOut(action: NetworkAction, account: NetworkAccount): Promise<ConnectorOutcome> {
    const timeout = new AbortController();
    let cancelTimer = (): void => {};
    const timedOut = new Promise<ConnectorOutcome>((resolve) => {
      cancelTimer = clock.after(connectorTimeoutMs, () => {
        timeout.abort(new Error("Timed out"));
        resolve({
          kind: "unknown",
          reason: `The connector did not answer within ${connectorTimeoutMs / 1000} seconds.`,
        });
      });
    });
    try {
      return await Promise.race([connectors[account.connector].carryOut(action, account, timeout.signal), timedOut]);
    } catch (error) {
      log.error({ err: error, jobId: action.jobId, connector: account.connector }, "a connector failed");
      return { kind: "unknown", reason: "The connector failed in the middle of the call." };
    } finally {
      cancelTimer();
    }
  }

  return { type: "linkedin_action", concurrency: 8, run };
}

const dayMs = 86_400_000;
const notRepeated =
  "It may or may not have had its effect, so it is not repeated. Look at the profile before you schedule it again.";

function postponed(runAt: number, pendingReason: string): JobMetadata {
  return { scheduledFor: isoTime(runAt), nextEligibleAt: isoTime(runAt), pendingReason };
}

function endingOf(
  outcome: Exclude<ConnectorOutcome, { kind: "busy" }>,
  { actionType, profileUrl }: NetworkAction,
): [ActionState, string, JobMetadata] {
  switch (outcome.kind) {
    case "sent":
      return [
        "done",
        `${actionType} carried out for ${profileUrl}`,
        { outcome: "sent", providerRef: outcome.reference },
      ];
    case "refused":
      return ["failed", `Refused: ${outcome.reason}`, { outcome: "failed", reason: outcome.reason }];
    case "awaiting":
      return ["awaiting", "Waits for a person: see GET /api/v2/network/tasks", { pendingReason: "awaitingPerson" }];
    case "unknown":
      return ["unknown", `${outcome.reason} ${notRepeated}`, { outcome: "unknown", reason: outcome.reason }];
  }
}
