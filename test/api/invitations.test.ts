import { afterAll, expect, test } from "bun:test";
import type {
  AcceptedInvitation,
  InvitationPreview,
  InvitationView,
  NewInvitationView,
} from "../../src/features/workspaces/invitations/model.ts";
import type { MemberView } from "../../src/features/workspaces/members/model.ts";
import { answerOf, type Answer, type Client } from "../support/client.ts";
import { FakeClock } from "../support/clock.ts";
import { startService, succeeded, testInProcess, type Service } from "../support/service.ts";
import { addMember } from "../support/team.ts";

/** Serves all tests of this file that need no clock: each has a workspace of its own. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const base = "/api/v2/invitations";
const newAddress = () => `${crypto.randomUUID()}@example.com`;
const invite = (by: Client, input: object) => by.post<NewInvitationView>(base, input);
const tokenIn = ({ url }: { url: string }) => url.slice(url.indexOf("#") + 1);
const open = async (client: Client) =>
  succeeded(await client.get<{ invitations: InvitationView[]; total: number }>(base)).data.invitations;

async function invited(by: Client, email = newAddress(), role = "member", custom: object = {}): Promise<string> {
  return tokenIn(succeeded(await invite(by, { email, role, ...custom })).data);
}

/** What the page of the link sends. */
async function send<T>(path: string, input: object, at: Service = service): Promise<Answer<T>> {
  const headers = { "content-type": "application/json", "x-outreachd-page": "1" };
  const request = { method: "POST", headers, body: JSON.stringify(input) };
  const response = await fetch(`${at.url}/app/invitation/${path}`, request);
  return answerOf<T>(response, await response.text());
}
const preview = (token: string) => send<InvitationPreview>("preview", { token });
const accept = (token: string, input: object = {}, at: Service = service) =>
  send<AcceptedInvitation>("accept", { token, ...input }, at);
const join = (by: Client, token: string) => by.post<AcceptedInvitation>(`${base}/join`, { token });

