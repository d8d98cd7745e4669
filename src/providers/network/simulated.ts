import type { Clock } from "../../clock.ts";
import type { Connector, ConnectorOutcome } from "../../network/connector.ts";
import type { NetworkAction } from "../../network/model.ts";

const busyRetryMs = 60_000;

/**
 * Carries actions out on a network that exists only in this process, the same way every time: an action is sent,
 * unless its profile path holds a word that asks for another ending: `refused`, `busy` (the first time) or `unknown`.
 */
export function createSimulatedConnector(clock: Clock): Connector {
  const wasBusy = new Set<string>();
  return {
    async carryOut(action) {
      if (action.profileKey.includes("busy") && !wasBusy.has(action.jobId)) {
        wasBusy.add(action.jobId);
        return { kind: "busy", retryAt: clock.now() + busyRetryMs, reason: "The simulated network asks for a pause." };
      }
      wasBusy.delete(action.jobId);
      return endingOf(action);
    },
  };
}

function endingOf(action: NetworkAction): ConnectorOutcome {
  if (action.profileKey.includes("refused"))
    return { kind: "refused", reason: "The simulated person does not take requests." };
  if (action.profileKey.includes("unknown"))
    return { kind: "unknown", reason: "The simulated network did not answer." };
  return { kind: "sent", reference: `simulated-${action.jobId}` };
}
