import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { createMetrics } from "../../src/platform/metrics/metrics.ts";
import type { CreditMovements, MetricsStore } from "../../src/platform/metrics/store.ts";
import { FakeClock } from "../support/clock.ts";

test("a scrape does not wait for a database that is silent about credits, and counts what it says later once", async () => {
  const asked: { after: number; answer: (movements: CreditMovements) => void }[] = [];
  const metrics = await createMetrics({
    ...{ store: storeWhere((after) => new Promise((answer) => asked.push({ after, answer }))) },
    ...{ clock: new FakeClock(), dataDir: tmpdir(), lowBalance: 10, readTimeoutMs: 20 },
  });
  const granted = async () => /credits_total\{kind="granted"\} (\d+)/.exec(await metrics.text())?.[1] ?? null;
  expect(await granted()).toBeNull();
  expect(await granted()).toBeNull();
  expect(asked.map(({ after }) => after)).toEqual([7]);
  asked[0]!.answer({ sums: [{ kind: "grant", amount: 100 }], last: 8 });
  expect(await granted()).toBe("100");
  expect(asked.map(({ after }) => after)).toEqual([7, 8]);
  metrics.stop();
});

/** An empty database. */
function storeWhere(credits: (after: number) => Promise<CreditMovements>): MetricsStore {
  return {
    credits,
    lastCredit: async () => 7,
    balances: async () => ({ empty: 0, low: 0, enough: 0, total: 0 }),
    deliveries: async () => [],
    accounts: async () => [],
    queue: async () => [],
    oldestDueAt: async () => null,
    sizes: async () => ({ database: 0, log: null }),
    measureCommits: () => {},
  };
}
