import { afterAll, expect, test } from "bun:test";
import { systemIds } from "../../src/platform/base/clock.ts";
import { makeSecret } from "../../src/platform/auth/secret.ts";
import type { KeyView, NewKeyView, Permission } from "../../src/platform/auth/key-model.ts";
import type { Client } from "../support/client.ts";
import { FakeClock } from "../support/clock.ts";
import { addMember, joinTeam } from "../support/team.ts";
import { eventually, startService, succeeded, testInProcess } from "../support/service.ts";

/** Serves the tests of this file that do not start one of their own: each has users who see nothing of each other. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const dayMs = 86_400_000;
const keyForm = /^oak_[0-9a-f]{64}$/;

type Keys = { keys: KeyView[]; total: number; limit: number; nextCursor: string | null };

async function makeKey(maker: Client, input: object = {}): Promise<NewKeyView> {
  const made = await maker.post<NewKeyView>("/api/v2/keys", { name: "sync", permissions: ["leads:read"], ...input });
  return succeeded(made).data;
}

async function keysOf(client: Client): Promise<KeyView[]> {
  return succeeded(await client.get<Keys>("/api/v2/keys")).data.keys;
}

async function keyNamed(client: Client, name: string): Promise<KeyView | undefined> {
  return (await keysOf(client)).find((key) => key.name === name);
}

test("a new key is shown with its secret once and works at once", async () => {
  const ada = await service.user();
  const { key, ...made } = await makeKey(ada, { name: "CRM sync", permissions: ["leads:read", "leads:write"] });
  expect(key).toMatch(keyForm);
  expect(made).toMatchObject({
    userId: ada.userId,
    name: "CRM sync",
    hint: `${key.slice(0, 8)}…`,
    permissions: ["leads:read", "leads:write"],
    isActive: true,
    usageCount: 0,
    expires_at: null,
    last_used_at: null,
  });
  expect((await service.client(key).get("/api/v2/leads")).status).toBe(200);
  const listed = await ada.get("/api/v2/keys");
  expect(JSON.stringify(listed.body)).not.toContain(key);
});

test("keys are listed newest first, with a total, and only to their owner", async () => {
  const ada = await service.user();
  const bob = await service.user();
  for (const name of ["one", "two", "three"]) await makeKey(ada, { name });
  const { data } = await ada.get<Keys>("/api/v2/keys");
  expect(data.keys.map(({ name }) => name)).toEqual(["three", "two", "one", "test"]);
  expect(data.total).toBe(4);
  expect((await keysOf(bob)).map(({ name }) => name)).toEqual(["test"]);
  expect((await ada.get<Keys>("/api/v2/keys", { query: { userId: bob.userId } })).data).toEqual({
    keys: [],
    total: 0,
    limit: expect.any(Number),
    nextCursor: null,
  });
});

test("an admin sees and makes keys of another user", async () => {
  await using service = await startService();
  const ada = await service.user();
  const made = await makeKey(service.admin, { name: "for ada", userId: ada.userId });
  expect(made.userId).toBe(ada.userId);
  const listed = await service.admin.get<Keys>("/api/v2/keys", { query: { userId: ada.userId } });
  expect(listed.data.keys.map(({ name }) => name)).toEqual(["for ada", "test"]);
  const nobody = await service.admin.post("/api/v2/keys", { name: "x", permissions: ["leads:read"], userId: "nobody" });
  expect(nobody).toMatchObject({ status: 404, code: "NOT_FOUND", details: { resource: "user", id: "nobody" } });
});

test("a member makes no keys for somebody else", async () => {
  const ada = await service.user();
  const bob = await service.user();
  const refused = await ada.post("/api/v2/keys", { name: "x", permissions: ["leads:read"], userId: bob.userId });
  expect(refused).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
  expect(await keyNamed(bob, "x")).toBeUndefined();
});

test("owners and admins of a workspace make no keys for its members, which would work elsewhere too", async () => {
  await using service = await startService();
  const [owner, guest] = [await service.user(), await service.user()];
  await joinTeam(service, owner, guest, "member");
  const colleague = await addMember(service, owner, "admin");
  for (const [maker, userId] of [
    [owner, guest.userId],
    [colleague, owner.userId],
    [colleague, guest.userId],
  ] as const) {
    const refused = await maker.post("/api/v2/keys", { name: "x", permissions: ["leads:read"], userId });
    expect(refused).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
  }
  expect(await keyNamed(guest, "x")).toBeUndefined();
});

test("no key is made for everybody over the network", async () => {
  await using service = await startService();
  for (const maker of [service.admin, await service.globalKey()]) {
    const refused = await maker.post("/api/v2/keys", { name: "x", permissions: ["leads:read"], global: true });
    expect(refused).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
    expect(refused.message).toContain("command line");
  }
});

test("a key grants nothing that its maker lacks", async () => {
  const ada = await service.user({ permissions: ["api_keys:write", "leads:read"] });
  const wanted: Permission[] = ["leads:read", "leads:delete", "users:read"];
  const refused = await ada.post("/api/v2/keys", { name: "more", permissions: wanted });
  expect(refused).toMatchObject({
    status: 403,
    code: "PERMISSION_DENIED",
    details: { lacking: ["leads:delete", "users:read"] },
  });
  const own = await makeKey(ada, { name: "less" });
  const grown = await ada.put(`/api/v2/keys/${own.id}`, { permissions: wanted });
  expect(grown).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
  expect((await ada.put(`/api/v2/keys/${own.id}`, { permissions: ["leads:read", "api_keys:write"] })).status).toBe(200);
});

test("a maker of keys can't raise itself through a stronger key of the same user", async () => {
  const strong = await service.user();
  const weak = await service.keyOf(strong, ["api_keys:write", "leads:read"]);
  const id = (await keysOf(strong)).find(({ permissions }) => permissions.includes("keys:manage"))?.id;
  const taken = await weak.post<NewKeyView>(`/api/v2/keys/${id}/regenerate`);
  expect(taken).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
});

test.each([
  ["a name that is missing", { name: undefined }, "name"],
  ["a name that is empty", { name: "" }, "name"],
  ["a name that is a number", { name: 7 }, "name"],
  ["permissions that are missing", { permissions: undefined }, "permissions"],
  ["no permission at all", { permissions: [] }, "permissions"],
  ["permissions that are a text", { permissions: "leads:read" }, "permissions"],
  ["a permission that does not exist", { permissions: ["leads:read", "leads:fly"] }, "permissions.1"],
  ["everything at once", { permissions: ["*"] }, "permissions.0"],
  ["a life of no days", { expiresInDays: 0 }, "expiresInDays"],
  ["a life of half a day", { expiresInDays: 0.5 }, "expiresInDays"],
  ["a life of a thousand years", { expiresInDays: 365_000 }, "expiresInDays"],
])("a key with %s is refused", async (_what, change, path) => {
  const ada = await service.user();
  const input = { name: "x", permissions: ["leads:read"], ...change };
  const refused = await ada.post("/api/v2/keys", input);
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(refused.details?.["errors"]).toMatchObject([{ path }]);
  expect(await keysOf(ada)).toHaveLength(1);
});

test("a permission that is named twice is held once", async () => {
  const ada = await service.user();
  const { permissions } = await makeKey(ada, { permissions: ["leads:read", "users:read", "leads:read"] });
  expect(permissions).toEqual(["leads:read", "users:read"]);
});

test("a change of name and permissions is seen by the next request", async () => {
  const ada = await service.user();
  const made = await makeKey(ada, { permissions: ["leads:read"] });
  const client = service.client(made.key);
  expect((await client.get("/api/v2/leads")).status).toBe(200);
  const changed = await ada.put<KeyView>(`/api/v2/keys/${made.id}`, { name: "new name", permissions: ["users:read"] });
  expect(changed.data).toMatchObject({ id: made.id, name: "new name", permissions: ["users:read"] });
  expect((await client.get("/api/v2/leads")).status).toBe(403);
  expect((await client.get("/api/v2/users/me")).status).toBe(200);
});

test("an update without fields changes nothing", async () => {
  const ada = await service.user();
  const { key: _secret, ...made } = await makeKey(ada, { expiresInDays: 3 });
  expect((await ada.put<KeyView>(`/api/v2/keys/${made.id}`, {})).data).toEqual(made);
});

test("a deactivated key is refused until it is active again", async () => {
  const ada = await service.user();
  const made = await makeKey(ada);
  const client = service.client(made.key);
  expect((await client.get("/api/v2/leads")).status).toBe(200);
  await ada.put(`/api/v2/keys/${made.id}`, { isActive: false });
  const refused = await client.get("/api/v2/leads");
  expect(refused).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
  expect(refused.message).toContain("deactivated");
  await ada.put(`/api/v2/keys/${made.id}`, { isActive: true });
  expect((await client.get("/api/v2/leads")).status).toBe(200);
});

testInProcess("a key works up to the moment that it expires at", async () => {
  const clock = new FakeClock();
  await using service = await startService({ clock });
  const made = await makeKey(service.admin, { expiresInDays: 2 });
  expect(made.expires_at).toBe(new Date(clock.now() + 2 * dayMs).toISOString());
  const client = service.client(made.key);
  clock.advance(2 * dayMs - 1);
  expect((await client.get("/api/v2/leads")).status).toBe(200);
  clock.advance(1);
  const refused = await client.get("/api/v2/leads");
  expect(refused).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
  expect(refused.message).toContain("expired");
});

test("a regenerated key has a new secret, and the old one is refused at once", async () => {
  const ada = await service.user();
  const made = await makeKey(ada);
  expect((await service.client(made.key).get("/api/v2/leads")).status).toBe(200);
  const renewed = (await ada.post(`/api/v2/keys/${made.id}/regenerate`)).body as NewKeyView;
  expect(renewed.key).toMatch(keyForm);
  expect(renewed.key).not.toBe(made.key);
  expect(renewed).toMatchObject({ id: made.id, name: made.name, permissions: made.permissions, last_used_at: null });
  expect(await service.client(made.key).get("/api/v2/leads")).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
  expect((await service.client(renewed.key).get("/api/v2/leads")).status).toBe(200);
});

test("a key can regenerate itself", async () => {
  const ada = await service.user();
  const [own] = await keysOf(ada);
  const data = (await ada.post(`/api/v2/keys/${own?.id}/regenerate`)).body as NewKeyView;
  expect((await ada.get("/api/v2/keys")).status).toBe(401);
  expect((await service.client(data.key).get("/api/v2/keys")).status).toBe(200);
});

test("uses of the old secret do not count as a use of the regenerated key", async () => {
  await using service = await startService();
  const made = await makeKey(service.admin);
  await service.client(made.key).get("/api/v2/leads");
  await service.admin.post(`/api/v2/keys/${made.id}/regenerate`);
  expect(await keyNamed(service.admin, made.name)).toMatchObject({ last_used_at: null });
  await service.restart();
  expect(await keyNamed(service.admin, made.name)).toMatchObject({ last_used_at: null });
});

testInProcess("the creation time of a regenerated key is that of the regeneration", async () => {
  const clock = new FakeClock();
  await using service = await startService({ clock });
  const made = await makeKey(service.admin);
  clock.advance(5000);
  const data = (await service.admin.post(`/api/v2/keys/${made.id}/regenerate`)).body as NewKeyView;
  expect(data.created_at).toBe(new Date(clock.now()).toISOString());
  expect(Date.parse(data.created_at) - Date.parse(made.created_at)).toBe(5000);
});

test("a deleted key is refused at once and gone from the list", async () => {
  const ada = await service.user();
  const made = await makeKey(ada, { name: "old sync" });
  expect((await service.client(made.key).get("/api/v2/leads")).status).toBe(200);
  const deleted = await ada.delete(`/api/v2/keys/${made.id}`);
  expect(deleted.body).toEqual({ success: true, message: 'API key "old sync" deleted.' });
  expect((await service.client(made.key).get("/api/v2/leads")).status).toBe(401);
  expect(await keyNamed(ada, "old sync")).toBeUndefined();
  expect(await ada.delete(`/api/v2/keys/${made.id}`)).toMatchObject({
    status: 404,
    details: { resource: "key", id: made.id },
  });
});

test("a key of somebody else looks absent", async () => {
  const ada = await service.user();
  const bob = await service.user();
  const { id, key } = await makeKey(ada);
  const path = `/api/v2/keys/${id}`;
  const foreign = [await bob.put(path, { name: "mine" }), await bob.post(`${path}/regenerate`), await bob.delete(path)];
  for (const answer of foreign)
    expect(answer).toMatchObject({ status: 404, code: "NOT_FOUND", details: { resource: "key", id } });
  const absent = await bob.delete("/api/v2/keys/nothing");
  expect(foreign[2]?.message).toBe(absent.message?.replace("nothing", id));
  expect((await service.client(key).get("/api/v2/leads")).status).toBe(200);
  expect(await keyNamed(ada, "sync")).toBeDefined();
});

const keyRoutes = [
  ["made", "POST", "", ["api_keys:write", "keys:manage"]],
  ["listed", "GET", "", ["api_keys:read", "keys:manage"]],
  ["changed", "PUT", "/nothing", ["api_keys:write", "keys:manage"]],
  ["regenerated", "POST", "/nothing/regenerate", ["api_keys:write", "keys:manage"]],
  ["deleted", "DELETE", "/nothing", ["keys:manage"]],
] as const;

test.each(keyRoutes)(
  "keys are %s with %s /api/v2/keys%s by who holds one of %j, and by nobody else",
  async (_done, method, path, wanted) => {
    const ada = await service.user();
    for (const permission of ["keys:manage", "api_keys:read", "api_keys:write", "users:write"] as const) {
      const client = await service.keyOf(ada, [permission]);
      const body = method === "POST" || method === "PUT" ? { name: "x", permissions: [permission] } : undefined;
      const { status } = await client.send(method, `/api/v2/keys${path}`, { body });
      expect({ permission, isAllowed: status !== 403 }).toEqual({
        permission,
        isAllowed: (wanted as readonly string[]).includes(permission),
      });
    }
  },
);

test("a key that was never made is refused, and says why", async () => {
  const ada = await service.user();
  const { key } = ada;
  const last = key?.at(-1) === "0" ? "1" : "0";
  const cases: [string | null, string][] = [
    [null, "x-api-key"],
    ["", "x-api-key"],
    ["secret", "the format or checksum is wrong"],
    [`${key?.slice(0, -1)}${last}`, "the format or checksum is wrong"],
    [`${key}0`, "the format or checksum is wrong"],
    [key?.toUpperCase() ?? "", "the format or checksum is wrong"],
    [`oak_${"0".repeat(56)}${Bun.hash.crc32("0".repeat(56)).toString(16).padStart(8, "0")}`, "API key not found"],
  ];
  for (const [secret, reason] of cases) {
    const refused = await service.client(secret).get("/api/v2/leads");
    expect(refused).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
    expect(refused.message).toContain(reason);
  }
});

testInProcess("a refused key says in what it differs, however it was sent", async () => {
  const clock = new FakeClock();
  await using service = await startService({ clock });
  const expired = await makeKey(service.admin, { name: "expired", expiresInDays: 1 });
  const off = await makeKey(service.admin, { name: "off" });
  const gone = await makeKey(service.admin, { name: "gone" });
  succeeded(await service.admin.put(`/api/v2/keys/${off.id}`, { isActive: false }));
  succeeded(await service.admin.delete(`/api/v2/keys/${gone.id}`));
  clock.advance(2 * 86_400_000);
  const refusals: [string | null, string][] = [
    [null, "Send your API key in the x-api-key header."],
    [off.key.slice(0, -1), "the format or checksum is wrong"],
    [gone.key, "API key not found. It may have been deleted or regenerated."],
    [expired.key, "This API key expired at "],
    [off.key, "This API key is deactivated."],
  ];
  for (const [key, reason] of refusals)
    for (const headers of [
      { "x-api-key": key },
      { authorization: `Bearer ${key}` },
      { authorization: `bearer  ${key} ` },
    ]) {
      const shown = key === null ? {} : headers;
      const refused = await service.client(null).get("/api/v2/leads", { headers: shown });
      expect(refused).toMatchObject({ status: 401, code: "UNAUTHORIZED", message: expect.stringContaining(reason) });
      const challenge = key === null ? 'Bearer realm="outreachd"' : 'Bearer realm="outreachd", error="invalid_token"';
      expect(refused.headers.get("www-authenticate")).toBe(challenge);
    }
});

test("spaces around a key do not matter", async () => {
  const ada = await service.user();
  expect((await service.client(`  ${ada.key} `).get("/api/v2/health")).status).toBe(200);
});

test("every operation takes the key as a Bearer token, and answers 401 with a challenge (RFC 6750) without one", async () => {
  const { key } = await service.user({ permissions: ["metrics:read"] });
  const nobody = service.client(null);
  const guarded = service.document.operations.filter(({ actsFor }) => actsFor !== null);
  expect(guarded.length).toBeGreaterThan(100);
  for (const { method, path } of guarded) {
    const target = path.replaceAll(/\{\w+\}/g, "nothing");
    const status = async (authorization: string) =>
      (await nobody.send(method, target, { headers: { authorization } })).status;
    expect({ method, path, status: await status(`Bearer ${key}`) }).not.toMatchObject({ status: 401 });
    const stranger = await nobody.send(method, target);
    const wrong = await nobody.send(method, target, { headers: { authorization: "Bearer x" } });
    expect([stranger, wrong].map((answer) => [answer.status, answer.headers.get("www-authenticate")])).toEqual([
      [401, 'Bearer realm="outreachd"'],
      [401, 'Bearer realm="outreachd", error="invalid_token"'],
    ]);
  }
});

test("every use of a key is counted, and counts survive a clean restart", async () => {
  await using service = await startService();
  const made = await makeKey(service.admin);
  const client = service.client(made.key);
  for (let use = 0; use < 3; use++) await client.get("/api/v2/leads");
  const before = await keyNamed(service.admin, made.name);
  expect(before).toMatchObject({ usageCount: 3 });
  expect(Date.parse(before?.last_used_at ?? "")).toBeGreaterThanOrEqual(Date.parse(made.created_at));
  await service.restart();
  expect(await keyNamed(service.admin, made.name)).toEqual(before as KeyView);
  await client.get("/api/v2/leads");
  expect(await keyNamed(service.admin, made.name)).toMatchObject({ usageCount: 4 });
});

test("keys, changed names and refused secrets survive a restart", async () => {
  await using service = await startService();
  const kept = await makeKey(service.admin, { name: "kept" });
  const off = await makeKey(service.admin, { name: "off" });
  const gone = await makeKey(service.admin, { name: "gone" });
  await service.admin.put(`/api/v2/keys/${off.id}`, { isActive: false });
  await service.admin.delete(`/api/v2/keys/${gone.id}`);
  await service.restart();
  const statuses = [kept, off, gone].map(async ({ key }) => (await service.client(key).get("/api/v2/leads")).status);
  expect(await Promise.all(statuses)).toEqual([200, 401, 401]);
});

test("secrets are not stored in clear", async () => {
  await using service = await startService();
  const { key } = await makeKey(service.admin, { name: "robot" });
  await service.restart();
  await using database = await service.openDatabase();
  expect(await database.has(key.slice(10, 60))).toBe(false);
  expect(await database.has("robot")).toBe(true);
});

testInProcess(
  "a key in an address is told to its owner once a day, wherever it stands there, and opens nothing",
  async () => {
    const clock = new FakeClock();
    await using own = await startService({ clock });
    const user = await own.user();
    const told = async () => {
      const answer = await user.get<{ events: { data: object }[] }>("/api/v2/events", {
        query: { type: "key.leaked" },
      });
      return succeeded(answer).data.events.map(({ data }) => data);
    };
    const tellsOf = (count: number) =>
      eventually(`${count} events`, async () => ((await told()).length < count ? null : await told()));
    const made = await makeKey(user);
    const leaked = { keyId: made.id, name: "sync", expiresAt: null };
    const stranger = own.client(null);
    expect((await stranger.get("/api/v2/leads", { query: { api_key: made.key } })).code).toBe("UNAUTHORIZED");
    expect(await tellsOf(1)).toEqual([leaked]);
    // The same again, beside a key that is in its place; then another, which shows that the one before was passed over.
    expect((await user.get("/api/v2/leads", { query: { q: made.key } })).status).toBe(200);
    const other = await makeKey(user, { name: "other" });
    expect((await fetch(`${own.url}/nothing/${other.key}`)).status).toBe(404);
    expect(await tellsOf(2)).toEqual([{ ...leaked, keyId: other.id, name: "other" }, leaked]);
    clock.advance(dayMs);
    await stranger.get("/api/v2/leads", { query: { api_key: made.key } });
    expect((await tellsOf(3))[0]).toEqual(leaked);
  },
);

test("a key that opens nothing any more, or never did, leaks nothing", async () => {
  const user = await service.user();
  const [off, on] = [await makeKey(user), await makeKey(user)];
  succeeded(await user.put(`/api/v2/keys/${off.id}`, { isActive: false }));
  for (const key of [off.key, `oak_${"0".repeat(64)}`, makeSecret("user", systemIds), on.key])
    await service.client(null).get("/api/v2/leads", { query: { api_key: key } });
  const events = await eventually("the event of the last", async () => {
    const query = { type: "key.leaked" };
    const { data } = await user.get<{ events: { data: object }[] }>("/api/v2/events", { query });
    return data.events.length === 0 ? null : data.events;
  });
  expect(events).toMatchObject([{ data: { keyId: on.id } }]);
});

testInProcess("the period of a key starts anew when it is regenerated, and can be changed", async () => {
  const clock = new FakeClock();
  await using own = await startService({ clock });
  const made = await makeKey(own.admin, { expiresInDays: 2 });
  clock.advance(3 * dayMs);
  expect((await own.client(made.key).get("/api/v2/leads")).status).toBe(401);
  const renewed = (await own.admin.post(`/api/v2/keys/${made.id}/regenerate`)).body as NewKeyView;
  expect(renewed.expires_at).toBe(new Date(clock.now() + 2 * dayMs).toISOString());
  expect((await own.client(renewed.key).get("/api/v2/leads")).status).toBe(200);
  const longer = await own.admin.put<KeyView>(`/api/v2/keys/${made.id}`, { expiresInDays: 10 });
  expect(longer.data.expires_at).toBe(new Date(clock.now() + 10 * dayMs).toISOString());
  const endless = await own.admin.put<KeyView>(`/api/v2/keys/${made.id}`, { expiresInDays: null });
  expect(endless.data.expires_at).toBeNull();
});

testInProcess("no key outlives the key that makes, changes or regenerates it", async () => {
  const clock = new FakeClock();
  await using own = await startService({ clock });
  const made = await makeKey(own.admin, { permissions: ["leads:read", "keys:manage"], expiresInDays: 2 });
  const maker = own.client(made.key);
  const heir = await makeKey(maker);
  expect(heir.expires_at).toBe(made.expires_at);
  const longer = { name: "x", permissions: ["leads:read"], expiresInDays: 3 };
  expect(await maker.post("/api/v2/keys", longer)).toMatchObject({
    status: 403,
    details: { expiresAt: made.expires_at },
  });
  for (const expiresInDays of [3, null])
    expect((await maker.put(`/api/v2/keys/${heir.id}`, { expiresInDays })).status).toBe(403);
  clock.advance(dayMs);
  // Its own period is no longer for having been renewed by itself.
  const again = (await maker.post(`/api/v2/keys/${made.id}/regenerate`)).body as NewKeyView;
  expect(again.expires_at).toBe(made.expires_at);
});

test("a key with less can neither change nor turn on a stronger one, but turn it off", async () => {
  const strong = await service.user();
  const weak = await service.keyOf(strong, ["keys:manage"]);
  const stronger = await makeKey(strong, { permissions: ["leads:read", "leads:write"] });
  const path = `/api/v2/keys/${stronger.id}`;
  for (const change of [{ name: "mine" }, { expiresInDays: 1 }, { isActive: false, name: "mine" }, { isActive: true }])
    expect(await weak.put(path, change)).toMatchObject({
      status: 403,
      body: { permissionHelp: { required: "leads:read", available: ["keys:manage"] } },
    });
  expect((await weak.put(path, { isActive: false })).status).toBe(200);
  expect((await weak.put(path, { isActive: true })).status).toBe(403);
  expect((await strong.put(path, { isActive: true })).status).toBe(200);
});

test("a key with a budget makes no other that spends, and can only lower its own", async () => {
  const user = await service.user();
  const granted = ["leads:enrich", "leads:read", "keys:manage", "users:read", "users:write"] as const;
  const { id, key } = await makeKey(user, { permissions: [...granted] });
  expect((await service.admin.put(`/api/v2/credits/budgets/${id}`, { monthly: 5 })).status).toBe(200);
  const limited = service.client(key);
  const spender = { name: "x", permissions: ["leads:enrich"] };
  expect(await limited.post("/api/v2/keys", spender)).toMatchObject({
    status: 403,
    details: { spending: ["leads:enrich"] },
  });
  expect((await limited.post("/api/v2/keys", { ...spender, permissions: ["leads:read"] })).status).toBe(200);
  const other = await makeKey(user, spender);
  expect((await limited.post(`/api/v2/keys/${other.id}/regenerate`)).status).toBe(403);
  expect((await limited.post(`/api/v2/keys/${other.id}/link`)).status).toBe(403);
  expect((await limited.put(`/api/v2/keys/${id}`, { name: "still mine" })).status).toBe(200);
  for (const [budget, monthly] of [
    [id, 6],
    [id, null],
    [other.id, 1],
  ] as const)
    expect((await limited.put(`/api/v2/credits/budgets/${budget}`, { monthly })).status).toBe(403);
  expect((await limited.put(`/api/v2/credits/budgets/${id}`, { monthly: 4 })).status).toBe(200);
});

test("an admin revokes the key of any user, and cannot read it", async () => {
  const ada = await service.user();
  const { id, key } = await makeKey(ada);
  expect((await service.admin.put(`/api/v2/keys/${id}`, { name: "mine" })).status).toBe(404);
  expect((await service.admin.post(`/api/v2/keys/${id}/regenerate`)).status).toBe(404);
  expect((await service.admin.put(`/api/v2/keys/${id}`, { isActive: false })).status).toBe(200);
  expect((await service.client(key).get("/api/v2/leads")).status).toBe(401);
  expect((await service.admin.delete(`/api/v2/keys/${id}`)).status).toBe(200);
  expect(await keyNamed(ada, "sync")).toBeUndefined();
});
