import { afterAll, expect, test } from "bun:test";
import { rawRequest, sendRaw } from "../support/client-raw.ts";
import { startService } from "../support/service.ts";

/** Serves all tests of this file: each has users of its own, who see nothing of each other. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const json = { "content-type": "application/json" };

test("a refusal has the standard body", async () => {
  const { body } = await (await service.user()).get("/api/v2/leads/nothing");
  expect(body).toEqual({
    error: true,
    code: "NOT_FOUND",
    message: "Lead nothing not found.",
    version: "2.0",
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    details: { resource: "lead", id: "nothing" },
  });
});

test("a missing permission comes with help and without details", async () => {
  const key = await service.keyOf(service.admin, ["leads:read", "jobs:read"]);
  const { body } = await key.post("/api/v2/leads", {});
  expect(body).toEqual({
    error: true,
    code: "PERMISSION_DENIED",
    message: "This API key does not have the permission leads:write.",
    version: "2.0",
    timestamp: expect.any(String),
    permissionHelp: {
      required: "leads:write",
      available: ["leads:read", "jobs:read"],
      documentation: `${service.url}/docs`,
    },
  });
});

test("help about permissions leads to the public URL where that is known", async () => {
  await using own = await startService({ settings: { PUBLIC_URL: "https://outreach.example.com/" } });
  const key = await own.keyOf(own.admin, ["leads:read"]);
  expect((await key.post("/api/v2/leads", {})).body).toMatchObject({
    permissionHelp: { documentation: "https://outreach.example.com/docs" },
  });
});

test.each([
  ["nothing but a brace", "{"],
  ["two values", "{} {}"],
  ["a comma too many", '{"email":"a@example.com",}'],
  ["single quotes", "{'email':'a@example.com'}"],
  ["a comment", '{"email":"a@example.com"} // hi'],
  ["a NaN", '{"email":NaN}'],
  ["a line break in a text", '{"email":"a\n@example.com"}'],
  ["no text at all but spaces", "   "],
])("a body with %s is not valid JSON", async (_what, body) => {
  const refused = await (await service.user()).post("/api/v2/leads", body, { headers: json });
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR", details: { errors: [{ path: "" }] } });
  expect(refused.message).toContain("not valid JSON");
});

test.each([
  ["a byte that begins nothing", [0xff], {}],
  ["a character that is cut off", [0xf0, 0x9f, 0x98], {}],
  ["such a byte, and a key to repeat it", [0xff], { "idempotency-key": "a" }],
])("a body with %s is no UTF-8", async (_what, bytes, headers) => {
  const user = await service.user();
  const body = Buffer.from([...Buffer.from('{"email":"ada@example.com","company":"'), ...bytes, 0x22, 0x7d]);
  const refused = await user.post("/api/v2/leads", body, { headers: { ...json, ...headers } });
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR", details: { errors: [{ path: "" }] } });
  expect(refused.message).toContain("UTF-8");
});

test.each([
  ["null", "null"],
  ["a number", "5"],
  ["a text", '"email"'],
  ["a list", '[{"email":"a@example.com"}]'],
  ["true", "true"],
])("a body that is %s is refused where an object is wanted", async (_what, body) => {
  const refused = await (await service.user()).post("/api/v2/leads", body, { headers: json });
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
});

test("a body that is missing is asked for", async () => {
  const refused = await (await service.user()).post("/api/v2/leads");
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR", message: "Send a JSON body." });
});

test("a body that begins with a byte order mark is read", async () => {
  const body = `\ufeff${JSON.stringify({ email: "ada@example.com" })}`;
  expect((await (await service.user()).post("/api/v2/leads", body, { headers: json })).status).toBe(200);
});

test.each([
  ["text/plain"],
  ["multipart/form-data; boundary=x"],
  ["application/xml"],
  ["application/jsonp"],
  ["json"],
  ["application/json, text/plain"],
])("a body of the type %s is refused", async (type) => {
  const refused = await (await service.user()).post("/api/v2/leads", "{}", { headers: { "content-type": type } });
  expect(refused).toMatchObject({ status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
});

test("a body without a type is refused", async () => {
  const { key } = await service.user();
  const body = JSON.stringify({ email: "ada@example.com" });
  const headers = ["Host: localhost", `x-api-key: ${key}`, `Content-Length: ${body.length}`];
  expect((await sendRaw(service.url, rawRequest("POST", "/api/v2/leads", headers, body))).status).toBe(415);
});

test.each([
  ["application/json"],
  ["application/json; charset=utf-8"],
  ["Application/JSON"],
  ["application/json;charset=UTF-8; x=y"],
])("a body of the type %s is read", async (type) => {
  const body = JSON.stringify({ email: "ada@example.com" });
  expect((await (await service.user()).post("/api/v2/leads", body, { headers: { "content-type": type } })).status).toBe(
    200,
  );
});

/** As a stream, so that no length is announced. */
function inChunks(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 1000) controller.enqueue(bytes.slice(at, at + 1000));
      controller.close();
    },
  });
}

