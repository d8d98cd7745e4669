import { afterAll, expect, test } from "bun:test";
import { permissions } from "../../src/platform/auth/key-model.ts";
import type { AuditCheck, AuditEntryView } from "../../src/platform/auth/audit/model.ts";
import type { Client } from "../support/client.ts";
import { eventually, startService, succeeded } from "../support/service.ts";

const service = await startService({ settings: { TRUSTED_PROXIES: 1 } });
afterAll(() => service[Symbol.asyncDispose]());

type Page = { entries: AuditEntryView[]; nextCursor: string | null };
const listed = async (client: Client, query: Record<string, string | number> = {}) =>
  succeeded(await client.get<Page>("/api/v2/audit", { query })).data.entries;

test("who made a key, from where and with what, is told in the log", async () => {
  const user = await service.user();
  const headers = { "x-forwarded-for": "203.0.113.7, 198.51.100.9", "user-agent": "crm/1.0", "x-request-id": "abc-1" };
  const made = succeeded(
    await user.post<{ id: string; key: string; hint: string }>(
      "/api/v2/keys",
      { name: "sync", permissions: ["leads:read"] },
      { headers },
    ),
  ).data;
  const [entry] = await listed(user, { targetId: made.id });
  expect(entry).toMatchObject({
    action: "key.created",
    via: "api",
    userId: user.userId,
    actorId: user.userId,
    keyName: "test",
    address: "198.51.100.9",
    userAgent: "crm/1.0",
    requestId: "abc-1",
    targetType: "key",
    details: { name: "sync", hint: made.hint, permissions: ["leads:read"] },
  });
  expect(JSON.stringify(entry)).not.toContain(made.key);
});

test("each change of a key has its entry, newest first", async () => {
  const user = await service.user();
  const { id } = succeeded(
    await user.post<{ id: string }>("/api/v2/keys", { name: "one", permissions: ["leads:read"] }),
  ).data;
  await user.put(`/api/v2/keys/${id}`, { name: "two", isActive: false });
  await user.post(`/api/v2/keys/${id}/regenerate`);
  await user.delete(`/api/v2/keys/${id}`);
  const found = await listed(user, { targetId: id, action: "key" });
  expect(found.map(({ action }) => action)).toEqual(["key.deleted", "key.regenerated", "key.updated", "key.created"]);
  expect(found[2]?.details).toEqual({ name: "two", isActive: false });
});

test("a member sees only what is about themselves, an admin everything", async () => {
  const [ada, bob] = [await service.user(), await service.user()];
  await ada.patch("/api/v2/users/me", { name: "Ada" });
  const action = "user.updated";
  expect((await listed(ada, { action })).map(({ details }) => details)).toEqual([{ changed: ["name"] }]);
  expect(await listed(bob, { action, userId: ada.userId })).toEqual([]);
  expect(await listed(service.admin, { action, userId: ada.userId })).toHaveLength(1);
});

test("commands on the server's machine are told apart from requests", async () => {
  const { userId } = await service.user();
  const [entry] = await listed(service.admin, { targetId: userId, action: "user.created" });
  expect(entry).toMatchObject({ via: "commandLine", keyId: null, actorId: null });
});

test("who signs in with a browser, and out, is told with the address; so is who was refused", async () => {
  const user = await service.user();
  const { id: keyId } = succeeded(await user.get<{ keys: { id: string }[] }>("/api/v2/keys")).data.keys[0]!;
  const headers = { "x-outreachd-page": "1", "content-type": "application/json", "x-forwarded-for": "198.51.100.9" };
  const session = (method: string, body?: object, more: Record<string, string> = {}) =>
    fetch(`${service.url}/app/session`, {
      method,
      headers: { ...headers, ...more },
      ...(body && { body: JSON.stringify(body) }),
    });
  const refused = await session("POST", { key: "nonsense" });
  expect(refused.status).toBe(401);
  const signedIn = await session("POST", { key: user.key });
  expect(signedIn.status).toBe(200);
  const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  expect((await session("DELETE", undefined, { cookie })).status).toBe(200);

  const found = await listed(user, { action: "session" });
  expect(found).toMatchObject([
    { action: "session.signedOut", address: "198.51.100.9", targetId: keyId, actorId: user.userId },
    { action: "session.signedIn", address: "198.51.100.9", targetId: keyId, actorId: user.userId },
  ]);
  const [stranger] = await listed(service.admin, { action: "session.refused" });
  expect(stranger).toMatchObject({ via: "api", address: "198.51.100.9", userId: null, keyId: null });
});

