import { afterAll, expect, test } from "bun:test";
import type { MemberView } from "../../src/features/workspaces/members/model.ts";
import type { MemberRole } from "../../src/platform/auth/member-role.ts";
import type { Client } from "../support/client.ts";
import { startService } from "../support/service.ts";
import { addMember, joinByInvitation } from "../support/team.ts";

/** Serves all tests of this file: each has a workspace of its own. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const path = (member: Client | string) => `/api/v2/members/${typeof member === "string" ? member : member.userId}`;
const listed = async (client: Client) => (await client.get<{ members: MemberView[] }>("/api/v2/members")).data.members;

test("members see their team with roles, and each other one by one", async () => {
  const owner = await service.user({ name: "Ada", email: "ada@team.example" });
  const viewer = await addMember(service, owner, "viewer");
  const members = await listed(viewer);
  const rolesOf = Object.fromEntries(members.map(({ userId, role }) => [userId, role]));
  expect(rolesOf).toEqual({ [owner.userId]: "owner", [viewer.userId]: "viewer" });
  expect(members.find(({ userId }) => userId === owner.userId)).toMatchObject({
    name: "Ada",
    email: "ada@team.example",
    permissions: null,
    isActive: true,
  });
  expect((await viewer.get<MemberView>(path(owner))).data.role).toBe("owner");
  const stranger = await service.user();
  expect(await stranger.get(path(owner))).toMatchObject({ status: 404, code: "NOT_FOUND" });
});

test("a key does what the role of its member includes, from the next request on", async () => {
  const owner = await service.user();
  const member = await addMember(service, owner, "member");
  const lead = { firstName: "Grace", email: "grace@example.com" };
  expect((await member.post("/api/v2/leads", lead)).status).toBe(200);
  expect((await owner.put<MemberView>(path(member), { role: "viewer" })).data.role).toBe("viewer");
  expect((await member.get("/api/v2/leads")).status).toBe(200);
  expect(await member.post("/api/v2/leads", lead)).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
  await owner.put(path(member), { role: "custom", permissions: ["leads:write"] });
  expect((await member.get("/api/v2/leads")).status).toBe(403);
});

test("a deactivated member is refused and keeps their keys for later", async () => {
  const owner = await service.user();
  const member = await addMember(service, owner, "member");
  expect((await owner.put<MemberView>(path(member), { isActive: false })).data.isActive).toBe(false);
  expect(await member.get("/api/v2/leads")).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
  await owner.put(path(member), { isActive: true });
  expect((await member.get("/api/v2/leads")).status).toBe(200);
});

test("a removed member is refused at once, and works on in their own workspace", async () => {
  const owner = await service.user();
  const guest = await service.user();
  const there = await joinByInvitation(service, owner, guest, "admin");
  expect((await there.get("/api/v2/leads")).status).toBe(200);
  expect((await owner.delete(path(guest))).status).toBe(200);
  expect((await there.get("/api/v2/leads")).status).toBe(401);
  expect((await guest.get("/api/v2/leads")).status).toBe(200);
  expect((await owner.delete(path(guest))).status).toBe(404);
});

test.each<[string, MemberRole, MemberRole, object | null]>([
  ["a member removes a viewer", "member", "viewer", null],
  ["a viewer makes themselves an admin", "viewer", "viewer", { role: "admin" }],
  ["an admin removes an owner", "admin", "owner", null],
  ["an admin makes an owner", "admin", "member", { role: "owner" }],
  ["a custom role gives itself everything", "custom", "custom", { role: "custom", permissions: ["leads:read"] }],
])("refused: %s", async (_what, by, of, change) => {
  const owner = await service.user();
  const custom = ["users:read" as const, "users:write" as const];
  const actor = await addMember(service, owner, by, { custom: by === "custom" ? custom : null });
  const target = change !== null && by === of ? actor : await addMember(service, owner, of);
  const answer = await (change === null ? actor.delete(path(target)) : actor.put(path(target), change));
  expect(answer).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
  expect((await owner.get<MemberView>(path(target))).data.role).toBe(of);
});

test("the last owner neither leaves nor loses the role, and a second one frees them", async () => {
  const owner = await service.user();
  const admin = await addMember(service, owner, "admin");
  for (const attempt of [
    owner.delete(path(owner)),
    owner.put(path(owner), { role: "admin" }),
    owner.put(path(owner), { isActive: false }),
  ])
    expect(await attempt).toMatchObject({ status: 409, code: "CONFLICT", message: expect.stringContaining("owner") });
  await owner.put(path(admin), { role: "owner" });
  expect((await owner.delete(path(owner))).status).toBe(200);
  expect((await listed(admin)).map(({ userId }) => userId)).toEqual([admin.userId]);
});

test("of two owners who leave at the same time one stays", async () => {
  const owner = await service.user();
  const second = await addMember(service, owner, "owner");
  const answers = await Promise.all([owner.delete(path(owner)), second.delete(path(second))]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
});

test("ownership is transferred to an active member, by an owner only", async () => {
  const owner = await service.user();
  const [member, admin] = [await addMember(service, owner, "member"), await addMember(service, owner, "admin")];
  const transfer = (by: Client, to: Client) => by.post<MemberView>(`${path(to)}/transfer-ownership`, {});
  expect((await transfer(admin, member)).status).toBe(403);
  expect((await transfer(owner, owner)).status).toBe(400);
  await owner.put(path(member), { isActive: false });
  expect((await transfer(owner, member)).status).toBe(409);
  await owner.put(path(member), { isActive: true });
  expect((await transfer(owner, member)).data.role).toBe("owner");
  expect(Object.fromEntries((await listed(owner)).map(({ userId, role }) => [userId, role]))).toEqual({
    [owner.userId]: "admin",
    [member.userId]: "owner",
    [admin.userId]: "admin",
  });
});

test.each([
  ["nothing to change", {}, ""],
  ["an unknown role", { role: "boss" }, "role"],
  ["custom without permissions", { role: "custom" }, "permissions"],
  ["permissions beside a fixed role", { role: "viewer", permissions: ["leads:read"] }, "permissions"],
  ["an unknown permission", { role: "custom", permissions: ["leads:fly"] }, "permissions.0"],
])("bad input is told with its field: %s", async (_what, change, field) => {
  const owner = await service.user();
  const member = await addMember(service, owner, "member");
  const refused = await owner.put(path(member), change);
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  const errors = refused.details?.["errors"] as { path: string }[];
  expect(errors.map((error) => error.path)).toEqual([field]);
  expect((await owner.put(path("nobody"), { role: "viewer" })).status).toBe(404);
});

test("a key that only proposes actions, or lacks the permission, manages no members", async () => {
  const owner = await service.user();
  const member = await addMember(service, owner, "member");
  const proposing = await owner.post<{ key: string }>("/api/v2/keys", {
    name: "agent",
    permissions: ["users:read", "users:write"],
    requiresApproval: true,
  });
  const narrow = await service.keyOf(owner, ["users:read"]);
  for (const client of [service.client(proposing.data.key, owner.userId), narrow])
    expect((await client.delete(path(member))).status).toBe(403);
});

test("the audit log names who changed whom", async () => {
  const owner = await service.user();
  const member = await addMember(service, owner, "member");
  await owner.put(path(member), { role: "viewer" });
  await owner.delete(path(member));
  const { data } = await owner.get<{ entries: Record<string, unknown>[] }>("/api/v2/audit");
  const entries = data.entries.filter(({ targetId }) => targetId === member.userId);
  expect(entries.map(({ action, actorId }) => [action, actorId])).toEqual([
    ["member.removed", owner.userId],
    ["member.updated", owner.userId],
  ]);
});
