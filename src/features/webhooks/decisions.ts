import type { Decision } from "../../platform/base/decision.ts";
import { shortReason, type NewEvent } from "../../platform/events/model.ts";
import type { EndpointChange, Settlement, StoredDelivery, StoredEndpoint } from "./change-model.ts";
import { maxAttemptsKept } from "./model.ts";

export type WebhookChange =
  | { kind: "delivery"; eventId: number; delivery: StoredDelivery }
  | { kind: "endpoint"; endpoint: StoredEndpoint }
  | { kind: "event"; event: NewEvent };

/**
 * What the outcomes of attempts change about their endpoint and its deliveries. `delivery` returns null if the delivery
 * has been deleted together with its event.
 */
export function decideSettlements(
  endpoint: StoredEndpoint,
  settlements: readonly Settlement[],
  delivery: (eventId: number) => StoredDelivery | null,
): Decision<void, WebhookChange> {
  const deliveries = new Map<number, StoredDelivery>();
  const events: NewEvent[] = [];
  let after = endpoint;
  for (const settlement of settlements) {
    const { eventId, attempt, disableReason } = settlement;
    const before = deliveries.get(eventId) ?? delivery(eventId);
    if (before !== null) deliveries.set(eventId, settledDelivery(before, settlement));
    after = attemptedEndpoint(after, settlement);
    if (disableReason === null || !after.isEnabled) continue;
    after = { ...after, isEnabled: false, disabledAt: attempt.at, disabledReason: disableReason };
    events.push(disabledEvent(after, disableReason, attempt.at));
  }
  return {
    outcome: undefined,
    changes: [
      ...[...deliveries].map(([eventId, each]) => ({ kind: "delivery", eventId, delivery: each }) as const),
      { kind: "endpoint", endpoint: after },
      ...events.map((event) => ({ kind: "event", event }) as const),
    ],
  };
}

/** A delivery that a user requested while it was being posted from the queue is posted once more, immediately. */
function settledDelivery(before: StoredDelivery, { attempt, isOnDemand, state, nextAt }: Settlement): StoredDelivery {
  const attempts = [...before.attempts, attempt].slice(-maxAttemptsKept);
  if (before.askedAt !== null && !isOnDemand) return { ...before, attempts };
  return { state, nextAt, askedAt: null, tries: before.tries + 1, attempts };
}

function attemptedEndpoint(before: StoredEndpoint, { attempt, backoffUntil }: Settlement): StoredEndpoint {
  if (attempt.error === null) return { ...workingAgain(before), lastSuccessAt: attempt.at };
  return {
    ...before,
    failures: before.failures + 1,
    failingSince: before.failingSince ?? attempt.at,
    restsUntil: Math.max(before.restsUntil, backoffUntil),
    lastFailureAt: attempt.at,
  };
}

function disabledEvent({ id, workspaceId }: StoredEndpoint, reason: string, at: number): NewEvent {
  return { type: "webhook.disabled", workspaceId, at, data: { endpointId: id, reason: shortReason(reason) } };
}

/**
 * The endpoint after a change by its user. `isTurnedOn`: it receives events from now on. `isRetried`: pending deliveries
 * are due immediately, because the change may have fixed what made them fail.
 */
export function changedEndpoint(
  before: StoredEndpoint,
  { at, isEnabled = before.isEnabled, ...content }: EndpointChange,
): { endpoint: StoredEndpoint; isTurnedOn: boolean; isRetried: boolean } {
  const isTurnedOn = isEnabled && !before.isEnabled;
  const isRetried = isTurnedOn || (content.url ?? before.url) !== before.url;
  const { disabledAt, disabledReason } = isTurnedOn ? { disabledAt: null, disabledReason: null } : before;
  const endpoint = {
    ...(isRetried ? workingAgain(before) : before),
    ...content,
    isEnabled,
    disabledAt: before.isEnabled && !isEnabled ? at : disabledAt,
    disabledReason,
    updatedAt: at,
  };
  return { endpoint, isTurnedOn, isRetried };
}

/** Deliveries are also signed with the secret of before, until `oldUntil`. */
export function rotatedEndpoint(
  before: StoredEndpoint,
  { secret, oldUntil, at }: { secret: string; oldUntil: number; at: number },
): StoredEndpoint {
  return { ...before, secret, oldSecret: before.secret, oldSecretUntil: oldUntil, updatedAt: at };
}

/**
 * A delivery that a user wants posted again: on demand, unless `others`, the number of deliveries of the endpoint that
 * are waiting for that, has reached the limit.
 */
export function replayedDelivery(
  before: StoredDelivery,
  others: number,
  { at, maxOnDemand }: { at: number; maxOnDemand: number },
): StoredDelivery {
  const isOnDemand = others < maxOnDemand;
  const when = isOnDemand ? { nextAt: null, askedAt: at } : { nextAt: at, askedAt: null };
  return { ...before, state: "pending", tries: 0, ...when };
}

/**
 * Whether replaying a time range queues an event; `delivery` is null if the endpoint has never received it. Deliveries
 * that are due are on their way, and those that wait for their next attempt need not wait any longer.
 */
export function isReplayed(
  delivery: Pick<StoredDelivery, "state" | "nextAt"> | null,
  { includesDelivered, at }: { includesDelivered: boolean; at: number },
): boolean {
  if (delivery === null || delivery.state === "failed") return true;
  if (delivery.nextAt !== null && delivery.nextAt > at) return true;
  return includesDelivered && delivery.state === "delivered";
}

/** When the next attempt is shown to be; null if the endpoint is disabled or nothing is planned. */
export function shownNextAt(
  { isEnabled, restsUntil }: Pick<StoredEndpoint, "isEnabled" | "restsUntil">,
  { nextAt, askedAt }: Pick<StoredDelivery, "nextAt" | "askedAt">,
): number | null {
  if (!isEnabled) return null;
  return askedAt ?? (nextAt === null ? null : Math.max(nextAt, restsUntil));
}

function workingAgain(endpoint: StoredEndpoint): StoredEndpoint {
  return { ...endpoint, failures: 0, failingSince: null, restsUntil: 0 };
}