test("a person without an account follows the link and works in the team, with the invited role", async () => {
  const owner = await service.user({ name: "Ada" });
  const email = newAddress();
  const made = await invite(owner, { email, role: "viewer" });
  expect(made.data).toMatchObject({ email, role: "viewer", permissions: null, invitedBy: owner.userId });
  expect(made.data.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/app\/join#[\w-]{43}$/);
  expect(JSON.stringify(await open(owner))).not.toContain(tokenIn(made.data));

  const token = tokenIn(made.data);
  expect((await preview(token)).data).toEqual({
    workspace: { name: "Ada" },
    email,
    role: "viewer",
    invitedBy: "Ada",
    hasAccount: false,
    expiresAt: made.data.expiresAt,
  });
  const { user, workspace, key } = succeeded(await accept(token, { name: " Grace " })).data;
  expect(user).toMatchObject({ email, name: "Grace", role: "member", isActive: true });
  expect(workspace).toEqual({ id: owner.userId, name: "Ada" });
  const grace = service.client(key.key, user.id);
  expect((await grace.get("/api/v2/leads")).status).toBe(200);
  expect((await grace.post("/api/v2/leads", { email: "x@example.com" })).status).toBe(403);
  expect((await owner.get<MemberView>(`/api/v2/members/${user.id}`)).data.role).toBe("viewer");
  expect(await open(owner)).toEqual([]);
  expect(await accept(token)).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
});

test("a user who joined only by invitation can do everything a user does about themselves", async () => {
  const owner = await service.user();
  const { user, key } = succeeded(await accept(await invited(owner, newAddress(), "admin"))).data;
  const grace = service.client(key.key, user.id);
  expect((await grace.get<{ id: string }>("/api/v2/users/me")).data.id).toBe(user.id);
  expect((await grace.patch("/api/v2/users/me", { name: "Grace" })).status).toBe(200);
  for (const path of ["users/jobs", "keys", "credits", "network/accounts", "workspaces", "webhooks", "events"])
    expect([path, (await grace.get(`/api/v2/${path}`)).status]).toEqual([path, 200]);
  const another = await grace.post<{ userId: string }>("/api/v2/keys", { name: "second", permissions: ["leads:read"] });
  expect(another.data.userId).toBe(user.id);
  const global = await service.globalKey();
  expect((await global.get("/api/v2/leads", { query: { userId: user.id } })).status).toBe(200);
});

test("whatever their role, members change their name and address, join other workspaces, and leave", async () => {
  const [owner, other] = [await service.user(), await service.user()];
  for (const [role, custom] of [
    ["viewer", {}],
    ["custom", { permissions: ["leads:read"] }],
  ] as const) {
    const address = newAddress();
    const { user, key } = succeeded(await accept(await invited(owner, address, role, custom))).data;
    const grace = service.client(key.key, user.id);
    const moved = newAddress();
    expect((await grace.patch("/api/v2/users/me", { name: "Grace", email: moved })).status).toBe(200);
    expect((await join(grace, await invited(other, moved, "viewer"))).status).toBe(200);
    expect((await grace.put(`/api/v2/members/${user.id}`, { role: "admin" })).status).toBe(403);
    expect((await grace.put("/api/v2/workspaces/" + owner.userId, { name: "x" })).status).toBe(403);
    expect((await grace.post("/api/v2/invitations", { email: newAddress(), role: "viewer" })).status).toBe(403);
    expect((await grace.delete(`/api/v2/members/${user.id}`)).status).toBe(200);
    expect((await grace.get("/api/v2/leads")).status).toBe(401);
  }
});

test("an existing user joins with a key of their own, and nobody joins in their place", async () => {
  const [owner, guest] = [await service.user(), await service.user({ email: newAddress() })];
  const { email } = succeeded(await guest.get<{ email: string }>("/api/v2/users/me")).data;
  const token = await invited(owner, email.toUpperCase());
  expect((await preview(token)).data.hasAccount).toBe(true);
  expect(await accept(token)).toMatchObject({ status: 409, message: expect.stringContaining("Sign in as that user") });
  const other = await service.user();
  expect(await join(other, token)).toMatchObject({ status: 409, code: "CONFLICT" });
  const { key, user } = succeeded(await join(guest, token)).data;
  expect(user.id).toBe(guest.userId);
  const there = service.client(key.key, user.id);
  expect((await there.get<{ workspaces: unknown[] }>("/api/v2/workspaces")).data.workspaces).toHaveLength(2);
  expect((await there.get("/api/v2/health")).body).toMatchObject({ workspace: { id: owner.userId, role: "member" } });
});

test("a key with restrictions does not join a workspace", async () => {
  const [owner, guest] = [await service.user(), await service.user()];
  const { email } = succeeded(await guest.get<{ email: string }>("/api/v2/users/me")).data;
  const token = await invited(owner, email);
  const restricted = async (input: object) => {
    const made = await guest.post<{ key: string }>("/api/v2/keys", {
      name: "x",
      permissions: ["users:write"],
      ...input,
    });
    return service.client(succeeded(made).data.key, guest.userId);
  };
  for (const client of [
    await restricted({ expiresInDays: 5 }),
    await restricted({ requiresApproval: true }),
    await restricted({}),
    await service.keyOf(guest, ["leads:read"]),
    await service.globalKey(),
  ])
    expect((await join(client, token)).status).toBe(403);
  expect((await join(guest, token)).status).toBe(200);
});

test.each([
  ["no address", { role: "member" }, ["email"]],
  ["a wrong address", { email: "nobody", role: "member" }, ["email"]],
  ["no role", { email: "a@example.com" }, ["role"]],
  ["an unknown role", { email: "a@example.com", role: "boss" }, ["role"]],
  ["custom without permissions", { email: "a@example.com", role: "custom" }, ["permissions"]],
  ["an unknown permission", { email: "a@example.com", role: "custom", permissions: ["leads:fly"] }, ["permissions.0"]],
])("an invitation with %s is refused", async (_what, input, paths) => {
  const owner = await service.user();
  const refused = await invite(owner, input);
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect((refused.details?.["errors"] as { path: string }[]).map(({ path }) => path)).toEqual(paths);
  expect(await open(owner)).toEqual([]);
});

test("members are not invited again, in whatever form their address is written", async () => {
  const owner = await service.user({ email: `${crypto.randomUUID()}@b\u00fccher.example` });
  const { email } = succeeded(await owner.get<{ email: string }>("/api/v2/users/me")).data;
  for (const form of [email, email.toUpperCase(), email.replace("b\u00fccher", "xn--bcher-kva")])
    expect(await invite(owner, { email: form, role: "member" })).toMatchObject({ status: 409, code: "CONFLICT" });
});

test("a second invitation for an address replaces the first", async () => {
  const owner = await service.user();
  const email = newAddress();
  const first = await invited(owner, email);
  const second = await invited(owner, email.toUpperCase(), "viewer");
  expect((await open(owner)).map(({ role }) => role)).toEqual(["viewer"]);
  expect((await accept(first)).status).toBe(401);
  expect((await accept(second)).status).toBe(200);
});

test("no one invites with more than they have", async () => {
  const owner = await service.user();
  const [admin, member] = [await addMember(service, owner, "admin"), await addMember(service, owner, "member")];
  const narrow = await service.keyOf(owner, ["users:write", "users:read", "leads:read"]);
  const tries: [Client, object][] = [
    [member, { role: "viewer" }],
    [admin, { role: "owner" }],
    [narrow, { role: "member" }],
    [narrow, { role: "custom", permissions: ["leads:read", "leads:write"] }],
  ];
  for (const [by, grant] of tries)
    expect(await invite(by, { email: newAddress(), ...grant })).toMatchObject({
      status: 403,
      code: "PERMISSION_DENIED",
    });
  expect((await invite(narrow, { email: newAddress(), role: "custom", permissions: ["leads:read"] })).status).toBe(200);
  expect((await invite(owner, { email: newAddress(), role: "owner" })).status).toBe(200);
});

test("a revoked link no longer works, and only its own workspace revokes it", async () => {
  const [owner, stranger] = [await service.user(), await service.user()];
  const token = await invited(owner);
  const [invitation] = await open(owner);
  const path = `${base}/${invitation?.id}`;
  expect((await stranger.delete(path)).status).toBe(404);
  const member = await addMember(service, owner, "member");
  expect((await member.delete(path)).status).toBe(403);
  expect((await owner.delete(path)).status).toBe(200);
  expect((await owner.delete(path)).status).toBe(404);
  expect(await accept(token)).toMatchObject({ status: 401, message: expect.stringContaining("was revoked") });
});

test("an invitation of a removed, deactivated, or demoted member no longer counts", async () => {
  const owner = await service.user();
  const admins: Client[] = [];
  for (let n = 0; n < 3; n++) admins.push(await addMember(service, owner, "admin"));
  const tokens = [];
  for (const admin of admins) tokens.push(await invited(admin));
  const path = (n: number) => `/api/v2/members/${admins[n]?.userId}`;
  succeeded(await owner.delete(path(0)));
  succeeded(await owner.put(path(1), { isActive: false }));
  succeeded(await owner.put(path(2), { role: "member" }));
  for (const token of tokens) expect((await accept(token)).status).toBe(401);
});

test("links that are malformed, unknown, or of somebody's session are refused alike", async () => {
  const { message } = await accept(await invited(await service.user()).then((token) => `${token}x`));
  for (const token of ["x", "a".repeat(43), service.admin.key ?? ""]) {
    expect(await accept(token)).toMatchObject({ status: 401, message });
    expect(await preview(token)).toMatchObject({ status: 401, message });
  }
  expect((await accept("")).status).toBe(400);
  expect((await accept("y".repeat(201))).status).toBe(400);
});

test("of many who follow the same link at once, one joins", async () => {
  const owner = await service.user();
  const token = await invited(owner);
  const answers = await Promise.all(Array.from({ length: 8 }, () => accept(token)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(7);
  expect((await owner.get<{ members: unknown[] }>("/api/v2/members")).data.members).toHaveLength(2);
});

test("one person invited to two teams is created once and joins the other", async () => {
  const [one, two] = [await service.user(), await service.user()];
  const email = newAddress();
  const [first, second] = [await invited(one, email), await invited(two, email)];
  const answers = await Promise.all([accept(first), accept(second)]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  const { key, user } = answers.find(({ status }) => status === 200)!.data;
  const left = answers[0]?.status === 200 ? second : first;
  expect((await join(service.client(key.key, user.id), left)).status).toBe(200);
});

testInProcess("a link expires after a week", async () => {
  const clock = new FakeClock();
  await using timed = await startService({ clock });
  const owner = await timed.user();
  const [early, late] = [await invited(owner), await invited(owner)];
  clock.advance(7 * 86_400_000 - 1);
  expect((await accept(early, {}, timed)).status).toBe(200);
  clock.advance(1);
  expect((await accept(late, {}, timed)).status).toBe(401);
  expect(await open(owner)).toEqual([]);
});

test("strangers who try links are limited by address", async () => {
  await using limited = await startService({ settings: { RATE_LIMIT_MINUTE: 20 } });
  const statuses = [];
  for (let n = 0; n < 30; n++) statuses.push((await accept(`token ${n}`, {}, limited)).status);
  expect(statuses[0]).toBe(401);
  expect(statuses.at(-1)).toBe(429);
});

test("the audit log shows who invited whom, and who came", async () => {
  const owner = await service.user();
  const { user } = succeeded(await accept(await invited(owner))).data;
  const { data } = await owner.get<{ entries: Record<string, unknown>[] }>("/api/v2/audit");
  const entries = data.entries.filter(({ action }) => String(action).startsWith("invitation."));
  expect(entries.map(({ action, actorId, via }) => [action, actorId, via])).toEqual([
    ["invitation.accepted", null, "api"],
    ["invitation.created", owner.userId, "api"],
  ]);
  expect(entries[0]?.["targetId"]).toBe(user.id);
});