test("a global key that is refused is told of", async () => {
  const global = await service.globalKey();
  const before = (await listed(service.admin, { action: "key.globalRefused" })).length;
  expect(
    (await service.admin.post("/api/v2/keys", { name: "x", permissions: ["leads:read"], global: true })).status,
  ).toBe(403);
  const found = await eventually("the entry, for which the refused do not wait", async () => {
    const entries = await listed(service.admin, { action: "key.globalRefused" });
    return entries.length === before ? null : entries;
  });
  expect(found.length - before).toBe(1);
  expect(found[0]).toMatchObject({ keyName: "admin", details: { route: "/api/v2/keys" } });
  expect((await global.get("/api/v2/audit")).status).toBe(200);
});

test("imports, exports and erasures are in the log, and no text of a lead is", async () => {
  const user = await service.user();
  const email = "secret.person@example.com";
  const { id } = succeeded(await user.post<{ id: string }>("/api/v2/leads", { email, notes: "a private note" })).data;
  succeeded(await user.get("/api/v2/leads/export"));
  succeeded(await user.get("/api/v2/suppressions/export"));
  succeeded(await user.post("/api/v2/leads/import", `email\n${email}\n`, { headers: { "content-type": "text/csv" } }));
  succeeded(await user.delete(`/api/v2/leads/${id}?suppress=true`));
  const found = await listed(user, { limit: 50 });
  expect(found.map(({ action }) => action)).toEqual([
    "lead.erased",
    "leads.imported",
    "suppressions.exported",
    "leads.exported",
    "key.created",
    "user.created",
  ]);
  expect(JSON.stringify(found)).not.toMatch(/secret\.person|private note/);
});

test("the export has the same entries, one a line, and is told of itself", async () => {
  const user = await service.user();
  const { body, headers } = await user.get("/api/v2/audit/export");
  expect(headers.get("content-type")).toBe("application/x-ndjson");
  const lines = String(body).trimEnd().split("\n").map((line) => JSON.parse(line) as AuditEntryView); // prettier-ignore
  expect(lines).toEqual(await listed(user));
  expect(lines[0]?.action).toBe("audit.exported");
});

test("pages follow one another without a gap", async () => {
  const user = await service.user();
  for (const name of ["a", "b", "c", "d"]) await user.patch("/api/v2/users/me", { name });
  const seen: number[] = [];
  let cursor: string | null = null;
  do {
    const { data }: { data: Page } = succeeded(
      await user.get<Page>("/api/v2/audit", { query: { limit: 2, ...(cursor !== null && { cursor }) } }),
    );
    seen.push(...data.entries.map(({ id }) => id));
    cursor = data.nextCursor;
  } while (cursor !== null);
  expect(seen).toEqual((await listed(user)).map(({ id }) => id));
});

test("an admin can check that the log is whole, others can't", async () => {
  const verify = (query = {}) => service.admin.get<AuditCheck>("/api/v2/audit/verify", { query });
  const { lastId, lastHash, ...check } = (await verify()).data;
  expect(check).toMatchObject({ isIntact: true, anchor: null });
  await service.user();
  expect((await verify({ lastId, lastHash })).data).toMatchObject({ isIntact: true, anchor: "same" });
  expect((await verify({ lastId: lastId! - 1, lastHash })).data).toMatchObject({ isIntact: false, anchor: "changed" });
  expect((await verify({ lastId: lastId! + 999, lastHash })).data).toMatchObject({
    isIntact: false,
    anchor: "missing",
  });
  expect((await verify({ lastId })).message).toBe(
    "lastHash: Send lastId and lastHash together, as returned by a previous check.",
  );
  const user = await service.user();
  expect((await user.get("/api/v2/audit/verify")).status).toBe(403);
});

test("without audit:read nobody reads it, and what is no action is refused by name", async () => {
  const user = await service.user();
  const lesser = await service.keyOf(
    user,
    permissions.filter((name) => name !== "audit:read"),
  );
  expect((await lesser.get("/api/v2/audit")).status).toBe(403);
  const refused = await user.get("/api/v2/audit", { query: { action: "key.stolen" } });
  expect({ status: refused.status, message: refused.message }).toEqual({
    status: 400,
    message: expect.stringContaining("key.created"),
  });
});

test("an operator who lets connectors act by themselves is told of once, and again when that ends", async () => {
  await using own = await startService({ settings: { ACKNOWLEDGE_NETWORK_RISK: "true" } });
  const notes = async () => (await listed(own.admin, { action: "risk" })).length;
  await eventually("the note of the first start", async () => ((await notes()) > 0 ? true : null));
  await own.restart();
  await own.idle();
  const found = await listed(own.admin, { action: "risk" });
  expect(found.map(({ action, via }) => [action, via])).toEqual([["risk.accepted", "service"]]);
});
