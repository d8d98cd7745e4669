import { afterAll, expect, test } from "bun:test";
import { permissions, type NewKeyView } from "../../src/platform/auth/key-model.ts";
import type { OpenSessionView, SessionView, SignInLinkView } from "../../src/features/workspaces/sessions/model.ts";
import type { Client } from "../support/client.ts";
import { FakeClock } from "../support/clock.ts";
import { addMember, joinByInvitation, joinTeam } from "../support/team.ts";
import { startService, succeeded, testInProcess, type Service } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const page = { "x-outreachd-page": "1" };
const json = { ...page, "content-type": "application/json" };

type Cookies = { cookie: string; setCookie: string };

async function signIn(body: object, { url }: Pick<Service, "url"> = service, headers = {}) {
  const init = { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) };
  const response = await fetch(`${url}/app/session`, init);
  const setCookie = response.headers.get("set-cookie") ?? "";
  const cookie = setCookie.split(";")[0] ?? "";
  return {
    status: response.status,
    body: (await response.json()) as { data: SessionView; code?: string },
    cookie,
    setCookie,
  };
}

async function signedIn(client: Client): Promise<Cookies> {
  const { status, ...answer } = await signIn({ key: client.key });
  expect(status).toBe(200);
  return answer;
}

async function ask(cookie: string, path: string, init: RequestInit = {}): Promise<number> {
  const headers = { ...page, ...(init.headers as Record<string, string> | undefined), cookie };
  return (await fetch(service.url + path, { ...init, headers })).status;
}

test("a key signs in, with a cookie that no script and no other site gets at", async () => {
  const client = await service.user({ name: "Ada", permissions: ["leads:read"] });
  const { status, body, setCookie } = await signIn({ key: ` ${client.key}\n` });
  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    user: { id: client.userId, name: "Ada" },
    isAdmin: false,
    permissions: ["leads:read"],
  });
  expect(JSON.stringify(body)).not.toContain(client.key!);
  expect(setCookie).toMatch(
    /^outreachd_session_[0-9a-f]{8}=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
  );
});

test("a session may do what its key may, and nothing else", async () => {
  const { cookie } = await signedIn(await service.user({ permissions: ["leads:read"] }));
  expect(await ask(cookie, "/api/v2/leads")).toBe(200);
  expect(await ask(cookie, "/api/v2/network/accounts")).toBe(403);
  expect(await ask(cookie, "/api/v2/leads", { method: "POST", headers: json, body: `{"email":"a@b.example"}` })).toBe(
    403,
  );
});

test.each([
  ["no key at all", {}, 400],
  ["a key with a typo", { key: "oak_1234" }, 401],
  ["a link that nobody made", { link: "x".repeat(43) }, 401],
])("%s signs nobody in", async (_what, input, status) => {
  const answer = await signIn(input);
  expect(answer.status).toBe(status);
  expect(answer.setCookie).toBe("");
});

test("a global key signs nobody in: it belongs to nobody", async () => {
  expect((await signIn({ key: (await service.globalKey()).key })).status).toBe(401);
});

test.each([
  ["without our header", { "content-type": "application/json" }],
  ["from another site", { ...json, "sec-fetch-site": "cross-site" }],
  ["from another port of this machine", { ...json, "sec-fetch-site": "same-site" }],
  ["from another origin, in a browser without Fetch Metadata", { ...json, origin: "http://127.0.0.1:1" }],
  ["from a page that hides its origin", { ...json, origin: "null" }],
])("a cookie changes nothing %s", async (_what, headers) => {
  const { cookie } = await signedIn(await service.user());
  const send = (path: string) =>
    fetch(service.url + path, { method: "POST", headers: { ...headers, cookie }, body: `{"email":"a@b.example"}` });
  for (const path of ["/api/v2/leads", "/app/session"]) expect((await send(path)).status).toBe(403);
  const count = await fetch(`${service.url}/api/v2/leads`, { headers: { cookie } });
  expect(await count.json()).toMatchObject({ data: { total: 0 } });
});

