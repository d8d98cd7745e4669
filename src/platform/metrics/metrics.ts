import { statfs } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock } from "../base/clock.ts";
import { version } from "../base/version.ts";
import type { Counter, Gauge, Histogram } from "./prom-client.ts";
import { addBacklogGauges } from "./backlog-gauges.ts";
import { CachedValue } from "./cached-value.ts";
import { DatabaseReadings, type GaugeConfiguration } from "./database-readings.ts";
import type { MetricsStore, QueueDepth } from "./store.ts";

export type MetricsParts = {
  store: MetricsStore;
  clock: Clock;
  dataDir: string;
  /** Credit balance below which a workspace is warned. */
  lowBalance: number;
  /** How long a scrape waits for readings of the database. With a probe, less than the usual 10 s that a scraper waits. */
  readTimeoutMs?: number;
};

/** Records events as they happen. Labels come from closed lists: route templates, job types, and connectors. */
export type Metrics = {
  /** What the request log measures. */
  http: {
    requests: Counter<"method" | "route" | "status">;
    durations: Histogram<"method" | "route">;
    inFlight: Gauge;
  };
  jobsClaimed(type: string, jobs: number): void;
  jobEnded(type: string, outcome: string): void;
  actionAttempted(connector: string, outcome: string): void;
  /** Adds a gauge that is read on each scrape. Every reading has the same labels, with values from closed lists. */
  addGauge(name: string, help: string, read: () => readonly [labels: Record<string, string>, value: number][]): void;
  /** All metrics in the Prometheus text format, version 0.0.4. */
  text(): Promise<string>;
  stop(): void;
};

const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const commitSeconds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5];
const commitWrites = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/** Scrapers usually poll every 15 s. Several of them share a result. */
const queueCacheMs = 10_000;
/** Further movements between two scrapes are counted in the next scrape. */
const maxCredits = 100_000;
const lagResolutionMs = 20;

