import { afterAll, expect, test } from "bun:test";
import type { UserView } from "../../src/platform/auth/user-model.ts";
import type { Answer } from "../support/client.ts";
import { FakeClock } from "../support/clock.ts";
import { startService, succeeded, testInProcess } from "../support/service.ts";

/** Serves the tests of this file that do not start one of their own: each has users who see nothing of each other. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

type Users = { users: UserView[]; total: number };

function errorPaths(answer: Answer): string[] {
  return (answer.details?.["errors"] as { path: string }[]).map(({ path }) => path);
}

test("an admin adds a user, who is a member in the default time zone unless said otherwise", async () => {
  await using service = await startService({ settings: { TIME_ZONE: "Asia/Tokyo" } });
  const { status, data } = await service.admin.post<UserView>("/api/v2/users", { email: " ada@example.com " });
  expect(status).toBe(200);
  expect(data).toMatchObject({ email: "ada@example.com", name: null, role: "member", timeZone: "Asia/Tokyo" });
  const input = { email: "grace@example.com", name: "Grace", role: "admin", timeZone: "America/New_York" };
  expect((await service.admin.post<UserView>("/api/v2/users", input)).data).toMatchObject(input);
});

test("a new user starts with a network account and the default grant of credits", async () => {
  await using service = await startService({ settings: { DEFAULT_CREDITS: 25 } });
  const user = await service.user();
  const accounts = await user.get<{ accounts: object[] }>("/api/v2/network/accounts");
  expect(accounts.data.accounts).toMatchObject([{ name: "default", connector: "manual", timeZone: "UTC" }]);
  const granted = await service.admin.post(`/api/v2/users/${user.userId}/credits`, { amount: 5, note: "birthday" });
  expect(granted.data).toEqual({ userId: user.userId, balance: 30 });
});

test.each([
  ["without an email address", {}, "email"],
  ["with a wrong email address", { email: "nobody" }, "email"],
  ["with an email address that is too long", { email: `${"a".repeat(250)}@example.com` }, "email"],
  ["with an unknown role", { email: "a@example.com", role: "owner" }, "role"],
  ["with an unknown time zone", { email: "a@example.com", timeZone: "Mars/Olympus" }, "timeZone"],
  ["with a name that is too long", { email: "a@example.com", name: "x".repeat(201) }, "name"],
])("a user %s is refused", async (_how, input, path) => {
  const refused = await service.admin.post("/api/v2/users", input);
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(errorPaths(refused)).toEqual([path]);
});

test("an email address belongs to one user, whatever its case", async () => {
  await using service = await startService();
  await service.user({ email: "ada@example.com" });
  const refused = await service.admin.post("/api/v2/users", { email: "ADA@example.com" });
  expect(refused).toMatchObject({ status: 409, code: "CONFLICT" });
});

test("of many requests for the same email address one makes a user", async () => {
  await using service = await startService();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => service.admin.post("/api/v2/users", { email: "ada@example.com" })),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200, 409, 409, 409, 409, 409, 409, 409,
  ]);
});

test("users are listed oldest first in pages", async () => {
  await using service = await startService();
  for (const name of ["one", "two", "three"]) await service.user({ name, email: `${name}@example.com` });
  const page = async (query: Record<string, number>) => {
    const { data } = await service.admin.get<Users>("/api/v2/users", { query });
    return { names: data.users.map(({ name }) => name), total: data.total };
  };
  expect(await page({})).toEqual({ names: [null, "one", "two", "three"], total: 4 });
  expect(await page({ limit: 2, offset: 1 })).toEqual({ names: ["one", "two"], total: 4 });
  expect(await page({ offset: 9 })).toEqual({ names: [], total: 4 });
  for (const query of [{ limit: 0 }, { limit: 101 }, { offset: -1 }])
    expect((await service.admin.get("/api/v2/users", { query })).status).toBe(400);
});

test("only admins and global keys manage users", async () => {
  const member = await service.user();
  const attempts = (client: typeof member) => [
    client.get("/api/v2/users"),
    client.post("/api/v2/users", { email: `${crypto.randomUUID()}@example.com` }),
    client.post(`/api/v2/users/${member.userId}/credits`, { amount: 1 }),
  ];
  for (const answer of await Promise.all(attempts(member)))
    expect(answer).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
  for (const admin of [service.admin, await service.user({ role: "admin" }), await service.globalKey()])
    for (const answer of await Promise.all(attempts(admin))) expect(answer.status).toBe(200);
});

test("a user reads and changes name and time zone, and nothing else", async () => {
  const user = await service.user({ email: "ada@example.com" });
  const before = succeeded(await user.get<UserView>("/api/v2/users/me")).data;
  const change = { name: " Ada ", timeZone: "Europe/London" };
  const more = { ...change, role: "admin", isActive: false, id: "x" };
  expect(errorPaths(await user.patch("/api/v2/users/me", more))).toEqual(["role", "isActive", "id"]);
  expect((await user.get<UserView>("/api/v2/users/me")).data).toEqual(before);
  const { data } = succeeded(await user.patch<UserView>("/api/v2/users/me", change));
  expect(data).toEqual({ ...before, name: "Ada", timeZone: "Europe/London", updatedAt: data.updatedAt });
  expect((await user.get<UserView>("/api/v2/users/me")).data).toEqual(data);
  expect((await user.patch<UserView>("/api/v2/users/me", { name: null })).data.name).toBeNull();
  expect(errorPaths(await user.patch("/api/v2/users/me", { timeZone: "Nowhere" }))).toEqual(["timeZone"]);
});

testInProcess("a change of a user tells when it was made", async () => {
  const clock = new FakeClock();
  await using service = await startService({ clock });
  const user = await service.user();
  clock.advance(60_000);
  const { data } = await user.patch<UserView>("/api/v2/users/me", { name: "Ada" });
  expect(Date.parse(data.updatedAt) - Date.parse(data.createdAt)).toBe(60_000);
});

test.each([
  ["nothing", {}, "amount"],
  ["no credits", { amount: 0 }, "amount"],
  ["negative credits", { amount: -5 }, "amount"],
  ["half a credit", { amount: 0.5 }, "amount"],
  ["too many credits", { amount: 1_000_000_001 }, "amount"],
  ["a text", { amount: "5" }, "amount"],
])("a grant of %s is refused", async (_what, body, path) => {
  const refused = await service.admin.post(`/api/v2/users/${service.admin.userId}/credits`, body);
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(errorPaths(refused)).toEqual([path]);
});

test("grants add up, and an unknown user gets none", async () => {
  await using service = await startService({ settings: { DEFAULT_CREDITS: 0 } });
  const { userId } = await service.user();
  const grant = (amount: number) =>
    service.admin.post<{ balance: number }>(`/api/v2/users/${userId}/credits`, { amount });
  await Promise.all([grant(1), grant(2), grant(3)]);
  expect((await grant(4)).data.balance).toBe(10);
  const refused = await service.admin.post("/api/v2/users/nobody/credits", { amount: 1 });
  expect(refused).toMatchObject({ status: 404, details: { resource: "user", id: "nobody" } });
});
