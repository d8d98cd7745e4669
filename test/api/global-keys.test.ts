import { afterAll, expect, test } from "bun:test";
import type { KeyView, NewKeyView } from "../../src/platform/auth/key-model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import { startService, succeeded } from "../support/service.ts";

/** Serves the tests of this file that do not start one of their own: each has users who see nothing of each other. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

test("a global key holds every permission and belongs to nobody", async () => {
  const key = await service.globalKey();
  const { body } = await key.get("/api/v2/health");
  expect(body).toMatchObject({ authentication: "global", user: null, apiKey: { name: "global", permissions: ["*"] } });
});

test("a global key acts for the user that the query names", async () => {
  const key = await service.globalKey();
  const { userId } = await service.user();
  const created = await key.post<LeadView>("/api/v2/leads", { email: "ada@example.com" }, { query: { userId } });
  expect(created.status).toBe(200);
  expect((await key.get("/api/v2/leads", { query: { userId } })).data).toMatchObject({ total: 1 });
  expect((await key.get(`/api/v2/leads/${created.data.id}`, { query: { userId } })).data).toEqual(created.data);
  const { userId: other } = await service.user();
  expect((await key.get(`/api/v2/leads/${created.data.id}`, { query: { userId: other } })).status).toBe(404);
});

test("a global key acts for the user that the body names", async () => {
  const key = await service.globalKey();
  const user = await service.user();
  const body = {
    actionType: "sendConnectionRequest",
    profileUrl: "https://network.example/in/ada",
    userId: user.userId,
  };
  const { data } = succeeded(await key.post<{ jobId: string }>("/api/v2/network/scheduleNetworkAction", body));
  expect((await user.get(`/api/v2/users/jobs/${data.jobId}`)).status).toBe(200);
});

test("every route that acts for a user asks a global key whom it means", async () => {
  const key = await service.globalKey();
  // What some of them require.
  const needed = { jobId: "nothing", field: "company" };
  for (const { method, path } of service.document.operations.filter(({ actsFor }) => actsFor === "user")) {
    if (method !== "GET" && method !== "DELETE") continue;
    const concrete = path.replaceAll(/\{[^}]+\}/g, "nothing");
    for (const query of [needed, { ...needed, userId: "" }]) {
      const refused = await key.send(method, concrete, { query });
      expect({ path, status: refused.status, code: refused.code }).toEqual({
        path,
        status: 400,
        code: "VALIDATION_ERROR",
      });
      expect(refused.details?.["errors"]).toMatchObject([{ path: "userId" }]);
    }
  }
});

test("a user that does not exist is not found", async () => {
  const key = await service.globalKey();
  const refused = await key.get("/api/v2/leads", { query: { userId: "nobody" } });
  expect(refused).toMatchObject({ status: 404, code: "NOT_FOUND", details: { resource: "user", id: "nobody" } });
});

test("a userId that comes twice is refused", async () => {
  const key = await service.globalKey();
  const { userId } = await service.user();
  const refused = await key.get("/api/v2/leads", { query: { userId: [userId, userId] } });
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
});

test("on a route for users' own keys a global key gets the other route in the answer", async () => {
  const key = await service.globalKey();
  const { status, body } = await key.get("/api/v2/users/jobs");
  expect(status).toBe(400);
  expect(body).toEqual({ error: expect.any(String), availableRoute: "/api/v2/users/jobs/userJobStatus/:userId" });
});

test("a global key makes keys for users, and needs to name one", async () => {
  const key = await service.globalKey();
  const { userId } = await service.user();
  const input = { name: "made", permissions: ["leads:read"] };
  expect(await key.post("/api/v2/keys", input)).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  const made = succeeded(await key.post<NewKeyView>("/api/v2/keys", { ...input, userId }));
  expect((await service.client(made.data.key).get("/api/v2/leads")).status).toBe(200);
});

test("a global key lists the keys of all users, or of the one in the query", async () => {
  await using service = await startService();
  const key = await service.globalKey();
  const { userId } = await service.user();
  const names = async (query: Record<string, string>) => {
    const { data } = await key.get<{ keys: KeyView[] }>("/api/v2/keys", { query });
    return data.keys.map(({ name }) => name).toSorted();
  };
  expect(await names({})).toEqual(["admin", "global", "test"]);
  expect(await names({ userId })).toEqual(["test"]);
});

test("a global key can be renamed, turned off and deleted, but its permissions can't be narrowed", async () => {
  await using service = await startService();
  const one = await service.globalKey();
  const { data } = await one.get<{ keys: KeyView[] }>("/api/v2/keys");
  const id = data.keys.find(({ name }) => name === "global")?.id;
  const other = await service.globalKey();
  expect((await other.put<KeyView>(`/api/v2/keys/${id}`, { name: "renamed" })).data).toMatchObject({
    name: "renamed",
    permissions: ["*"],
  });
  expect(await other.put(`/api/v2/keys/${id}`, { permissions: ["leads:read"] })).toMatchObject({
    status: 400,
    code: "VALIDATION_ERROR",
  });
  await other.put(`/api/v2/keys/${id}`, { isActive: false });
  expect((await one.get("/api/v2/health")).status).toBe(401);
  expect((await other.delete(`/api/v2/keys/${id}`)).status).toBe(200);
});

test("a regenerated global key is a global key again", async () => {
  await using service = await startService();
  const key = await service.globalKey();
  const { data } = await key.get<{ keys: KeyView[] }>("/api/v2/keys");
  const id = data.keys.find(({ name }) => name === "global")?.id;
  const renewed = succeeded(await key.post(`/api/v2/keys/${id}/regenerate`)).body as NewKeyView;
  expect((await key.get("/api/v2/health")).status).toBe(401);
  expect((await service.client(renewed.key).get("/api/v2/health")).body).toMatchObject({
    authentication: "global",
  });
});

test("users do not see, change or delete global keys", async () => {
  await using service = await startService();
  const key = await service.globalKey();
  const { data } = await key.get<{ keys: KeyView[] }>("/api/v2/keys");
  const id = data.keys.find(({ name }) => name === "global")?.id;
  for (const user of [service.admin, await service.user()]) {
    expect((await user.get<{ keys: KeyView[] }>("/api/v2/keys")).data.keys.map(({ name }) => name)).not.toContain(
      "global",
    );
    expect((await user.put(`/api/v2/keys/${id}`, { isActive: false })).status).toBe(404);
    expect((await user.post(`/api/v2/keys/${id}/regenerate`)).status).toBe(404);
    expect((await user.delete(`/api/v2/keys/${id}`)).status).toBe(404);
  }
});
