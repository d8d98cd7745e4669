import { describe, expect, test } from "bun:test";
import { array, assert, boolean, constantFrom, integer, nat, option, property, record } from "fast-check";
import type { Settlement, StoredDelivery, StoredEndpoint } from "../../src/features/webhooks/change-model.ts";
import {
  changedEndpoint,
  decideSettlements,
  isReplayed,
  replayedDelivery,
  rotatedEndpoint,
  shownNextAt,
} from "../../src/features/webhooks/decisions.ts";
import { maxAttemptsKept } from "../../src/features/webhooks/model.ts";
import { startOfTests as now } from "../support/clock.ts";

const endpoint: StoredEndpoint = {
  id: "endpoint",
  workspaceId: "user",
  url: "https://example.com/hooks",
  description: null,
  types: null,
  isEnabled: true,
  disabledAt: null,
  disabledReason: null,
  secret: "secret",
  oldSecret: null,
  oldSecretUntil: null,
  failures: 0,
  failingSince: null,
  restsUntil: 0,
  lastSuccessAt: null,
  lastFailureAt: null,
  createdAt: now,
  updatedAt: now,
};
const failing: StoredEndpoint = { ...endpoint, failures: 4, failingSince: now - 9, restsUntil: now + 9 };
const queued: StoredDelivery = { state: "pending", nextAt: now, askedAt: null, tries: 0, attempts: [] };

function settlement(eventId: number, at: number, overrides: Partial<Settlement> = {}): Settlement {
  const attempt = { at, status: 200, latencyMs: 1, error: null, response: "" };
  const delivered = { state: "delivered", nextAt: null, backoffUntil: 0, disableReason: null } as const;
  return { endpointId: endpoint.id, eventId, attempt, isOnDemand: false, ...delivered, ...overrides };
}

function failure(eventId: number, at: number, overrides: Partial<Settlement> = {}): Settlement {
  const { attempt, ...rest } = settlement(eventId, at);
  const failed = { ...attempt, status: 500, error: "It failed." };
  return { ...rest, attempt: failed, state: "pending", nextAt: at + 5, backoffUntil: at + 7, ...overrides };
}

/** What is stored after the settlements, in one batch. */
function settle(
  before: StoredEndpoint,
  settlements: readonly Settlement[],
  delivery: StoredDelivery | null = queued,
): { endpoint: StoredEndpoint; deliveries: Map<number, StoredDelivery>; events: unknown[] } {
  const after = { endpoint: before, deliveries: new Map<number, StoredDelivery>(), events: [] as unknown[] };
  for (const change of decideSettlements(before, settlements, () => delivery).changes)
    if (change.kind === "endpoint") after.endpoint = change.endpoint;
    else if (change.kind === "delivery") after.deliveries.set(change.eventId, change.delivery);
    else after.events.push(change.event);
  return after;
}

describe("the outcomes of attempts", () => {
  const outcome = record({
    eventId: nat(3),
    hasArrived: boolean(),
    isOnDemand: boolean(),
    backoffMs: nat(50),
    disableReason: option(constantFrom("Gone."), { freq: 9 }),
  });
  const outcomes = array(outcome, { maxLength: 40 }).map((taken) =>
    taken.map(({ eventId, hasArrived, isOnDemand, backoffMs, disableReason }, index) =>
      hasArrived
        ? settlement(eventId, now + index, { isOnDemand })
        : failure(eventId, now + index, { isOnDemand, backoffUntil: now + index + backoffMs, disableReason }),
    ),
  );
  const runs = { seed: 20_260_103, numRuns: 200 };

  test("count failures since the last success, and rest until the longest backoff since", () => {
    assert(
      property(outcomes, (settlements) => {
        const { endpoint: after } = settle(endpoint, settlements);
        const lastSuccess = settlements.findLastIndex(({ attempt }) => attempt.error === null);
        const since = settlements.slice(lastSuccess + 1);
        expect(after.failures).toBe(since.length);
        expect(after.failingSince).toBe(since[0]?.attempt.at ?? null);
        expect(after.restsUntil).toBe(Math.max(0, ...since.map(({ backoffUntil }) => backoffUntil)));
      }),
      runs,
    );
  });

  test("have the same effect in one batch as one by one", () => {
    assert(
      property(outcomes, (settlements) => {
        const stored = new Map<number, StoredDelivery>();
        let oneByOne = endpoint;
        for (const each of settlements) {
          const after = settle(oneByOne, [each], stored.get(each.eventId) ?? queued);
          oneByOne = after.endpoint;
          for (const [eventId, delivery] of after.deliveries) stored.set(eventId, delivery);
        }
        const together = settle(endpoint, settlements);
        expect(together.endpoint).toEqual(oneByOne);
        expect(together.deliveries).toEqual(stored);
      }),
      runs,
    );
  });

  test("disable an endpoint once, and say so once", () => {
    assert(
      property(outcomes, (settlements) => {
        const { endpoint: after, events } = settle(endpoint, settlements);
        const first = settlements.find(({ disableReason }) => disableReason !== null);
        expect(events).toHaveLength(first === undefined ? 0 : 1);
        expect(after.isEnabled).toBe(first === undefined);
        expect(after.disabledAt).toBe(first?.attempt.at ?? null);
        expect(after.disabledReason).toBe(first?.disableReason ?? null);
      }),
      runs,
    );
  });

  test("keep the latest attempts", () => {
    const settlements = Array.from({ length: maxAttemptsKept + 5 }, (_, n) => failure(1, now + n));
    const { attempts, tries } = settle(endpoint, settlements).deliveries.get(1)!;
    expect(tries).toBe(maxAttemptsKept + 5);
    expect(attempts.map(({ at }) => at)).toEqual(Array.from({ length: maxAttemptsKept }, (_, n) => now + n + 5));
  });

  test("leave a delivery pending that a user asked for meanwhile", () => {
    const asked = { ...queued, nextAt: null, askedAt: now - 1 };
    expect(settle(endpoint, [settlement(1, now)], asked).deliveries.get(1)).toMatchObject({
      ...{ state: "pending", askedAt: now - 1, tries: 0 },
      attempts: [{ at: now }],
    });
    const onDemand = settlement(1, now, { isOnDemand: true });
    expect(settle(endpoint, [onDemand], asked).deliveries.get(1)).toMatchObject({
      ...{ state: "delivered", askedAt: null, tries: 1 },
    });
  });

  test("count for the endpoint even if the delivery has been deleted", () => {
    const after = settle(failing, [settlement(1, now)], null);
    expect(after.deliveries.size).toBe(0);
    expect(after.endpoint).toMatchObject({ failures: 0, failingSince: null, restsUntil: 0, lastSuccessAt: now });
  });
});

