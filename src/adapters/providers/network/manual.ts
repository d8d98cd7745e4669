import type { Connector } from "../../../features/network/connector.ts";

/** Delegates every action to a person: it waits in the task list until it is marked as done, failed, or skipped. */
export function createManualConnector(): Connector {
  return { carryOut: async () => ({ kind: "delegated", to: "person", reference: null, checkAt: null }) };
}
