import type { NetworkAccount, NetworkAction } from "./model.ts";

/**
 * What came of an attempt to carry an action out.
 * sent: it had its effect. refused: it had none and never will (`reason` says why, for a person). busy: it had none,
 * try again at `retryAt`. awaiting: it was handed on, and its end will be reported later. unknown: nobody can say
 * whether it had its effect.
 */
export type ConnectorOutcome =
  | { kind: "sent"; reference: string | null }
  | { kind: "refused"; reason: string }
  | { kind: "busy"; retryAt: number; reason: string }
  | { kind: "awaiting" }
  | { kind: "unknown"; reason: string };

/** A way of carrying actions out on the network. It never throws for what the network answers. */
export type Connector = {
  carryOut(action: NetworkAction, account: NetworkAccount, signal: AbortSignal): Promise<ConnectorOutcome>;
};