test("a page of this server changes things, with and without Fetch Metadata", async () => {
  const { cookie } = await signedIn(await service.user());
  const send = (headers: object) =>
    ask(cookie, "/api/v2/leads", { method: "POST", headers: { ...json, ...headers }, body: `{"email":"a@b.example"}` });
  expect(await send({ "sec-fetch-site": "same-origin", origin: service.url })).toBe(200);
  expect(await send({ origin: service.url })).toBe(200);
});

test("what a cookie speaks for must say that it is JSON, whatever other headers come with it", async () => {
  const user = await service.user();
  const { cookie } = await signedIn(user);
  const credentials: [string, Record<string, string>, isKey: boolean][] = [
    ["nothing", {}, false],
    ["another scheme", { authorization: "Basic eDp5" }, false],
    ["no scheme", { authorization: user.key! }, false],
    ["an empty token", { authorization: "Bearer " }, false],
    ["a token", { authorization: `Bearer ${user.key}` }, true],
    ["a key", { "x-api-key": user.key! }, true],
  ];
  const types: [string, withCookie: boolean][] = [
    ["application/json", true],
    ["application/x-www-form-urlencoded", false],
    ["text/plain", false],
    ["multipart/form-data; boundary=x", false],
  ];
  for (const [name, credential, isKey] of credentials)
    for (const [type, isTaken] of types) {
      const headers = { "content-type": type, ...credential };
      const init = { method: "POST", headers, body: `{"email":"${name.replaceAll(" ", "-")}@b.example"}` };
      const expected = isTaken || (isKey && type.endsWith("urlencoded")) ? 200 : 415;
      expect({ name, type, status: await ask(cookie, "/api/v2/leads", init) }).toEqual({
        name,
        type,
        status: expected,
      });
    }
});

test("another site does not read with the cookie either", async () => {
  const { cookie } = await signedIn(await service.user());
  const read = (site: string) =>
    fetch(`${service.url}/api/v2/leads`, { headers: { cookie, "sec-fetch-site": site } }).then(({ status }) => status);
  expect(await read("cross-site")).toBe(403);
  expect(await read("same-site")).toBe(403);
  expect(await read("none")).toBe(200);
});

test("a key in the header goes before the cookie", async () => {
  const { cookie } = await signedIn(await service.user({ permissions: ["leads:read"] }));
  const other = await service.user({ permissions: ["network:read"] });
  const headers = { cookie, "x-api-key": other.key! };
  expect((await fetch(`${service.url}/api/v2/leads`, { headers })).status).toBe(403);
});

test("signing out ends the session and takes the cookie away", async () => {
  const { cookie } = await signedIn(await service.user());
  const response = await fetch(`${service.url}/app/session`, { method: "DELETE", headers: { ...page, cookie } });
  expect(response.headers.get("set-cookie")).toContain("Max-Age=0");
  expect(await ask(cookie, "/api/v2/leads")).toBe(401);
});

test.each<[string, (owner: Client, keyId: string) => Promise<unknown>]>([
  ["is deleted", (owner, id) => owner.delete(`/api/v2/keys/${id}`)],
  ["is turned off", (owner, id) => owner.put(`/api/v2/keys/${id}`, { isActive: false })],
  ["gets a new secret", (owner, id) => owner.post(`/api/v2/keys/${id}/regenerate`)],
])("a session ends when its key %s", async (_what, end) => {
  const owner = await service.user();
  const made = succeeded(await owner.post<NewKeyView>("/api/v2/keys", { name: "second", permissions: ["leads:read"] }));
  const { cookie } = await signIn({ key: made.data.key });
  expect(await ask(cookie, "/api/v2/leads")).toBe(200);
  await end(owner, made.data.id);
  expect(await ask(cookie, "/api/v2/leads")).toBe(401);
  expect(await ask(cookie, "/app/session")).toBe(401);
});