/** Counts events from now on. Gauges are read on each scrape. */
export async function createMetrics({
  store,
  clock,
  dataDir,
  lowBalance,
  readTimeoutMs = 5_000,
}: MetricsParts): Promise<Metrics> {
  // Loaded only if metrics are enabled.
  const { Counter, Gauge, Histogram, Registry } = await import("./prom-client.ts");
  const registry = new Registry();
  const registers = [registry];
  const startedAt = clock.now();

  const requests = new Counter({
    name: "outreachd_http_requests_total",
    help: "Number of HTTP requests by route.",
    labelNames: ["method", "route", "status"],
    registers,
  });
  const durations = new Histogram({
    name: "outreachd_http_request_duration_seconds",
    help: "Time from receiving a request to sending the response headers.",
    labelNames: ["method", "route"],
    buckets: requestSeconds,
    registers,
  });
  const inFlight = new Gauge({ name: "outreachd_http_requests_in_flight", help: "Requests in progress.", registers });
  const claims = new Counter({
    name: "outreachd_jobs_claimed_total",
    help: "Number of claimed jobs.",
    labelNames: ["type"],
    registers,
  });
  const ends = new Counter({
    name: "outreachd_jobs_ended_total",
    help: "Number of job runs by outcome. again: will be retried; own: ended by the handler.",
    labelNames: ["type", "outcome"],
    registers,
  });
  const actions = new Counter({
    name: "outreachd_connector_outcomes_total",
    help: "Number of connector calls by outcome.",
    labelNames: ["connector", "outcome"],
    registers,
  });
  const batches = new Histogram({
    name: "outreachd_commit_writes",
    help: "Number of writes per commit.",
    buckets: commitWrites,
    registers,
  });
  const commits = new Histogram({
    name: "outreachd_commit_duration_seconds",
    help: "Duration of a group commit, including its writes.",
    buckets: commitSeconds,
    registers,
  });
  store.measureCommits({ units: batches, seconds: commits });

  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  const database = new DatabaseReadings(() => store.oldestDueAt(clock.now()), readTimeoutMs);
  /** A gauge that is left out while the database does not respond. */
  const databaseGauge = (settings: GaugeConfiguration) => void new Gauge({ ...database.guard(settings), registers });
  const databaseNumber = (name: string, help: string, read: () => Promise<number>) =>
    databaseGauge({
      ...{ name, help, labelNames: [] },
      async collect() {
        this.set(await read());
      },
    });
  gauge(
    "outreachd_database_up",
    "1 if the database responds, otherwise 0: metrics that are read from it are left out.",
    () => (database.isUp ? 1 : 0),
  );
  const total = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });

  const queue = new CachedValue(() => store.queue(clock.now()), queueCacheMs, clock);
  const perType = (name: string, help: string, read: (depth: QueueDepth) => number) =>
    databaseGauge({
      name,
      help,
      labelNames: ["type"],
      async collect() {
        const depths = await queue.get();
        this.reset();
        for (const depth of depths) this.set({ type: depth.type }, read(depth));
      },
    });
  perType(
    "outreachd_jobs_waiting",
    "Jobs waiting for their scheduled time or for a free slot.",
    ({ waiting }) => waiting,
  );
  perType("outreachd_jobs_due", "Jobs that are due but not claimed yet.", ({ due }) => due);
  perType("outreachd_jobs_lateness_seconds", "How long the oldest due job has been waiting.", ({ oldestDueAt }) =>
    oldestDueAt === null ? 0 : Math.max(0, clock.now() - oldestDueAt) / 1000,
  );
  databaseNumber(
    "outreachd_claim_lag_seconds",
    "How long the oldest due job has been waiting for a node to claim it.",
    async () => {
      const dueAt = await store.oldestDueAt(clock.now());
      return dueAt === null ? 0 : Math.max(0, clock.now() - dueAt) / 1000;
    },
  );
  addBacklogGauges(databaseGauge, { store, clock, lowBalance });
  const countCredits = await followCredits(store, (kind, amount) => credits.inc({ kind }, amount));
  const credits = new Counter({
    name: "outreachd_credits_total",
    help: "Number of credits granted, spent, and refunded.",
    labelNames: ["kind"],
    registers,
    // What moves meanwhile is counted once the database is back.
    collect: () => database.inTime(countCredits),
  });

  const lag = monitorEventLoopDelay({ resolution: lagResolutionMs });
  lag.enable();
  const lagOf = (nanoseconds: number): number => (Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9) : 0);
  gauge("outreachd_event_loop_lag_p99_seconds", "99th percentile of the event loop lag since the last scrape.", () =>
    lagOf(lag.percentile(99)),
  );
  gauge("outreachd_event_loop_lag_max_seconds", "Maximum event loop lag since the last scrape.", () => {
    const seconds = lagOf(lag.max);
    lag.reset();
    return seconds;
  });
  gauge("process_resident_memory_bytes", "Resident memory of the process.", () => process.memoryUsage.rss());
  gauge("outreachd_heap_used_bytes", "Heap memory in use.", () => process.memoryUsage().heapUsed);
  total("process_cpu_user_seconds_total", "CPU time in user mode.", () => process.cpuUsage().user / 1e6);
  total("process_cpu_system_seconds_total", "CPU time in system mode.", () => process.cpuUsage().system / 1e6);
  gauge("process_start_time_seconds", "Start time of the process in Unix time.", () => startedAt / 1000);
  gauge("outreachd_uptime_seconds", "Time since the process started.", () => (clock.now() - startedAt) / 1000);
  databaseNumber("outreachd_database_bytes", "Size of the database.", async () => (await store.sizes()).database);
  if ((await store.sizes()).log !== null)
    databaseNumber(
      "outreachd_database_log_bytes",
      "Size of the write-ahead log.",
      async () => (await store.sizes()).log ?? 0,
    );
  gauge("outreachd_disk_free_bytes", "Free disk space of the data directory.", async () => {
    const { bavail, bsize } = await statfs(dataDir);
    return bavail * bsize;
  });
  gauge("outreachd_disk_size_bytes", "Size of the disk of the data directory.", async () => {
    const { blocks, bsize } = await statfs(dataDir);
    return blocks * bsize;
  });
  new Gauge({ name: "outreachd_info", help: "Always 1.", labelNames: ["version"], registers }).set({ version }, 1);

  return {
    http: { requests, durations, inFlight },
    jobsClaimed: (type, jobs) => claims.inc({ type }, jobs),
    jobEnded: (type, outcome) => ends.inc({ type, outcome }),
    actionAttempted: (connector, outcome) => actions.inc({ connector, outcome }),
    addGauge(name, help, read) {
      const labelNames = Object.keys(read()[0]?.[0] ?? {});
      new Gauge({
        ...{ name, help, labelNames, registers },
        collect() {
          for (const [labels, value] of read()) this.set(labels, value);
        },
      });
    },
    async text() {
      await database.probe();
      return registry.metrics();
    },
    stop: () => void lag.disable(),
  };
}

const creditKinds: Record<string, string> = { grant: "granted", settle: "spent", refund: "refunded" };

/**
 * The returned function counts the movements since its previous call. The ledger is append-only, so each entry is read
 * once.
 */
async function followCredits(
  store: MetricsStore,
  count: (kind: string, amount: number) => void,
): Promise<() => Promise<void>> {
  let after = await store.lastCredit();
  let reading: Promise<void> | null = null;
  async function read(): Promise<void> {
    const { sums, last } = await store.credits(after, maxCredits);
    after = last;
    for (const { kind, amount } of sums) {
      const name = creditKinds[kind];
      if (name !== undefined) count(name, Math.abs(amount));
    }
  }
  // One reading at a time, so that concurrent scrapes, or one that no longer waits, do not count an entry twice.
  return () => (reading ??= read().finally(() => (reading = null)));
}
