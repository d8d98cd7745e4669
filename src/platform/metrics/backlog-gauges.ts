import type { Clock } from "../base/clock.ts";
import { CachedValue } from "./cached-value.ts";
import type { GaugeConfiguration } from "./database-readings.ts";
import { backlogStates, type MetricsStore } from "./store.ts";

/** Scrapers usually poll every 15 s. Several of them share a result. */
const cacheMs = 10_000;

type Parts = {
  store: MetricsStore;
  clock: Clock;
  /** Balance below which a workspace is warned. */
  lowBalance: number;
};

/**
 * Adds gauges of what waits outside the job queue: deliveries to webhooks, and accounts and workspaces that need someone.
 * `add` is for gauges that read the database.
 */
export function addBacklogGauges(
  add: (settings: GaugeConfiguration) => void,
  { store, clock, lowBalance }: Parts,
): void {
  const balances = new CachedValue(() => store.balances(lowBalance), cacheMs, clock);
  const deliveries = new CachedValue(() => store.deliveries(), cacheMs, clock);
  const accounts = new CachedValue(() => store.accounts(), cacheMs, clock);
  add({
    name: "outreachd_webhook_deliveries",
    help: "Deliveries to webhooks by state. pending: not tried yet; retrying: failed so far; failed: given up.",
    labelNames: ["state"],
    async collect() {
      const found = await deliveries.get();
      for (const state of backlogStates) this.set({ state }, found.find((each) => each.state === state)?.count ?? 0);
    },
  });
  add({
    name: "outreachd_webhook_oldest_event_age_seconds",
    help: "Age of the oldest event that waits for its delivery to a webhook, by state.",
    labelNames: ["state"],
    async collect() {
      const found = await deliveries.get();
      for (const state of backlogStates) {
        const at = found.find((each) => each.state === state)?.oldestEventAt ?? null;
        if (state !== "failed") this.set({ state }, at === null ? 0 : Math.max(0, clock.now() - at) / 1000);
      }
    },
  });
  add({
    name: "outreachd_network_accounts",
    help: "Network accounts by state. needsReconnect: nothing is sent until the user reconnects it.",
    labelNames: ["state"],
    async collect() {
      const found = await accounts.get();
      this.reset();
      for (const { state, count } of found) this.set({ state }, count);
    },
  });
  // By state, not by workspace: a series for each of thousands would be too many.
  add({
    name: "outreachd_credit_workspaces",
    help: `Workspaces that were granted credits, by balance. empty: 0; low: below ${lowBalance}; enough: all others.`,
    labelNames: ["balance"],
    async collect() {
      const { total: _, ...counts } = await balances.get();
      for (const [balance, count] of Object.entries(counts)) this.set({ balance }, count);
    },
  });
  add({
    name: "outreachd_credit_balance",
    help: "Sum of the credit balances of all workspaces.",
    labelNames: [],
    async collect() {
      this.set((await balances.get()).total);
    },
  });
}
