import { afterAll, expect, test } from "bun:test";
import type { Client } from "../support/client.ts";
import { FakeClock } from "../support/clock.ts";
import { calmed, startService, succeeded, testEmbedded, testInProcess, usesPostgres } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

type Sample = { name: string; labels: Record<string, string>; value: number };

async function scrape(client: Client): Promise<Sample[]> {
  const { body } = succeeded(await client.get("/metrics"));
  return String(body)
    .split("\n")
    .flatMap((line) => {
      const [, name, labels = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === undefined) return [];
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text]);
      return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
    });
}

function valueOf(samples: Sample[], name: string, labels: Record<string, string> = {}): number | undefined {
  const fits = (sample: Sample) => Object.entries(labels).every(([label, text]) => sample.labels[label] === text);
  return samples.find((sample) => sample.name === name && fits(sample))?.value;
}

test("metrics are for keys with their permission, as a header or as a Bearer token, and for nobody else", async () => {
  const reader = await service.keyOf(service.admin, ["metrics:read"]);
  const other = await service.keyOf(service.admin, ["leads:read"]);
  expect((await reader.get("/metrics")).status).toBe(200);
  const bearer = { headers: { authorization: `Bearer ${reader.key}` } };
  const answer = await service.client(null).get("/metrics", bearer);
  expect({ status: answer.status, type: answer.headers.get("content-type") }).toEqual({
    status: 200,
    type: "text/plain; version=0.0.4; charset=utf-8",
  });
  expect((await other.get("/metrics")).code).toBe("PERMISSION_DENIED");
  const member = await service.user({ permissions: ["metrics:read"] });
  expect(await member.get("/metrics")).toMatchObject({ status: 403, body: { permissionHelp: { required: "*" } } });
  expect((await service.client(null).get("/metrics")).code).toBe("UNAUTHORIZED");
  expect((await service.client(null).get("/metrics", { headers: { authorization: "Bearer x" } })).status).toBe(401);
});

test("requests are counted by template and status; what clients make up adds no series", async () => {
  const user = await service.user();
  const route = "/api/v2/leads/{leadId}";
  const before = await scrape(service.admin);
  for (let n = 0; n < 20; n++) {
    await user.get(`/api/v2/leads/lead-${n}`);
    await user.get(`/nothing/${n}`);
    await service.client(null).get(`/api/v2/nothing/${n}`);
  }
  const after = await scrape(service.admin);
  const requests = "outreachd_http_requests_total";
  const labels = { method: "GET", route, status: "404" };
  expect((valueOf(after, requests, labels) ?? 0) - (valueOf(before, requests, labels) ?? 0)).toBe(20);
  const routes = new Set(after.filter(({ name }) => name === requests).map((sample) => sample.labels["route"] ?? ""));
  const templates = new Set(service.document.operations.map(({ path }) => path.replace(/(.)\/$/, "$1")));
  const hidden = ["none", "/openapi.json", "/docs", "/docs/scalar.js", "/swagger"];
  expect([...routes].filter((name) => !templates.has(name) && !hidden.includes(name))).toEqual([]);
  expect(valueOf(after, "outreachd_http_request_duration_seconds_count", { method: "GET", route })).toBe(20);
  expect(valueOf(after, "outreachd_http_requests_in_flight")).toBe(1);
});

test("the process, the disk and the database are measured", async () => {
  await service.admin.post("/api/v2/leads", { email: "ada@example.com" });
  const samples = await scrape(service.admin);
  for (const name of [
    "process_resident_memory_bytes",
    "process_cpu_user_seconds_total",
    "process_start_time_seconds",
    "outreachd_database_bytes",
    "outreachd_disk_free_bytes",
    "outreachd_commit_writes_count",
    "outreachd_commit_duration_seconds_sum",
  ])
    expect({ name, isAbove: (valueOf(samples, name) ?? 0) > 0 }).toEqual({ name, isAbove: true });
  for (const name of ["outreachd_event_loop_lag_p99_seconds", "outreachd_event_loop_lag_max_seconds"])
    expect(valueOf(samples, name)).toBeNumber();
  const { version } = (await import("../../package.json")) as { version: string };
  expect(valueOf(samples, "outreachd_info", { version })).toBe(1);
});

