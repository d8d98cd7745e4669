import { expect, test } from "bun:test";
import { permissions } from "../../src/platform/auth/key-model.ts";
import { newKeyText, type NewKey } from "../../src/surfaces/cli/key.ts";
import { ada, createCommandLine, success, userPage } from "../support/command-line.ts";

const secret = `oak_${"0".repeat(64)}`;

async function commandLine(users: unknown[] = [ada]) {
  const bodies: unknown[] = [];
  const queries: string[] = [];
  const api = async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname.endsWith("/users") && request.method === "GET") return userPage(users);
    if (request.method === "POST") {
      bodies.push(await request.json());
      return success(pathname.endsWith("/users") ? ada : { id: "k1", key: secret, name: "sync" });
    }
    queries.push(search);
    return success({ keys: [], members: [] });
  };
  const cli = await createCommandLine({ api });
  return { ...cli, bodies, queries };
}

test("a key is made for the only user, with all permissions of a user, and shown once", async () => {
  await using cli = await commandLine();
  const { exitCode, out, err } = await cli.run("key", "create", "--name", "sync");
  expect(exitCode).toBe(0);
  expect(out.split(secret)).toHaveLength(2);
  expect(err).toBe("");
  expect(cli.bodies).toEqual([{ name: "sync", permissions: [...permissions], userId: "u-ada" }]);
});

test("permissions, expiry and user can be chosen", async () => {
  await using cli = await commandLine([
    { ...ada, role: "member" },
    { ...ada, id: "u-2", email: "eve@example.com" },
  ]);
  const line =
    "key create --user ada@example.com --expires-in-days 30 --permission leads:read --permission leads:write";
  await cli.run(...line.split(" "));
  expect(cli.bodies).toEqual([
    { name: "command line", permissions: ["leads:read", "leads:write"], expiresInDays: 30, userId: "u-ada" },
  ]);
});

test("among several users the first admin is taken, and that is said", async () => {
  await using cli = await commandLine([
    { ...ada, id: "u-1", email: "first@example.com", role: "member", createdAt: "2025-01-01T00:00:00.000Z" },
    { ...ada, id: "u-3", email: "later@example.com", createdAt: "2026-03-01T00:00:00.000Z" },
    ada,
  ]);
  const { err } = await cli.run("key", "create");
  expect(cli.bodies).toEqual([expect.objectContaining({ userId: "u-ada" })]);
  expect(err).toBe("Acting as ada@example.com; use --user to choose another user.\n");
});

test("among several workspaces that of the first admin is taken, and that is said", async () => {
  await using cli = await commandLine([ada, { ...ada, id: "u-2", email: "eve@example.com", role: "member" }]);
  const { err } = await cli.run("member", "list");
  expect(cli.queries).toEqual([expect.stringContaining("userId=u-ada")]);
  expect(err).toContain("Using the workspace of ada@example.com; use --workspace to choose another workspace.\n");
});

test("a global key has no user and all permissions", async () => {
  await using cli = await commandLine();
  await cli.run("key", "create", "--global");
  expect(cli.bodies).toEqual([{ name: "command line", permissions: ["*"], global: true }]);
  expect((await cli.run("key", "create", "--global", "--permission", "leads:read")).exitCode).toBe(2);
});

test("a misspelled permission is refused with a suggestion, before anything is asked", async () => {
  await using cli = await commandLine();
  const { exitCode, err } = await cli.run("key", "create", "--permission", "leads:raed");
  expect(exitCode).toBe(2);
  expect(err).toContain("Did you mean leads:read?");
  expect(cli.calls).toEqual([]);
});

test("`key list` asks for all keys, or for one user's", async () => {
  await using cli = await commandLine();
  await cli.run("key", "list");
  await cli.run("key", "list", "--user", "u-ada");
  expect(cli.queries).toEqual(["", "?userId=u-ada"]);
});

test("`user create --key` makes both and shows the key once", async () => {
  await using cli = await commandLine();
  const { out } = await cli.run("user", "create", "ada@example.com", "--role", "admin", "--key", "--json");
  expect(JSON.parse(out)).toMatchObject({ user: { id: "u-ada" }, key: { key: secret } });
  expect(cli.bodies).toEqual([
    { email: "ada@example.com", role: "admin" },
    { name: "first key", permissions: [...permissions], userId: "u-ada" },
  ]);
});

test("a key is revoked by its id", async () => {
  await using cli = await commandLine();
  const { exitCode, out } = await cli.run("key", "revoke", "k1");
  expect(exitCode).toBe(0);
  expect(out).toBe("Revoked the key k1.\n");
  expect(cli.calls).toContain("DELETE /api/v2/keys/k1");
});

async function withKeys(key: object) {
  const sent: unknown[] = [];
  const stored = {
    ...{ id: "k1", name: "sync", hint: "oak_0000", userId: "u-ada", permissions: ["leads:read"], isActive: true },
    ...{ usageCount: 3, expires_at: null, last_used_at: null, rateLimits: null, allowedNetworks: null, ...key },
  };
  const api = async (request: Request) => {
    if (new URL(request.url).pathname.endsWith("/users")) return userPage([ada]);
    if (request.method === "GET") return success({ keys: [stored], nextCursor: null });
    const body = (await request.json()) as object;
    sent.push(body);
    return success({ ...stored, ...body, ...(request.method === "POST" && { key: secret }) });
  };
  return { ...(await createCommandLine({ api })), sent };
}

test("`key update` changes the named limits, keeps the others, and opens a key to any network", async () => {
  await using cli = await withKeys({ rateLimits: { minute: 20, day: 9000 }, allowedNetworks: ["10.0.0.0/8"] });
  const line = "key update k1 --per-hour 500 --per-minute none --allow none";
  expect((await cli.run(...line.split(" "))).exitCode).toBe(0);
  await cli.run("key", "update", "k1", "--per-minute", "none", "--per-day", "none");
  await cli.run("key", "update", "k1", "--name", "CRM");
  expect(cli.sent).toEqual([
    { rateLimits: { hour: 500, day: 9000 }, allowedNetworks: null },
    { rateLimits: null },
    { name: "CRM" },
  ]);
  expect((await cli.run("key", "update", "k1", "--allow", "none", "--allow", "10.0.0.1")).exitCode).toBe(2);
  expect((await cli.run("key", "update", "k1", "--per-hour", "0")).exitCode).toBe(2);
  expect(cli.sent).toHaveLength(3);
});

test("`key list` shows limits and networks", async () => {
  await using limited = await withKeys({ rateLimits: { minute: 20, hour: 500 }, allowedNetworks: ["10.0.0.0/8"] });
  expect((await limited.run("key", "list")).out).toMatch(/ 20\/minute 500\/hour +10\.0\.0\.0\/8 +leads:read /);
  await using open = await withKeys({});
  expect((await open.run("key", "list")).out).toMatch(/ none +any +leads:read /);
});

test.each([
  [["10.0.0.0/8"], "http://127.0.0.1:8080", false],
  [["10.0.0.0/8"], "http://[::1]:8080", false],
  [["127.0.0.0/8"], "http://localhost:8080", true],
  [["10.0.0.0/8"], "https://outreach.example.com", true],
  [null, "http://127.0.0.1:8080", true],
])("whether a new key for %p is shown with a request to %s: %p", async (allowedNetworks, url, isShown) => {
  const text = newKeyText({ key: secret, name: "sync", allowedNetworks } as NewKey, url);
  expect(text.includes("curl")).toBe(isShown);
  expect(text.includes(`It can only be used from 10.0.0.0/8, not from this machine over ${url}.`)).toBe(!isShown);
});
