import { afterAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { NewKeyView } from "../../src/platform/auth/key-model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { AccountView } from "../../src/features/network/account-model.ts";
import type { UserView } from "../../src/platform/auth/user-model.ts";
import type { SendOptions } from "../support/client.ts";
import { openRaw, rawRequest, sendRaw } from "../support/client-raw.ts";
import type { Operation } from "../support/openapi.ts";
import { createDice, type Dice } from "../support/ids.ts";
import { eventually, startService, succeeded, testEmbedded } from "../support/service.ts";

/** Serves all tests of this file: each has users of its own, who see nothing of each other. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const json = { "content-type": "application/json" };
const host = "Host: localhost";

function nested(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}

test.each([["/api/v2/leads"], ["/api/v2/users"], ["/api/v2/users/jobs"], ["/api/v2/network/tasks"]])(
  "no number is too large for the pages of %s",
  async (path) => {
    for (const offset of ["9007199254740991", "9007199254740993", "9223372036854775808", "9".repeat(400), "1e999"])
      expect([200, 400]).toContain((await service.admin.get(path, { query: { offset } })).status);
  },
);

test.each([
  ["startDate", "/api/v2/users/jobs"],
  ["endDate", "/api/v2/users/jobs"],
  ["createdAfter", "/api/v2/leads"],
  ["updatedBefore", "/api/v2/leads"],
  ["afterRow", "/api/v2/leads/import/nothing/report"],
])("no number is too large for %s of %s", async (name, path) => {
  for (const value of ["-0", "0", "9007199254740993", "9223372036854775808", "9".repeat(39)])
    expect([200, 400, 404]).toContain((await service.admin.get(path, { query: { [name]: value } })).status);
});

test("a body full of mistakes gets a short answer", async () => {
  const tags = Array.from({ length: 50_000 }, () => 5);
  const refused = await (await service.user()).post("/api/v2/leads", { email: "ada@example.com", tags });
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(JSON.stringify(refused.body).length).toBeLessThan(20_000);
});

test.each([
  ["POST", "/api/v2/leads", `{"email":"ada@example.com","customFields":{"x":${nested(50_000)}}}`],
  ["POST", "/api/v2/leads", `{"email":${nested(50_000)}}`],
  ["POST", "/api/v2/keys", `{"name":${nested(50_000)},"permissions":["leads:read"]}`],
])("%s %s with a body that is nested beyond all reason is refused", async (method, path, body) => {
  const user = await service.user();
  expect(await user.send(method, path, { body, headers: json })).toMatchObject({
    status: 400,
    code: "VALIDATION_ERROR",
  });
});

test("a row of an import that is nested beyond all reason fails alone", async () => {
  const user = await service.user();
  const rows = [
    '{"email":"a@example.com"}',
    `{"email":"b@example.com","customFields":{"x":${nested(50_000)}}}`,
    '{"email":"c@example.com"}',
  ];
  const headers = { "content-type": "application/x-ndjson" };
  const { data } = succeeded(await user.post<JobView>("/api/v2/leads/import", rows.join("\n"), { headers }));
  const job = await eventually("a first attempt", async () => {
    const { data: seen } = await user.get<JobView>(`/api/v2/users/jobs/${data.id}`);
    return seen.status === "completed" || seen.message.startsWith("Attempt failed") ? seen : null;
  });
  expect(job).toMatchObject({ status: "completed", metadata: { created: 2, failed: 1 } });
});

test("a lead that newcomers were merged into stays within the limits, so that it can be changed", async () => {
  const user = await service.user();
  for (let round = 0; round < 3; round++) {
    const customFields = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`field ${round}-${index}`, "x"]));
    await user.post("/api/v2/leads", { email: "ada@example.com", customFields }, { query: { onDuplicate: "update" } });
  }
  const { data } = await user.get<{ leads: LeadView[] }>("/api/v2/leads");
  expect((await user.put(`/api/v2/leads/${data.leads[0]?.id}`, { title: "Countess" })).status).toBe(200);
});

test("a text that is not well-formed Unicode is answered as it is stored", async () => {
  const user = await service.user();
  const half = String.raw`\ud800`;
  const body = `{"email":"ada@example.com","firstName":"a${half}b","notes":"${half}","tags":["${half}"],"customFields":{"${half}":"${half}"}}`;
  const created = succeeded(await user.post<LeadView>("/api/v2/leads", body, { headers: json }));
  expect((await user.get<LeadView>(`/api/v2/leads/${created.data.id}`)).data).toEqual(created.data);
  expect((await user.get("/api/v2/leads", { query: { tag: created.data.tags[0] } })).data).toMatchObject({ total: 1 });
  const path = `/api/v2/leads/${created.data.id}`;
  const changed = `{"title":"${half}","customFields":{"${half}":"x"}}`;
  expect((await user.put(path, changed, { headers: json })).status).toBe(200);
  const bulk = `{"ids":["${half}"],"update":{"status":"lost"}}`;
  expect((await user.post("/api/v2/leads/bulk", bulk, { headers: json })).status).toBeLessThan(500);
  const news = `{"profileUrl":"https://network.example/in/ada","event":"messages","messages":[{"id":"m","direction":"incoming","at":"2026-01-05T08:00:00Z","text":"${half}"}]}`;
  expect((await user.post("/api/v2/network/contacts/events", news, { headers: json })).status).toBeLessThan(500);
});

test("names have no control characters, which would do things to terminals", async () => {
  const user = await service.user();
  const name = "a\u001b[2Jb\u0000\nc";
  const key = (await user.post<NewKeyView>("/api/v2/keys", { name, permissions: ["leads:read"] })).data;
  const me = (await user.patch<UserView>("/api/v2/users/me", { name })).data;
  const accounts = (await user.get<{ accounts: AccountView[] }>("/api/v2/network/accounts")).data.accounts;
  const account = (await user.patch<AccountView>(`/api/v2/network/accounts/${accounts[0]?.id}`, { name })).data;
  // oxlint-disable-next-line no-control-regex -- they are what this is about
  for (const { name: shown } of [key, me, account]) expect(shown).not.toMatch(/[\u0000-\u001f]/);
});

test("query parameters with names that mean something to JavaScript do nothing", async () => {
  const user = await service.user();
  const { status } = await user.get(
    "/api/v2/leads?__proto__=1&__proto__=2&constructor=3&toString=4&hasOwnProperty=5&limit=1",
  );
  expect(status).toBe(200);
});

test.each([
  ["a header that is folded", ["x-request-id: a", " X-Evil: 1"]],
  ["a header with a zero byte", ["x-y: a\0b"]],
  ["a length that is negative", ["content-length: -5"]],
  ["a length beyond all numbers", ["content-length: 99999999999999999999"]],
  ["two lengths", ["content-length: 2", "content-length: 3"]],
  ["a length and chunks", ["content-length: 4", "transfer-encoding: chunked"]],
  ["chunks without a size", ["transfer-encoding: chunked"]],
])("%s is no request", async (_what, lines) => {
  const headers = [host, `x-api-key: ${service.admin.key}`, "content-type: application/json", ...lines];
  const answer = await sendRaw(service.url, rawRequest("POST", "/api/v2/leads", headers, "zz\r\n{}\r\n0\r\n\r\n"));
  expect(answer.status).toBe(400);
  expect(answer.headers.get("x-evil")).toBeNull();
});

test.each([
  ["HTTP/1.0", []],
  ["HTTP/1.1", ["Host:"]],
  ["HTTP/1.1", [host, host]],
  ["HTTP/1.1", [host, "Host: other"]],
])("a request of %s that does not name one host is refused", async (version, lines) => {
  const text = [
    `GET /api/v2/leads ${version}`,
    "Connection: close",
    `x-api-key: ${service.admin.key}`,
    ...lines,
    "",
    "",
  ].join("\r\n");
  expect((await sendRaw(service.url, text)).status).toBe(400);
});

test("a body that ends before its length changes nothing", async () => {
  const user = await service.user();
  const { socket, closed } = openRaw(service.url);
  const headers = [host, `x-api-key: ${user.key}`, "content-type: application/json", "content-length: 1000"];
  socket.write(rawRequest("POST", "/api/v2/leads", headers, '{"email":"ada@example.com"}'));
  socket.end();
  await closed;
  expect((await user.get("/api/v2/leads")).data).toMatchObject({ total: 0 });
});

test.each([
  ["before its length", "content-length: 1000", "email\nada@example.com\n"],
  ["before its last chunk", "transfer-encoding: chunked", "16\r\nemail\nada@example.com\n\r\n"],
])("an import whose body ends %s makes no job and leaves no file", async (_when, line, body) => {
  const user = await service.user();
  const { socket, closed } = openRaw(service.url);
  socket.write(
    rawRequest("POST", "/api/v2/leads/import", [host, `x-api-key: ${user.key}`, "content-type: text/csv", line], body),
  );
  const folder = join(service.dataDir, "blobs", "imports");
  const files = () => readdir(folder).catch((): string[] => []);
  await eventually("the file being taken in", async () =>
    (await files()).some((name) => name.endsWith(".part")) ? true : null,
  );
  socket.end();
  await closed;
  await eventually("no file is left", async () =>
    (await files()).every((name) => !name.endsWith(".part")) ? true : null,
  );
  expect((await user.get("/api/v2/users/jobs")).data).toMatchObject({ jobs: [] });
});

test("many clients that are slow to send keep nobody waiting", async () => {
  const user = await service.user();
  const slow = Array.from({ length: 100 }, () => openRaw(service.url));
  const headers = [host, `x-api-key: ${user.key}`, "content-type: application/json", "content-length: 100"];
  for (const { socket } of slow) socket.write(rawRequest("POST", "/api/v2/leads", headers, "{"));
  expect((await user.get("/api/v2/leads")).data).toMatchObject({ total: 0 });
  for (const { socket } of slow) socket.destroy();
  await Promise.all(slow.map(({ closed }) => closed));
  expect((await user.get("/api/v2/leads")).status).toBe(200);
});

// Bun closes a connection that sends a request before the answer to the last one, unless that answer needs no waiting.
testEmbedded("requests that are sent without waiting for answers are all answered", async () => {
  const user = await service.user();
  const { socket, closed } = openRaw(service.url);
  const one = [`GET /api/v2/leads HTTP/1.1`, host, `x-api-key: ${user.key}`, "", ""].join("\r\n");
  socket.write(one.repeat(50) + rawRequest("GET", "/api/v2/leads", [host, `x-api-key: ${user.key}`]));
  expect((await closed).match(/HTTP\/1\.1 200/g)).toHaveLength(51);
});

const oddTexts = [
  ...[
    "",
    " ",
    "\0",
    "a",
    "ä😀",
    "x".repeat(301),
    "x".repeat(12_000),
    "a@b.co",
    "https://h.co/in/x",
    "'; DROP TABLE leads; --",
    "%",
    "_",
    "\\",
  ],
  ...[
    "null",
    "true",
    "-1",
    "0",
    "1",
    "50",
    "1.5",
    "9007199254740993",
    "NaN",
    "[]",
    "{}",
    "[1]",
    '{"a":1}',
    "a,b",
    "UTC",
    "../..",
    "=1+1",
  ],
  ...[
    "2026-01-01",
    "2026-99-99",
    "-createdAt",
    "email",
    "ndjson",
    "active",
    "sendConnectionRequest",
    "leads:read",
    "*",
    "pending",
    "done",
  ],
  ...['["a","b","email"]', '[1e999,"b","createdAt"]', '[5,"b"]', '["x",1]', "[1,2,3]", '[1,"b",true]', "[[]]"].map(
    (cursor) => btoa(cursor),
  ),
];

function oddValue(dice: Dice, depth = 0): unknown {
  if (dice.chance(0.5) || depth > 2) return dice.pick(oddTexts);
  if (dice.chance(0.4)) return dice.pick([0, -1, 1, 1.5, 1e308, 2 ** 53, true, false, null]);
  const items = Array.from({ length: dice.below(4) }, () => oddValue(dice, depth + 1));
  if (dice.chance(0.5)) return items;
  return Object.fromEntries(items.map((item) => [dice.pick([...oddTexts, "monday", "from"]), item]));
}

function oddBody({ bodyFields }: Operation, dice: Dice): unknown {
  if (bodyFields === null || dice.chance(0.05)) return oddValue(dice);
  return Object.fromEntries(bodyFields.filter(() => dice.chance(0.6)).map((name) => [name, oddValue(dice)]));
}

type OddRequest = { path: string; options: SendOptions };

function oddRequest(operation: Operation, ids: readonly string[], dice: Dice): OddRequest {
  const path = operation.path.replaceAll(/\{[^}]+\}/g, () => dice.pick(ids));
  const names = operation.parameters.filter((name) => !operation.path.includes(`{${name}}`) && name !== "userId");
  const drawn = names.filter(() => dice.chance(0.4)).map((name) => [name, dice.pick(oddTexts)] as const);
  // A head of 16 KB is refused by Bun itself (431), before there is anything of ours.
  const fits = (text: string, n: number) => encodeURIComponent(text.toWellFormed()).length < (n === 0 ? 10_000 : 1000);
  const query = Object.fromEntries(drawn.filter(([, text], n) => fits(text, n)));
  const ifMatch: Record<string, string> = dice.chance(0.2)
    ? { "if-match": dice.pick(['"1"', "*", "garbage", `"${"9".repeat(30)}"`]) }
    : {};
  if (!operation.takesBody) return { path, options: { query, headers: ifMatch } };
  const body = JSON.stringify(oddBody(operation, dice));
  const type = operation.bodyFields === null ? "text/plain" : "application/json";
  return { path, options: { query, headers: { ...ifMatch, "content-type": type }, body } };
}

test.each([[1], [2], [3]])("requests made up at random find no fault in the service (seed %d)", async (seed) => {
  const dice = createDice(seed);
  const clients = [await service.user(), await service.user({ role: "admin" })];
  const lead = succeeded(await dice.pick(clients).post<LeadView>("/api/v2/leads", { email: "ada@example.com" })).data;
  const ids = [lead.id, "nothing", "%00", "%ff", "a".repeat(3000), "'", "%F0%9F%98%80"];
  for (let sent = 0; sent < 250; sent++) {
    const operation = dice.pick(service.document.operations);
    const { path, options } = oddRequest(operation, ids, dice);
    // The client checks that the answer is documented, down to its fields.
    const { status } = await dice.pick(clients).send(operation.method, path, options);
    expect(status).toBeLessThan(500);
  }
});
