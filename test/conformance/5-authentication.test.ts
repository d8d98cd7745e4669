import { afterAll, expect } from "bun:test";
import { FakeClock } from "../support/clock.ts";
import { startService } from "../support/service.ts";
import { allPermissions, ask, keyAndId, keyWith, section } from "./support.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

section("5.1 The header", (says) => {
  says("x-api-key carries the key", async () => expect((await ask(service, "GET", "/leads")).status).toBe(200));
  says("voice clone routes also accept Authorization with the scheme Bearer", async () => {
    const headers = { authorization: `Bearer ${service.admin.key}` };
    expect((await ask(service, "GET", "/voice-clones", { key: null, headers })).status).toBe(200);
  });
  says("a request without a key is refused with 401", async () =>
    expect((await ask(service, "GET", "/leads", { key: null })).status).toBe(401),
  );
});

section("5.2 Kinds of keys", (says) => {
  says("a user-specific key is a fixed prefix and 64 hexadecimal characters", async () => {
    const keys = await Promise.all([1, 2, 3].map(() => keyWith(service, ["leads:read"])));
    const prefixes = keys.map((key) => key.slice(0, -64));
    expect(new Set(prefixes).size).toBe(1);
    for (const key of keys) expect(key.slice(-64)).toMatch(/^[0-9a-f]{64}$/);
  });
  says("it identifies the user automatically", async () =>
    expect((await ask(service, "GET", "/health")).body["user"].id).toBe(service.admin.userId),
  );
  says("it carries a chosen set of permissions", async () => {
    const key = await keyWith(service, ["leads:read", "voice:read"]);
    expect((await ask(service, "GET", "/health", { key })).body["apiKey"].permissions.toSorted()).toEqual([
      "leads:read",
      "voice:read",
    ]);
  });
  says("it records usage and last-used time", async () => {
    const { id, key } = await keyAndId(service, ["leads:read"]);
    await ask(service, "GET", "/leads", { key });
    const { body } = await ask(service, "GET", "/keys");
    const listed = body["data"].keys.find((one: { id: string }) => one.id === id);
    expect(listed).toMatchObject({ usageCount: 1, last_used_at: expect.any(String) });
  });
  says("a global key has all permissions", async () => {
    const { key } = await service.globalKey();
    expect((await ask(service, "GET", "/health", { key })).body).toMatchObject({
      authentication: "global",
      apiKey: { permissions: ["*"] },
    });
  });
  says("a global key requires an explicit user identifier", async () => {
    const { key } = await service.globalKey();
    expect((await ask(service, "GET", "/leads", { key })).status).toBe(400);
    expect((await ask(service, "GET", `/leads?userId=${service.admin.userId}`, { key })).status).toBe(200);
  });
});

section("5.3 Expiry and deactivation", (says) => {
  says.inProcess("an expired key causes 401", async () => {
    const clock = new FakeClock();
    await using own = await startService({ clock });
    const key = await keyWith(own, ["leads:read"], { expiresInDays: 2 });
    expect((await ask(own, "GET", "/leads", { key })).status).toBe(200);
    clock.advance(2 * 86_400_000);
    expect((await ask(own, "GET", "/leads", { key })).status).toBe(401);
  });
  says.inProcess("a regenerated key expires after expiresInDays from then on", async () => {
    const clock = new FakeClock();
    await using own = await startService({ clock });
    const json = { name: "E", permissions: ["leads:read"], expiresInDays: 2 };
    const { body } = await ask(own, "POST", "/keys", { json });
    clock.advance(3 * 86_400_000);
    const again = await ask(own, "POST", `/keys/${body["data"].id}/regenerate`);
    expect((await ask(own, "GET", "/leads", { key: again.body["key"] })).status).toBe(200);
    clock.advance(2 * 86_400_000);
    expect((await ask(own, "GET", "/leads", { key: again.body["key"] })).status).toBe(401);
  });
  says("a deactivated key causes 401", async () => {
    const { id, key } = await keyAndId(service, ["leads:read"]);
    await ask(service, "PUT", `/keys/${id}`, { json: { isActive: false } });
    expect((await ask(service, "GET", "/leads", { key })).status).toBe(401);
  });
});

section("5.4 Permissions", (says) => {
  for (const permission of allPermissions)
    says(`${permission} can be given to a key`, async () => {
      const key = await keyWith(service, [permission]);
      expect((await ask(service, "GET", "/health", { key })).body["apiKey"].permissions).toEqual([permission]);
    });
  says("any other name is refused", async () => {
    const { status } = await ask(service, "POST", "/keys", { json: { name: "x", permissions: ["leads:fly"] } });
    expect(status).toBe(400);
  });
});

section("5.5 Required permission per route", (says) => {
  const routes = [
    ["POST", "/network/scheduleNetworkAction", "network:schedule"],
    ["POST", "/network/upload-prospects", "network:upload"],
    ["GET", "/leads", "leads:read"],
    ["POST", "/leads", "leads:write"],
    ["PUT", "/leads/x", "leads:write"],
    ["POST", "/enrich", "leads:enrich"],
    ["GET", "/users/jobs", "users:read"],
    ["POST", "/prospecting/search", "prospecting:search"],
    ["POST", "/voice-clones", "voice:create"],
    ["GET", "/voice-clones", "voice:read"],
    ["PUT", "/voice-clones/x", "voice:update"],
    ["DELETE", "/keys/x", "keys:manage"],
  ] as const;
  for (const [method, path, permission] of routes) {
    says(`${method} ${path} is refused with 403 without ${permission}`, async () => {
      const key = await keyWith(
        service,
        allPermissions.filter((one) => one !== permission),
      );
      const { status, body } = await ask(service, method, path, { key, ...(method === "GET" ? {} : { json: {} }) });
      expect([status, body["code"]]).toEqual([403, "PERMISSION_DENIED"]);
    });
    says(`${method} ${path} is not refused with 403 with ${permission} alone`, async () => {
      const key = await keyWith(service, [permission]);
      const { status } = await ask(service, method, path, { key, ...(method === "GET" ? {} : { json: {} }) });
      expect(status).not.toBe(403);
    });
  }
});

section("5.6 permissionHelp", (says) => {
  const refused = async () => {
    const key = await keyWith(service, ["voice:read", "jobs:read"]);
    return ask(service, "GET", "/leads", { key });
  };
  says("required is the one permission that is missing", async () =>
    expect((await refused()).body["permissionHelp"].required).toBe("leads:read"),
  );
  says("available lists what the key has", async () =>
    expect((await refused()).body["permissionHelp"].available.toSorted()).toEqual(["jobs:read", "voice:read"]),
  );
  says("documentation is a URL", async () =>
    expect(URL.canParse((await refused()).body["permissionHelp"].documentation)).toBe(true),
  );
  says("a foreign user's jobs are refused with it as well", async () => {
    const other = await service.user();
    const member = await service.user();
    const answer = await ask(service, "GET", `/users/jobs/userJobStatus/${other.userId}`, { key: member.key });
    if (answer.status === 403) expect(answer.body["permissionHelp"].required).toBeString();
    else expect(answer.status).toBe(404);
  });
  says("granting what the maker lacks is refused with it as well", async () => {
    const key = await keyWith(service, ["api_keys:write"]);
    const json = { name: "more", permissions: ["leads:read"] };
    const { status, body } = await ask(service, "POST", "/keys", { key, json });
    expect([status, body["permissionHelp"].required]).toEqual([403, "leads:read"]);
  });
});