test("a link signs in once, with what its key may do", async () => {
  const owner = await service.user();
  const { data } = await owner.post<NewKeyView>("/api/v2/keys", { name: "page", permissions: ["leads:read"] });
  const link = succeeded(await owner.post<SignInLinkView>(`/api/v2/keys/${data.id}/link`)).data;
  expect(link.url).toStartWith(`${service.url}/app/sign-in#`);
  const token = link.url.split("#")[1];
  const first = await signIn({ link: token });
  expect(first.body.data.permissions).toEqual(["leads:read"]);
  expect((await signIn({ link: token })).status).toBe(401);
});

test("nobody makes a link for a key that holds more than they do, or is another's", async () => {
  const owner = await service.user();
  const { data } = await owner.post<NewKeyView>("/api/v2/keys", { name: "all", permissions: ["leads:write"] });
  const less = await service.keyOf(owner, ["keys:manage"]);
  expect((await less.post(`/api/v2/keys/${data.id}/link`)).code).toBe("PERMISSION_DENIED");
  expect((await (await service.user()).post(`/api/v2/keys/${data.id}/link`)).code).toBe("NOT_FOUND");
});

testInProcess("a link ends after an hour, a session after thirty days or with its key", async () => {
  const clock = new FakeClock();
  await using own = await startService({ clock });
  const owner = await own.user();
  const made = await owner.post<NewKeyView>("/api/v2/keys", {
    name: "a week",
    permissions: ["leads:read", "keys:manage"],
    expiresInDays: 7,
  });
  const link = await owner.post<SignInLinkView>(`/api/v2/keys/${made.data.id}/link`);
  const short = await signIn({ key: made.data.key }, own);
  const long = await signIn({ key: owner.key }, own);
  const status = async ({ cookie }: Cookies) =>
    (await fetch(`${own.url}/api/v2/leads`, { headers: { cookie } })).status;
  clock.advance(3_600_000);
  expect((await signIn({ link: link.data.url.split("#")[1] }, own)).status).toBe(401);
  expect([await status(short), await status(long)]).toEqual([200, 200]);
  clock.advance(7 * 86_400_000);
  expect([await status(short), await status(long)]).toEqual([401, 200]);
  clock.advance(23 * 86_400_000);
  expect(await status(long)).toBe(401);
});

testInProcess("requests of a page count a tenth, and apart from those of the person's programs", async () => {
  await using own = await startService({ clock: new FakeClock(), settings: { RATE_LIMIT_MINUTE: 2 } });
  const owner = await own.user();
  const { cookie } = await signIn({ key: owner.key }, own);
  const read = () => fetch(`${own.url}/api/v2/leads`, { headers: { cookie } });
  for (let n = 0; n < 20; n++) expect((await read()).status).toBe(200);
  const refused = await read();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await owner.get("/api/v2/leads")).status).toBe(200);
});

testInProcess("who tries key after key is made to wait", async () => {
  await using own = await startService({ clock: new FakeClock(), settings: { RATE_LIMIT_MINUTE: 3 } });
  const tries = [];
  for (let n = 0; n < 4; n++) tries.push((await signIn({ key: "oak_guess" }, own)).status);
  expect(tries).toEqual([401, 401, 401, 429]);
});

test("behind https the cookie is for https alone", async () => {
  await using own = await startService({ settings: { PUBLIC_URL: "https://outreach.example.com" } });
  const origin = "https://outreach.example.com";
  const { setCookie, cookie } = await signIn({ key: own.admin.key }, own, { origin });
  expect(setCookie).toMatch(/^__Host-outreachd_session_[0-9a-f]{8}=.*; Path=\/;.*; Secure$/);
  const { status } = await fetch(`${own.url}/api/v2/leads`, { headers: { cookie } });
  expect(status).toBe(200);
});

