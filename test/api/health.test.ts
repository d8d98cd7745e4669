import { expect, test } from "bun:test";
import { startService, testInProcess } from "../support/service.ts";
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

test("the health report shows what this key may do, and needs no permission", async () => {
  await using service = await startService();
  const key = await service.keyOf(await service.user(), ["leads:read"]);
  const { status, body } = await key.get("/api/v2/health");
  expect(status).toBe(200);
  expect(body).toMatchObject({ user: { id: key.userId, role: "member" }, apiKey: { name: "test", permissions: ["leads:read"] } });
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
  expect((await service.admin.get("/api/v2/health")).body).toMatchObject({ timestamp: new Date(clock.now()).toISOString() });
});

test("the probes need no key, and tell nothing about the service", async () => {
  await using service = await startService();
  const nobody = service.client(null);
  expect(await nobody.get("/healthz")).toMatchObject({ status: 200, body: { status: "ok" } });
  expect(await nobody.get("/readyz")).toMatchObject({ status: 200, body: { status: "ready" } });
});
