import type { Clock } from "../base/clock.ts";
import { CachedValue } from "./cached-value.ts";
import type { Gauge } from "./prom-client.ts";
import { backlogStates, type MetricsStore } from "./store.ts";

/** Scrapers usually poll every 15 s. Several of them share a result. */
const cacheMs = 10_000;

type GaugeSettings = {
  name: string;
  help: string;
  labelNames: readonly string[];
  collect: (this: Gauge) => Promise<void>;
};

/** Adds gauges of what waits outside the job queue: deliveries to webhooks, and accounts that need their user. */
export function addBacklogGauges(add: (settings: GaugeSettings) => void, store: MetricsStore, clock: Clock): void {
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
}