describe("a change to an endpoint", () => {
  const disabled: StoredEndpoint = { ...failing, isEnabled: false, disabledAt: now - 1, disabledReason: "Gone." };

  test("that turns it on clears what disabled it, and retries pending deliveries", () => {
    const { endpoint: after, isTurnedOn, isRetried } = changedEndpoint(disabled, { isEnabled: true, at: now });
    expect([isTurnedOn, isRetried]).toEqual([true, true]);
    expect(after).toEqual({ ...endpoint, updatedAt: now });
  });

  test("that turns it off keeps its failures", () => {
    const { endpoint: after, isTurnedOn, isRetried } = changedEndpoint(failing, { isEnabled: false, at: now });
    expect([isTurnedOn, isRetried]).toEqual([false, false]);
    expect(after).toEqual({ ...failing, isEnabled: false, disabledAt: now, updatedAt: now });
  });

  test("of the URL retries pending deliveries, and of anything else does not", () => {
    const at = now + 1;
    const moved = changedEndpoint(failing, { url: "https://example.com/new", at });
    expect([moved.isTurnedOn, moved.isRetried]).toEqual([false, true]);
    expect(moved.endpoint).toMatchObject({ url: "https://example.com/new", failures: 0, restsUntil: 0, updatedAt: at });
    const { endpoint: after, isRetried } = changedEndpoint(failing, { url: failing.url, description: "CRM", at });
    expect(isRetried).toBe(false);
    expect(after).toEqual({ ...failing, description: "CRM", updatedAt: at });
  });

  test("of a disabled endpoint keeps the reason, also when it is disabled again", () => {
    for (const isEnabled of [undefined, false])
      expect(changedEndpoint(disabled, { ...(isEnabled === false && { isEnabled }), at: now }).endpoint).toEqual({
        ...disabled,
        updatedAt: now,
      });
  });

  test("of the secret keeps the previous one for a while", () => {
    const after = rotatedEndpoint(endpoint, { secret: "new", oldUntil: now + 5, at: now });
    expect(after).toEqual({ ...endpoint, secret: "new", oldSecret: "secret", oldSecretUntil: now + 5 });
  });
});

test("a replay is on demand until as many are waiting as may, and queued from then on", () => {
  const delivered: StoredDelivery = { ...queued, state: "delivered", nextAt: null, tries: 3 };
  const limits = { at: now, maxOnDemand: 2 };
  const pending = { state: "pending", tries: 0 } as const;
  expect(replayedDelivery(delivered, 1, limits)).toMatchObject({ ...pending, nextAt: null, askedAt: now });
  expect(replayedDelivery(delivered, 2, limits)).toMatchObject({ ...pending, nextAt: now, askedAt: null });
});

test("a range queues what has not arrived, and what has only on request", () => {
  const replayed = (delivery: Parameters<typeof isReplayed>[0]) =>
    [false, true].map((includesDelivered) => isReplayed(delivery, { includesDelivered, at: now }));
  expect(replayed(null)).toEqual([true, true]);
  expect(replayed({ state: "failed", nextAt: null })).toEqual([true, true]);
  expect(replayed({ state: "pending", nextAt: now + 1 })).toEqual([true, true]);
  expect(replayed({ state: "pending", nextAt: now })).toEqual([false, false]);
  expect(replayed({ state: "delivered", nextAt: null })).toEqual([false, true]);
});

test("the next attempt is shown with the backoff of the endpoint, and not while it is disabled", () => {
  const times = record({ nextAt: option(integer()), askedAt: option(integer()) });
  assert(
    property(times, nat(), (delivery, restsUntil) => {
      expect(shownNextAt({ isEnabled: false, restsUntil }, delivery)).toBeNull();
      const shown = shownNextAt({ isEnabled: true, restsUntil }, delivery);
      if (delivery.askedAt !== null) expect(shown).toBe(delivery.askedAt);
      else expect(shown).toBe(delivery.nextAt === null ? null : Math.max(delivery.nextAt, restsUntil));
    }),
    { seed: 20_260_104 },
  );
});