testEmbedded("the embedded database has a log, and the one node of it runs the chores", async () => {
  const samples = await scrape(service.admin);
  expect(valueOf(samples, "outreachd_database_log_bytes")).toBeGreaterThan(0);
  expect(valueOf(samples, "outreachd_chore_holder")).toBe(1);
  expect(valueOf(samples, "outreachd_node_info", { role: "all" })).toBe(1);
  expect(valueOf(samples, "outreachd_node_pool_size")).toBeUndefined();
  expect(valueOf(samples, "outreachd_clock_offset_seconds")).toBeUndefined();
});

testInProcess("credits are counted once, however often somebody looks", async () => {
  const clock = new FakeClock();
  await using own = await startService({ clock, settings: { DEFAULT_CREDITS: 100 } });
  await own.user();
  /** Later than a transaction can last, after which PostgreSQL's totals are final. */
  const settled = () => clock.advance(usesPostgres ? 30_001 : 0);
  settled();
  const look = async () => valueOf(await scrape(own.admin), "outreachd_credits_total", { kind: "granted" });
  const first = await look();
  expect(first).toBeGreaterThanOrEqual(100);
  await Promise.all([look(), look()]);
  expect(await look()).toBe(first ?? 0);
  await own.user();
  settled();
  expect(await look()).toBe((first ?? 0) + 100);
});

test("jobs are counted by type and end", async () => {
  const user = await service.user();
  const options = { headers: { "content-type": "text/csv" } };
  const { data } = succeeded(await user.post<{ id: string }>("/api/v2/leads/import", "email\na@b.example\n", options));
  await service.ended(user, data.id);
  const samples = await scrape(service.admin);
  expect(valueOf(samples, "outreachd_jobs_claimed_total", { type: "lead_import" })).toBeGreaterThanOrEqual(1);
  const ends = samples.filter(
    ({ name, labels }) => name === "outreachd_jobs_ended_total" && labels["type"] === "lead_import",
  );
  expect(ends.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThanOrEqual(1);
});

testInProcess("waiting jobs are counted by type, with what is due and how late it is", async () => {
  const clock = new FakeClock();
  await using own = await startService({ clock, settings: { CONNECTOR: "simulated" } });
  const user = await calmed(await own.user());
  const act = (name: string) =>
    user.post("/api/v2/network/scheduleNetworkAction", {
      actionType: "visitProfile",
      profileUrl: `https://network.example/in/${name}`,
    });
  for (const name of ["ada", "grace", "joan"]) succeeded(await act(name));
  await own.idle();
  const type = { type: "linkedin_action" };
  const first = await scrape(own.admin);
  expect(valueOf(first, "outreachd_connector_outcomes_total", { connector: "simulated", outcome: "completed" })).toBe(
    1,
  );
  expect(valueOf(first, "outreachd_jobs_waiting", type)).toBe(2);
  expect(valueOf(first, "outreachd_jobs_due", type)).toBe(0);
  expect(valueOf(first, "outreachd_jobs_lateness_seconds", type)).toBe(0);
  expect(valueOf(first, "outreachd_claim_lag_seconds")).toBe(0);
});

test("without metrics there is no such route", async () => {
  await using own = await startService({ settings: { METRICS: "false" } });
  expect((await own.admin.get("/metrics")).status).toBe(404);
  expect(own.document.find("GET", "/metrics")).toBeNull();
});

test("a scrape costs a tenth of a request", async () => {
  await using limited = await startService({ settings: { RATE_LIMIT_MINUTE: 2 } });
  const reader = await limited.keyOf(await limited.user({ role: "admin" }), ["metrics:read"]);
  const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await reader.get("/metrics")).status));
  expect(new Set(statuses)).toEqual(new Set([200]));
});
