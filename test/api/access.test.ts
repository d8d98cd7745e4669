import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { permissions as allPermissions, type Permission } from "../../src/platform/auth/key-model.ts";
import type { Operation } from "../support/openapi.ts";
import { startService } from "../support/service.ts";

/** Serves the tests of this file that do not start one of their own: each has users who see nothing of each other. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const api = "/api/v2";

/** The path with ids that nothing has; `userId` may be one that is there. */
function concrete({ path }: Operation, userId = "nothing"): string {
  return path.replace("{userId}", userId).replaceAll(/\{[^}]+\}/g, "nothing");
}

/** As wrong as can be: a media type that no route takes, and no JSON either. */
const badBody = { body: "not JSON", headers: { "content-type": "image/png" } };

function named(operation: Operation, fact: object): object {
  return { operation: `${operation.method} ${operation.path}`, ...fact };
}

test("every route under /api/v2 says in the document whom it acts for and needs a key", async () => {
  const nobody = service.client(null);
  const operations = service.document.operations.filter(({ path }) => path.startsWith(api));
  expect(operations.length).toBeGreaterThan(25);
  for (const operation of operations) {
    expect(named(operation, { isMarked: operation.actsFor !== null })).toEqual(named(operation, { isMarked: true }));
    const options = operation.takesBody ? badBody : {};
    const { status, code } = await nobody.send(operation.method, concrete(operation), options);
    expect(named(operation, { status, code })).toEqual(named(operation, { status: 401, code: "UNAUTHORIZED" }));
  }
});

test("every permission of the document exists, and only the health report and one's own sessions ask for none", async () => {
  const operations = service.document.operations.filter(({ path }) => path.startsWith(api));
  for (const operation of operations)
    for (const permission of operation.permissions) expect(allPermissions as readonly string[]).toContain(permission);
  expect(operations.filter(({ permissions }) => permissions.length === 0).map(({ path }) => path)).toEqual([
    `${api}/health`,
    // Which need one for a key, but none for the session itself.
    `${api}/sessions`,
    `${api}/sessions`,
    `${api}/sessions/{sessionId}`,
  ]);
});

test("a key with every other permission is refused before its request is looked at", async () => {
  for (const operation of service.document.operations.filter(({ permissions }) => permissions.length > 0)) {
    const others = allPermissions.filter((permission) => !operation.permissions.includes(permission));
    const client = await service.keyOf(service.admin, others);
    const options = { ...(operation.takesBody && badBody), query: { limit: "none", onDuplicate: "?" } };
    const { status, code, body } = await client.send(operation.method, concrete(operation), options);
    const permissionHelp = {
      required: operation.permissions[0],
      available: others,
      documentation: `${service.url}/docs`,
    };
    expect(named(operation, { status, code, body })).toMatchObject(
      named(operation, { status: 403, code: "PERMISSION_DENIED", body: { permissionHelp } }),
    );
  }
});

test("any one of its permissions opens a route", async () => {
  for (const operation of service.document.operations)
    for (const permission of operation.permissions) {
      const client = await service.keyOf(service.admin, [permission as Permission]);
      const { status } = await client.send(operation.method, concrete(operation, service.admin.userId), {
        ...(operation.takesBody && { body: {} }),
        // Or the stream of events would go on for ever.
        headers: { "last-event-id": "nothing" },
      });
      expect(named(operation, { permission, isRefused: [401, 403].includes(status) })).toEqual(
        named(operation, { permission, isRefused: false }),
      );
    }
});

test("the document has every route that the source has", async () => {
  const root = join(import.meta.dir, "../..");
  const inSource: string[] = [];
  for (const file of new Bun.Glob("src/**/*routes.ts").scanSync(root)) {
    const text = await Bun.file(join(root, file)).text();
    for (const [, prefix = "", group = ""] of text.matchAll(/routes\("([^"]*)"\)((?:(?!routes\(").)*)/gs))
      for (const [, method = "", path = ""] of group.matchAll(
        /\.(get|post|put|patch|delete|all|route|head|options|ws|mount|group)\(\s*["'`](\/[^"'`]*|)["'`]/g,
      ))
        inSource.push(
          `${method.toUpperCase()} ${(prefix + path).replaceAll(/:([^/]+)/g, "{$1}").replace(/(.)\/$/, "$1")}`,
        );
  }
  const inDocument = service.document.operations.map(({ method, path }) => `${method} ${path.replace(/(.)\/$/, "$1")}`);
  expect(inDocument.toSorted()).toEqual(inSource.toSorted());
});

test.each([
  "/api/v2",
  "/api/v2/",
  "/api/v2/nothing",
  "/api/v2/leads/a/b/c",
  "/api/v2//leads",
  "/api/v2/../v2/leads",
  "/api/v2/%6ceads",
])("a stranger learns nothing from %s", async (path) => {
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"])
    expect(await service.client(null).send(method, path)).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
});

test("refusals come in the order 401, 429, 403, 415 or 413, 400, 404", async () => {
  await using service = await startService({ settings: { RATE_LIMIT_MINUTE: 4 } });
  const user = await service.user();
  const reader = await service.keyOf(user, ["leads:read"]);
  const path = "/api/v2/leads/nothing";
  const tooLong = { body: "x".repeat(2 ** 20 + 1), headers: { "content-type": "application/json" } };
  const codes = [];
  codes.push((await reader.send("PUT", path, badBody)).code); // everything is wrong with it
  codes.push((await user.send("PUT", path, badBody)).code);
  codes.push((await user.send("PUT", path, tooLong)).code);
  codes.push((await user.put(path, { email: 5 })).code);
  codes.push((await reader.send("PUT", path, badBody)).code); // and the quota is used up
  codes.push((await service.client("nonsense").send("PUT", path, badBody)).code);
  const other = await service.user();
  codes.push((await other.put(path, { title: "x" })).code);
  expect(codes).toEqual([
    "PERMISSION_DENIED",
    "UNSUPPORTED_MEDIA_TYPE",
    "PAYLOAD_TOO_LARGE",
    "VALIDATION_ERROR",
    "RATE_LIMIT_EXCEEDED",
    "UNAUTHORIZED",
    "NOT_FOUND",
  ]);
});

test("a user-specific key can't act for another user", async () => {
  const ada = await service.user();
  const bob = await service.user();
  const query = { userId: bob.userId };
  for (const operation of service.document.operations.filter(({ actsFor }) => actsFor === "user")) {
    if (operation.takesBody) continue;
    const { status, code } = await ada.send(operation.method, concrete(operation), {
      query: { ...query, jobId: "nothing", field: "company" },
    });
    expect(named(operation, { status, code })).toEqual(named(operation, { status: 403, code: "PERMISSION_DENIED" }));
  }
  const scheduled = await ada.post("/api/v2/network/scheduleNetworkAction", {
    actionType: "sendConnectionRequest",
    profileUrl: "https://network.example/in/a",
    ...query,
  });
  expect(scheduled).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
  expect((await ada.get("/api/v2/leads", { query: { userId: ada.userId } })).status).toBe(200);
});
