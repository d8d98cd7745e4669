import { expect, test } from "bun:test";
import type { OperationsView } from "../../src/platform/operations/model.ts";
import { readingRoutes } from "../../src/platform/http/write-refusal.ts";
import type { Client } from "../support/client.ts";
import { FakeClock } from "../support/clock.ts";
import type { Operation } from "../support/openapi.ts";
import { calmed, startService, succeeded, testInProcess } from "../support/service.ts";

const api = "/api/v2";
const operatorPaths = [`${api}/operations`, `${api}/backups`];

type Health = { status: string; message: string | null };

async function healthOf(client: Client): Promise<Health> {
  const { status, message } = (await client.get(`${api}/health`)).body as Health;
  return { status, message };
}

async function turn(admin: Client, enabled: boolean, message?: string): Promise<OperationsView> {
  return succeeded(await admin.put<OperationsView>(`${api}/operations/maintenance`, { enabled, message })).data;
}

function isWrite({ method, path }: Operation): boolean {
  return (
    method !== "GET" && !readingRoutes.has(`${method} ${path}`) && !operatorPaths.some((own) => path.startsWith(own))
  );
}

test("in maintenance mode every route that changes something is refused, and every other one works", async () => {
  await using service = await startService();
  const operations = service.document.operations.filter(({ path }) => path.startsWith(`${api}/`));
  for (const route of readingRoutes) expect(operations.map(({ method, path }) => `${method} ${path}`)).toContain(route);
  await turn(service.admin, true, "Back at noon.");
  expect(operations.filter(isWrite).length).toBeGreaterThan(60);
  for (const operation of operations.filter(({ path }) => !operatorPaths.some((own) => path.startsWith(own)))) {
    const path = operation.path.replaceAll(/\{[^}]+\}/g, "nothing");
    if (path.endsWith("/events/stream")) continue; // never ends
    const answer = await service.admin.send(operation.method, path, operation.takesBody ? { body: {} } : {});
    const { status, code, message, headers } = answer;
    const shown = `${operation.method} ${operation.path}`;
    if (!isWrite(operation)) expect({ shown, status: status === 503 }).toEqual({ shown, status: false });
    else {
      const retryAfter = headers.get("retry-after");
      expect({ shown, status, code, message, retryAfter }).toEqual({
        shown,
        status: 503,
        code: "SERVICE_UNAVAILABLE",
        message: "The server is in maintenance mode and does not accept changes. Back at noon.",
        retryAfter: "60",
      });
    }
  }
});

test("maintenance mode is told by the health report and every response, and survives a restart", async () => {
  await using service = await startService();
  const user = await service.user();
  expect(await healthOf(user)).toEqual({ status: "healthy", message: null });
  await turn(service.admin, true);
  await service.restart();
  const message = "The server is in maintenance mode and does not accept changes.";
  expect(await healthOf(user)).toEqual({ status: "maintenance", message });
  expect((await user.get(`${api}/leads`)).headers.get("x-server-status")).toBe("maintenance");
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  const { maintenance } = await turn(service.admin, false);
  expect(maintenance).toEqual({ enabled: false, since: null, message: null });
  expect(await healthOf(user)).toEqual({ status: "healthy", message: null });
  expect((await user.get(`${api}/leads`)).headers.get("x-server-status")).toBeNull();
  succeeded(await user.post(`${api}/leads`, { email: "ada@example.com" }));
});

test("only an admin turns maintenance mode on, and both turns are in the audit log", async () => {
  await using service = await startService();
  const member = await service.user();
  const refused = await member.put(`${api}/operations/maintenance`, { enabled: true });
  expect(refused.code).toBe("PERMISSION_DENIED");
  expect((await member.get(`${api}/operations`)).code).toBe("PERMISSION_DENIED");
  await turn(service.admin, true);
  await turn(service.admin, false);
  const { data } = await service.admin.get<{ entries: { action: string }[] }>(`${api}/audit`);
  const actions = data.entries.map(({ action }) => action).filter((action) => action.startsWith("maintenance."));
  expect(actions).toEqual(["maintenance.disabled", "maintenance.enabled"]);
});

test("a request that was refused in maintenance mode is carried out when it is sent again with its key", async () => {
  await using service = await startService();
  const user = await service.user();
  await turn(service.admin, true);
  const post = () =>
    user.post<{ id: string }>(`${api}/leads`, { email: "ada@example.com" }, { headers: { "idempotency-key": "one" } });
  expect((await post()).status).toBe(503);
  await turn(service.admin, false);
  expect((await post()).status).toBe(200);
  expect((await post()).headers.get("idempotent-replayed")).toBe("true");
});

testInProcess("the scheduler sends nothing in maintenance mode, and continues after it", async () => {
  const clock = new FakeClock();
  const sent: string[] = [];
  const simulated = {
    carryOut: async ({ jobId }: { jobId: string }) => {
      sent.push(jobId);
      return { kind: "completed" as const, reference: null };
    },
  };
  await using service = await startService({ settings: { CONNECTOR: "simulated" }, clock, connectors: { simulated } });
  const user = await calmed(await service.user({ timeZone: "UTC" }));
  for (const name of ["ada", "grace"])
    succeeded(
      await user.post(`${api}/network/scheduleNetworkAction`, {
        actionType: "visitProfile",
        profileUrl: `https://network.example/in/${name}`,
      }),
    );
  await service.idle();
  const before = sent.length;
  expect(before).toBeLessThan(2);
  await turn(service.admin, true);
  for (let minutes = 0; minutes < 60; minutes += 5) {
    clock.advance(300_000);
    await service.idle();
  }
  expect(sent).toHaveLength(before);
  await turn(service.admin, false);
  for (let minutes = 0; minutes < 60; minutes += 5) {
    clock.advance(300_000);
    await service.idle();
  }
  expect(sent).toHaveLength(2);
});
