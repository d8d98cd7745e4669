import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../src/platform/base/version.ts";
import { loadConfig } from "../../src/app/config/config.ts";
import { startService, testInProcess, usesPostgres } from "../support/service.ts";
import { FakeClock } from "../support/clock.ts";

test("the health report names the version, the user and the key", async () => {
  await using service = await startService({ settings: { ADMIN_EMAIL: "ada@example.com" } });
  const { status, body } = await service.admin.get("/api/v2/health");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    version: "2.0",
    status: "healthy",
    authentication: "user",
    user: { id: service.admin.userId, email: "ada@example.com", role: "admin" },
    apiKey: { name: "admin", usageCount: 1 },
  });
});

test("the health report names the build of the server and the schema of its database", async () => {
  await using service = await startService();
  const { body } = await service.admin.get("/api/v2/health");
  const folder = join(import.meta.dir, "../../migrations", usesPostgres ? "postgres" : "sqlite");
  const latest = Math.max(...readdirSync(folder).map((name) => Number.parseInt(name, 10)));
  const built = process.env["OUTREACHD_TEST_BINARY"] ? expect.stringMatching(/^[0-9a-f]{12}(\+changes)?$/) : null;
  expect(body).toMatchObject({ server: { version, commit: built, schema: latest } });
});

test("the health report shows what this key may do, and needs no permission", async () => {
  await using service = await startService();
  const key = await service.keyOf(await service.user(), ["leads:read"]);
  const { status, body } = await key.get("/api/v2/health");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    user: { id: key.userId, role: "member" },
    apiKey: { name: "test", permissions: ["leads:read"] },
  });
});

test("the health report counts the uses of the key, itself included", async () => {
  await using service = await startService();
  const counts = [];
  for (let use = 0; use < 3; use++) counts.push((await service.admin.get("/api/v2/health")).body);
  expect(counts).toMatchObject([1, 2, 3].map((usageCount) => ({ apiKey: { usageCount } })));
  await service.restart();
  expect((await service.admin.get("/api/v2/health")).body).toMatchObject({ apiKey: { usageCount: 4 } });
});

testInProcess("the health report tells the time of the service", async () => {
  const clock = new FakeClock();
  await using service = await startService({ clock });
  expect((await service.admin.get("/api/v2/health")).body).toMatchObject({
    timestamp: new Date(clock.now()).toISOString(),
  });
});

test("the probes need no key, and tell nothing about the service", async () => {
  await using service = await startService();
  const nobody = service.client(null);
  expect(await nobody.get("/healthz")).toMatchObject({ status: 200, body: { status: "ok" } });
  expect(await nobody.get("/readyz")).toMatchObject({ status: 200, body: { status: "ready" } });
  expect(await nobody.get("/readyz?exclude=files&exclude=x")).toMatchObject({ status: 200, body: { status: "ready" } });
});

testInProcess("a service that does not run jobs yet is not ready, and says so without a key", async () => {
  const directory = await mkdtemp(join(tmpdir(), "outreachd-api-"));
  const { createApp } = await import("../../src/surfaces/app.ts");
  const app = await createApp(loadConfig({ flags: { data: directory }, env: { OUTREACHD_LOG_LEVEL: "silent" } }));
  try {
    const answer = await app.handle(new Request("http://localhost/readyz?exclude=node"));
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: true, code: "SERVICE_UNAVAILABLE" });
    expect((await app.handle(new Request("http://localhost/healthz"))).status).toBe(200);
    const headers = { "x-api-key": app.firstRun?.key ?? "" };
    const report = await app.handle(new Request("http://localhost/api/v2/health", { headers }));
    expect(await report.json()).toMatchObject({ status: "degraded" });
  } finally {
    await app.stop();
    await rm(directory, { recursive: true, force: true });
  }
});
