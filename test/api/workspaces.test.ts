import { afterAll, expect, test } from "bun:test";
import type { WorkspaceView } from "../../src/features/workspaces/model.ts";
import type { Client } from "../support/client.ts";
import { startService, succeeded } from "../support/service.ts";
import { addMember, joinTeam } from "../support/team.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const base = "/api/v2/workspaces";
const listed = async (client: Client, query: Record<string, string | number> = {}) =>
  succeeded(
    await client.get<{ workspaces: WorkspaceView[]; total: number; nextCursor: string | null }>(base, { query }),
  ).data;

test("a user sees the workspaces that they are active in, with their role in each", async () => {
  const [owner, guest] = [await service.user({ name: "Ada" }), await service.user({ name: "Bob" })];
  await joinTeam(service, owner, guest, "viewer");
  const { workspaces, total } = await listed(guest);
  expect(workspaces.map(({ name, role, isCurrent }) => [name, role, isCurrent])).toEqual([
    ["Ada", "viewer", false],
    ["Bob", "owner", true],
  ]);
  expect(total).toBe(2);
  const first = await listed(guest, { limit: 1 });
  expect(first.workspaces.map(({ name }) => name)).toEqual(["Ada"]);
  const second = await listed(guest, { limit: 1, cursor: first.nextCursor ?? "" });
  expect([second.workspaces.map(({ name }) => name), second.nextCursor]).toEqual([["Bob"], null]);
  await owner.put(`/api/v2/members/${guest.userId}`, { isActive: false });
  expect((await listed(guest)).total).toBe(1);
  expect((await guest.get(`${base}/${owner.userId}`)).status).toBe(404);
  expect((await owner.get<WorkspaceView>(`${base}/${owner.userId}`)).data.role).toBe("owner");
});

test("a global key sees all workspaces", async () => {
  const global = await service.globalKey();
  await service.user();
  const all = await listed(global);
  expect(all.total).toBeGreaterThan(1);
  expect(all.workspaces.every(({ role, isCurrent }) => role === null && !isCurrent)).toBe(true);
  const first = await listed(global, { limit: 1 });
  const second = await listed(global, { limit: 1, cursor: first.nextCursor ?? "" });
  expect([...first.workspaces, ...second.workspaces]).toEqual(all.workspaces.slice(0, 2));
  const { id } = all.workspaces[0]!;
  expect((await global.put<WorkspaceView>(`${base}/${id}`, { name: "Renamed" })).data.name).toBe("Renamed");
  expect(await global.post(base, { name: "x" })).toMatchObject({ status: 400 });
});

test("an admin creates a workspace, which starts like that of a new user", async () => {
  const made = await service.admin.post<WorkspaceView>(base, { name: " Sales\u0007 ", timeZone: "Asia/Tokyo" });
  expect(made.data).toMatchObject({ name: "Sales", timeZone: "Asia/Tokyo", role: "owner", isCurrent: false });
  const forUser = await service.user();
  const given = await service.admin.post<WorkspaceView>(base, { name: "Given", ownerId: forUser.userId });
  expect(given.data.role).toBeNull();
  expect((await listed(forUser)).workspaces.map(({ name }) => name)).toContain("Given");
  for (const [input, status] of [
    [{ name: "x", ownerId: "nobody" }, 404],
    [{ name: " " }, 400],
    [{ name: "x", timeZone: "Mars/Olympus" }, 400],
    [{}, 400],
  ] as const)
    expect((await service.admin.post(base, input)).status).toBe(status);
  expect((await forUser.post(base, { name: "x" })).status).toBe(403);
});

test("owners and admins rename their workspace, nobody else", async () => {
  const owner = await service.user();
  const [admin, member] = [await addMember(service, owner, "admin"), await addMember(service, owner, "member")];
  const path = `${base}/${owner.userId}`;
  expect((await admin.put<WorkspaceView>(path, { name: "Berlin" })).data).toMatchObject({
    name: "Berlin",
    role: "admin",
  });
  expect((await member.put(path, { name: "Mine" })).status).toBe(403);
  expect((await member.get<WorkspaceView>(path)).data.name).toBe("Berlin");
  const stranger = await service.user();
  expect((await stranger.put(path, { name: "Theirs" })).status).toBe(404);
  await joinTeam(service, owner, stranger, "owner");
  // Still the key of another workspace.
  expect((await stranger.put(path, { name: "Theirs" })).status).toBe(403);
  expect((await owner.put(path, { timeZone: "nowhere" })).status).toBe(400);
});

test("health names the workspace of the key and the role in it", async () => {
  const owner = await service.user({ name: "Ada" });
  const viewer = await addMember(service, owner, "viewer");
  const { body } = await viewer.get("/api/v2/health");
  expect(body).toMatchObject({
    user: { id: viewer.userId },
    workspace: { id: owner.userId, name: "Ada", role: "viewer" },
  });
});

test("an admin changes, deactivates, and reactivates users, but not the last admin", async () => {
  const ada = await service.user({ email: "Ada@users.example" });
  const path = `/api/v2/users/${ada.userId}`;
  const changed = await service.admin.put(path, { email: "ada.lovelace@users.example", name: "Ada", role: "admin" });
  expect(changed.data).toMatchObject({ email: "ada.lovelace@users.example", name: "Ada", role: "admin" });
  await service.admin.put(path, { isActive: false });
  expect((await ada.get("/api/v2/leads")).status).toBe(401);
  expect(await service.admin.put(`/api/v2/users/${service.admin.userId}`, { role: "member" })).toMatchObject({
    status: 409,
    message: expect.stringContaining("only active admin"),
  });
  await service.admin.put(path, { isActive: true, role: "member" });
  expect((await ada.get("/api/v2/leads")).status).toBe(200);
  expect((await ada.put(path, { role: "admin" })).status).toBe(403);
  expect((await service.admin.put("/api/v2/users/nobody", { name: "x" })).status).toBe(404);
});

test("users change their own address, unless it is taken in any form", async () => {
  const ada = await service.user({ email: "ada@b\u00fccher.example" });
  const bob = await service.user();
  const change = (email: string) => bob.patch("/api/v2/users/me", { email });
  for (const taken of ["ADA@b\u00fccher.example", "ada@xn--bcher-kva.example"])
    expect(await change(taken)).toMatchObject({ status: 409, code: "CONFLICT" });
  expect((await change("nonsense")).status).toBe(400);
  expect((await change("bob@example.net")).data).toMatchObject({ email: "bob@example.net" });
  expect((await ada.patch("/api/v2/users/me", { email: "ADA@b\u00fccher.example" })).status).toBe(200);
});
