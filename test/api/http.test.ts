import { afterAll, expect, test } from "bun:test";
import { rawRequest, sendRaw } from "../support/client-raw.ts";
import { startService } from "../support/service.ts";

/** Serves all tests of this file: each has users of its own, who see nothing of each other. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const page = "https://app.example.com";
const preflight = { "access-control-request-method": "PUT", "access-control-request-headers": "x-api-key, if-match" };

function corsHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-") || name === "vary"));
}

test("without CORS origins no header speaks to pages of other hosts", async () => {
  const { headers } = await service.admin.get("/api/v2/leads", { headers: { origin: page } });
  expect(corsHeaders(headers)).toEqual({});
  expect(
    (await service.client(null).send("OPTIONS", "/api/v2/leads", { headers: { origin: page, ...preflight } })).status,
  ).toBe(401);
});

test("a page of an allowed origin may read answers and refusals, without cookies", async () => {
  await using own = await startService({
    settings: { CORS_ORIGINS: `https://other.example.com, ${page}`, RATE_LIMIT_MINUTE: 100 },
  });
  const answers = [
    await own.admin.get("/api/v2/leads", { headers: { origin: page } }),
    await own.admin.get("/api/v2/leads/nothing", { headers: { origin: page } }),
    await own.client(null).get("/api/v2/leads", { headers: { origin: page } }),
    await own.client(null).get("/nothing", { headers: { origin: page } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 401, 404]);
  for (const { headers } of answers) {
    expect(headers.get("access-control-allow-origin")).toBe(page);
    expect(headers.get("access-control-allow-credentials")).toBeNull();
    expect(headers.get("vary")).toBe("origin");
    for (const name of ["etag", "ratelimit", "x-ratelimit-remaining", "retry-after", "x-request-id", "location"])
      expect(headers.get("access-control-expose-headers")).toContain(name);
  }
});

test("a preflight of an allowed origin is answered without a key", async () => {
  await using own = await startService({ settings: { CORS_ORIGINS: page } });
  const { status, headers, body } = await own
    .client(null)
    .send("OPTIONS", "/api/v2/leads/x", { headers: { origin: page, ...preflight } });
  expect({ status, body }).toEqual({ status: 204, body: "" });
  expect(headers.get("access-control-allow-origin")).toBe(page);
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"])
    expect(headers.get("access-control-allow-methods")).toContain(method);
  for (const name of ["x-api-key", "content-type", "if-match", "if-none-match", "authorization"])
    expect(headers.get("access-control-allow-headers")).toContain(name);
  expect(Number(headers.get("access-control-max-age"))).toBeGreaterThan(0);
});

test.each([
  ["https://evil.example.com"],
  ["https://app.example.com.evil.com"],
  ["http://app.example.com"],
  ["https://app.example.com:8443"],
  ["null"],
])("a page of %s may read nothing", async (origin) => {
  await using own = await startService({ settings: { CORS_ORIGINS: page } });
  const { headers } = await own.admin.get("/api/v2/leads", { headers: { origin } });
  expect(corsHeaders(headers)).toEqual({ vary: "origin" });
  const asked = await own.client(null).send("OPTIONS", "/api/v2/leads", { headers: { origin, ...preflight } });
  expect(asked.status).toBe(403);
  expect(asked.headers.get("access-control-allow-origin")).toBeNull();
});

test("with * pages of every origin may read answers", async () => {
  await using own = await startService({ settings: { CORS_ORIGINS: "*" } });
  const { headers } = await own.admin.get("/api/v2/leads", { headers: { origin: "https://any.example" } });
  expect(headers.get("access-control-allow-origin")).toBe("*");
});

test("a request id of the client is echoed, and one is made where there is none", async () => {
  const user = await service.user();
  const echoed = async (id: string) =>
    (await user.get("/api/v2/leads", { headers: { "x-request-id": id } })).headers.get("x-request-id");
  for (const id of ["abc-123", "a.b:c_d", "x".repeat(128)]) expect(await echoed(id)).toBe(id);
  const made = await Promise.all([user.get("/api/v2/leads"), user.get("/api/v2/leads")]);
  const ids = made.map(({ headers }) => headers.get("x-request-id"));
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
  expect(ids[0]).not.toBe(ids[1] ?? null);
});

test.each([
  ["too long", "x".repeat(129)],
  ["with spaces", "a b"],
  ["with markup", "<script>"],
  ["with a percent sign", "a%0d%0ab"],
  ["empty", ""],
])("a request id that is %s is replaced", async (_how, id) => {
  const { headers } = await service.admin.get("/api/v2/leads", { headers: { "x-request-id": id } });
  expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
});

test("refusals carry the request id, too", async () => {
  const headers = { "x-request-id": "mine" };
  const answers = [
    await service.client(null).get("/api/v2/leads", { headers }),
    await service.admin.get("/api/v2/nothing", { headers }),
    await service.admin.post("/api/v2/leads", "{", { headers: { ...headers, "content-type": "application/json" } }),
    await service.client(null).get("/nothing", { headers }),
  ];
  for (const answer of answers) expect(answer.headers.get("x-request-id")).toBe("mine");
});

test("HEAD answers as GET does, without the body", async () => {
  const user = await service.user();
  for (const path of ["/api/v2/health", "/api/v2/leads", "/healthz", "/docs", "/openapi.json"]) {
    const got = await user.get(path);
    const head = await user.send("HEAD", path);
    expect({ path, status: head.status, body: head.body }).toEqual({ path, status: got.status, body: "" });
    expect(head.headers.get("content-type")).toBe(got.headers.get("content-type"));
  }
  expect((await user.send("HEAD", "/api/v2/leads/nothing")).status).toBe(404);
  expect((await service.client(null).send("HEAD", "/api/v2/leads")).status).toBe(401);
});

test("HEAD of a lead has its ETag, and If-None-Match works with it", async () => {
  const user = await service.user();
  const created = await user.post<{ id: string }>("/api/v2/leads", { email: "ada@example.com" });
  const etag = created.headers.get("etag") ?? "";
  const path = `/api/v2/leads/${created.data.id}`;
  expect((await user.send("HEAD", path)).headers.get("etag")).toBe(etag);
  expect((await user.send("HEAD", path, { headers: { "if-none-match": etag } })).status).toBe(304);
});

test.each(["localhost", "x", "crm", "api.example.com", "127.0.0.1:8080", "[::1]:8080"])(
  "routes are the same under the host name %s",
  async (host) => {
    const user = await service.user();
    const headers = [`Host: ${host}`, `x-api-key: ${user.key}`];
    const send = async (target: string) => (await sendRaw(service.url, rawRequest("GET", target, headers))).status;
    expect(await send("/healthz")).toBe(200);
    expect(await send("/api/v2/leads")).toBe(200);
    expect(await send("/api/v2/leads?limit=1")).toBe(200);
    const missing = await sendRaw(service.url, rawRequest("GET", "/api/v2/leads/nothing", headers));
    expect(JSON.parse(missing.body)).toMatchObject({ code: "NOT_FOUND", details: { resource: "lead" } });
    for (const target of ["/a/healthz", "/aaaaa/healthz", "/aa/api/v2/leads", "//healthz"])
      expect(await send(target)).toBe(404);
  },
);

test.each(["TRACE", "PROPFIND", "LINK", "leads"])("the method %s does nothing", async (method) => {
  const user = await service.user();
  const headers = ["Host: localhost", `x-api-key: ${user.key}`];
  const { status } = await sendRaw(service.url, rawRequest(method, "/api/v2/leads", headers));
  expect([0, 400, 405, 501]).toContain(status); // 0: the connection is closed without a word
});

test("answers with JSON say so, and no answer is to be kept by a cache", async () => {
  const user = await service.user();
  for (const path of ["/api/v2/leads", "/api/v2/leads/nothing", "/api/v2/health"]) {
    const { headers } = await user.get(path);
    expect(headers.get("content-type")).toMatch(/^application\/json/);
    expect(headers.get("cache-control")).toBe("no-store");
  }
});

test("the key of a request is not in its answer", async () => {
  const user = await service.user();
  const answers = [
    await user.get("/api/v2/health"),
    await user.get("/api/v2/nothing"),
    await user.get("/api/v2/keys"),
    await user.post("/api/v2/leads", {}),
  ];
  for (const { body, headers } of answers) expect(JSON.stringify([body, ...headers])).not.toContain(user.key ?? "");
});
