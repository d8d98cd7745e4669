import type { Refusal } from "../../../features/network/action-model.ts";
import type { ConnectorOutcome } from "../../../features/network/connector.ts";
import type { News, Relation } from "../../../features/network/contact-model.ts";

/** Thrown by any nested step to end an order with its outcome. It never leaves an adapter. */
export class Ending extends Error {
  readonly outcome: ConnectorOutcome;

  constructor(outcome: ConnectorOutcome) {
    super(`Ended as ${outcome.kind}`);
    this.outcome = outcome;
  }
}

/** Returns the outcome that `steps` returns or throws. */
export async function outcomeOf(steps: () => Promise<ConnectorOutcome>): Promise<ConnectorOutcome> {
  try {
    return await steps();
  } catch (error) {
    if (error instanceof Ending) return error.outcome;
    throw error;
  }
}

/** Returns the news that `look` finds; none if it ended early because the vendor was unavailable. */
export async function newsOrNone(look: () => Promise<News[]>): Promise<News[]> {
  return (await valueOrNull(look)) ?? [];
}

/** Returns what `read` returns; null if it ended early because the vendor was unavailable. */
export async function valueOrNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Ending) return null;
    throw error;
  }
}

export function sent(reference: string | null, relation?: Relation): ConnectorOutcome {
  return { kind: "completed", reference, ...(relation && { relation }) };
}

export function refused(refusal: Refusal, reason: string, relation?: Relation): ConnectorOutcome {
  return { kind: "refused", refusal, reason, ...(relation && { relation }) };
}

/** For actions that the vendor, or our adapter, does not support. */
export function notSupported(vendor: string, what: string): ConnectorOutcome {
  return refused("notSupported", `${vendor} cannot ${what}. Use another connector for it.`);
}

export function busy(retryAt: number, reason: string): ConnectorOutcome {
  return { kind: "busy", retryAt, reason };
}

export function unknownOutcome(reason: string): ConnectorOutcome {
  return { kind: "unknown", reason };
}