test("a body up to the limit is read and a longer one refused, announced or not", async () => {
  await using small = await startService({ settings: { MAX_BODY_BYTES: 2048 } });
  const user = await small.user();
  const ofLength = (length: number) => {
    const start = '{"email":"a@example.com","notes":"';
    return `${start}${"x".repeat(length - start.length - 2)}"}`;
  };
  for (const shape of [(text: string) => text, inChunks]) {
    expect((await user.post("/api/v2/leads", shape(ofLength(2048)), { headers: json })).status).toBe(200);
    const refused = await user.post("/api/v2/leads", shape(ofLength(2049)), { headers: json });
    expect(refused).toMatchObject({ status: 413, code: "PAYLOAD_TOO_LARGE", details: { maxBytes: 2048 } });
  }
  expect((await user.get("/api/v2/leads")).data).toMatchObject({ total: 2 });
});

test("text in chunks that cut characters in two is put together again", async () => {
  const user = await service.user();
  const bytes = new TextEncoder().encode(JSON.stringify({ email: "ada@example.com", company: "株式会社 😀" }));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  expect((await user.post("/api/v2/leads", body, { headers: json })).data).toMatchObject({ company: "株式会社 😀" });
});

test("an unknown route is not found, and says so", async () => {
  const user = await service.user();
  for (const path of ["/api/v2/nothing", "/api/v2", "/api/v2/leads/a/b", "/nothing"])
    expect(await user.get(path)).toMatchObject({
      status: 404,
      code: "NOT_FOUND",
      details: { resource: "route", id: `GET ${path}` },
    });
});

test.each([
  ["PATCH", "/api/v2/leads", "GET, HEAD, POST"],
  ["DELETE", "/api/v2/leads", "GET, HEAD, POST"],
  ["POST", "/api/v2/leads/x", "DELETE, GET, HEAD, PATCH, PUT"],
  ["PUT", "/api/v2/health", "GET, HEAD"],
  ["POST", "/api/v2/users/me", "GET, HEAD, PATCH, PUT"],
  ["GET", "/api/v2/users/jobs/x/cancel", "POST"],
  ["POST", "/healthz", "GET, HEAD"],
  ["DELETE", "/docs", "GET, HEAD"],
  ["OPTIONS", "/api/v2/leads", "GET, HEAD, POST"],
])("%s %s is refused with the methods that are allowed", async (method, path, allow) => {
  const refused = await service.admin.send(method, path);
  expect(refused).toMatchObject({ status: 405, code: "METHOD_NOT_ALLOWED", details: { allow: allow.split(", ") } });
  expect(refused.headers.get("allow")).toBe(allow);
});

test("a path may end in a slash", async () => {
  const user = await service.user();
  expect((await user.get("/api/v2/leads/")).status).toBe(200);
  expect((await user.post("/api/v2/leads/", { email: "ada@example.com" })).status).toBe(200);
  expect((await user.get("/api/v2/health/")).status).toBe(200);
});

test("ids in a path are decoded", async () => {
  const user = await service.user();
  expect((await user.get("/api/v2/leads/a%20b%2Fc")).details).toEqual({ resource: "lead", id: "a b/c" });
});

test.each(["%", "%zz", "%E0%A4%A", "%ff", "%00"])(
  "an id that can't be decoded, %s, is no fault of the service",
  async (id) => {
    const user = await service.user();
    expect([400, 404]).toContain((await user.get(`/api/v2/leads/${id}`)).status);
  },
);

test("a query parameter that comes twice is refused where one value is wanted", async () => {
  const user = await service.user();
  for (const name of ["limit", "q", "status", "sort"]) {
    const refused = await user.get("/api/v2/leads", { query: { [name]: ["1", "2"] } });
    expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR", details: { errors: [{ path: name }] } });
  }
});

test("values of query parameters are taken as they are, with commas and brackets", async () => {
  const user = await service.user();
  for (const company of ["Doe, Roe & Co", "[1]", '{"a":1}', "a+b", "50% off", "x=y", "null"]) {
    await user.post("/api/v2/leads", { email: "ada@example.com", company });
    expect((await user.get("/api/v2/leads", { query: { company } })).data).toMatchObject({
      total: 1,
      leads: [{ company }],
    });
  }
});

test("an answer to a refused request tells no internals", async () => {
  const user = await service.user();
  const answers = [
    await user.get("/api/v2/leads", { query: { cursor: Buffer.from('["a",{}]').toString("base64url") } }),
    await user.get("/api/v2/leads/%00"),
    await user.post("/api/v2/leads", "{", { headers: json }),
  ];
  for (const { body } of answers) expect(JSON.stringify(body)).not.toMatch(/at .*\.ts|sqlite|node_modules|\/src\//i);
});