test("two installations on one host do not sign each other out", async () => {
  await using other = await startService();
  const [here, there] = [await signIn({ key: service.admin.key }), await signIn({ key: other.admin.key }, other)];
  const both = `${here.cookie}; ${there.cookie}`;
  for (const { url } of [service, other])
    expect((await fetch(`${url}/api/v2/leads`, { headers: { cookie: both } })).status).toBe(200);
  const response = await fetch(`${other.url}/app/session`, { method: "DELETE", headers: { ...page, cookie: both } });
  expect(response.status).toBe(200);
  expect(await ask(both, "/api/v2/leads")).toBe(200);
});

test("a cookie of version 0.1.0 keeps its user signed in", async () => {
  const { cookie } = await signedIn(await service.user());
  const [, token] = cookie.split("=");
  expect(await ask(`outreachd_session=${token}`, "/api/v2/leads")).toBe(200);
});

type Listed = { sessions: OpenSessionView[] };

async function listWith(cookie: string, path = "/api/v2/sessions"): Promise<OpenSessionView[]> {
  const response = await fetch(service.url + path, { headers: { ...page, cookie } });
  return ((await response.json()) as { data: Listed }).data.sessions;
}

test("people see where they are signed in, whatever their role, and end what they do not know", async () => {
  const owner = await service.user();
  const viewer = await addMember(service, owner, "custom", { custom: ["leads:read"] });
  const [desk, phone] = [await signIn({ key: viewer.key }), await signIn({ key: viewer.key })];
  const listed = await listWith(desk.cookie);
  expect(listed.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
  expect(listed).toHaveLength(2);
  expect(listed[0]).toMatchObject({ userId: viewer.userId, workspaceId: owner.userId, keyName: "custom" });
  expect(JSON.stringify(listed)).not.toContain(phone.cookie.split("=")[1]!);
  const other = listed.find(({ isCurrent }) => !isCurrent)!;
  expect(await ask(desk.cookie, `/api/v2/sessions/${other.id}`, { method: "DELETE" })).toBe(200);
  expect(await ask(phone.cookie, "/api/v2/leads")).toBe(401);
  expect(await ask(desk.cookie, "/api/v2/leads")).toBe(200);
  expect(await ask(desk.cookie, `/api/v2/sessions/${other.id}`, { method: "DELETE" })).toBe(404);
});

test("all other sessions end together", async () => {
  const user = await service.user();
  const cookies = [];
  for (let n = 0; n < 3; n++) cookies.push((await signIn({ key: user.key })).cookie);
  expect(await ask(cookies[0]!, "/api/v2/sessions", { method: "DELETE" })).toBe(200);
  expect(await Promise.all(cookies.map((cookie) => ask(cookie, "/api/v2/leads")))).toEqual([200, 401, 401]);
});

test("owners and admins see and end the sessions of members, in their workspace only", async () => {
  const [owner, guest] = [await service.user(), await service.user()];
  const joined = await joinByInvitation(service, owner, guest, "member");
  const [there, athome] = [await signIn({ key: joined.key }), await signIn({ key: guest.key })];
  const member = await addMember(service, owner, "member");
  const query = { memberId: guest.userId };
  expect((await member.get("/api/v2/sessions", { query })).status).toBe(403);
  expect((await owner.get("/api/v2/sessions", { query: { memberId: "nobody" } })).status).toBe(404);
  expect((await service.admin.get("/api/v2/sessions", { query })).status).toBe(404);
  const { sessions } = succeeded(await owner.get<Listed>("/api/v2/sessions", { query })).data;
  expect(sessions.map(({ keyName }) => keyName)).toEqual(["first key"]);
  const path = `/api/v2/sessions/${sessions[0]?.id}`;
  for (const client of [member, service.admin]) expect((await client.delete(path)).status).toBeGreaterThan(400);
  expect((await owner.delete(path)).status).toBe(200);
  expect([await ask(there.cookie, "/api/v2/leads"), await ask(athome.cookie, "/api/v2/leads")]).toEqual([401, 200]);
});

test("an API key needs a permission for sessions, and a global key has none", async () => {
  const user = await service.user();
  const reader = await service.keyOf(user, ["leads:read"]);
  expect((await reader.get("/api/v2/sessions")).status).toBe(403);
  expect((await reader.delete("/api/v2/sessions")).status).toBe(403);
  expect((await (await service.globalKey()).get("/api/v2/sessions")).status).toBe(400);
  expect((await user.get("/api/v2/sessions")).status).toBe(200);
});

async function switchWith(cookie: string, workspaceId: string) {
  const init = { method: "POST", headers: { ...json, cookie }, body: JSON.stringify({ workspaceId }) };
  const response = await fetch(`${service.url}/app/session/switch`, init);
  const next = (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return { status: response.status, body: (await response.json()) as { data: SessionView }, cookie: next };
}

test("a session is switched to another workspace of the person, with their role there", async () => {
  const [owner, guest] = [await service.user({ name: "Ada" }), await service.user()];
  await joinTeam(service, owner, guest, "viewer");
  const home = await signIn({ key: guest.key });
  const there = await switchWith(home.cookie, owner.userId);
  expect(there.status).toBe(200);
  expect(there.body.data.workspace).toEqual({ id: owner.userId, name: "Ada", role: "viewer" });
  expect(await ask(home.cookie, "/api/v2/leads")).toBe(401);
  expect(await ask(there.cookie, "/api/v2/leads")).toBe(200);
  const body = `{"email":"a@b.example"}`;
  expect(await ask(there.cookie, "/api/v2/leads", { method: "POST", headers: json, body })).toBe(403);
  const back = await switchWith(there.cookie, guest.userId);
  expect(await ask(back.cookie, "/api/v2/leads", { method: "POST", headers: json, body })).toBe(200);
  await switchWith(back.cookie, owner.userId);
  const keys = succeeded(
    await owner.get<{ keys: { name: string }[] }>("/api/v2/keys", { query: { userId: guest.userId } }),
  );
  expect(keys.data.keys.map(({ name }) => name)).toEqual(["dashboard"]);
});

test("nobody switches to a workspace that is not theirs, or out of a restricted key", async () => {
  const [owner, guest] = [await service.user(), await service.user()];
  const { cookie } = await signIn({ key: guest.key });
  expect((await switchWith(cookie, owner.userId)).status).toBe(404);
  await joinTeam(service, owner, guest, "admin");
  const restricted = async (input: object) =>
    succeeded(await guest.post<NewKeyView>("/api/v2/keys", { name: "x", permissions: [...permissions], ...input })).data
      .key;
  for (const key of [
    await restricted({ expiresInDays: 3 }),
    await restricted({ requiresApproval: true }),
    await restricted({ permissions: ["leads:read"] }),
  ])
    expect((await switchWith((await signIn({ key })).cookie, owner.userId)).status).toBe(403);
  await owner.put(`/api/v2/members/${guest.userId}`, { isActive: false });
  expect((await switchWith(cookie, owner.userId)).status).toBe(404);
});

test("a key that has all of a small role here is not enough for a larger role elsewhere", async () => {
  const [here, there] = [await service.user(), await service.user()];
  const few = ["leads:read", "users:write"] as const;
  const guest = await addMember(service, here, "custom", { custom: ["leads:read"], permissions: few });
  await joinTeam(service, there, guest, "member");
  const { cookie } = await signedIn(guest);
  expect((await switchWith(cookie, there.userId)).status).toBe(403);
  succeeded(await there.put(`/api/v2/members/${guest.userId}`, { role: "custom", permissions: ["leads:read"] }));
  expect((await switchWith(cookie, there.userId)).status).toBe(200);
});
